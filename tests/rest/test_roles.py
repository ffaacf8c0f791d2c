"""Who may use which route: one table for the whole application. A route that is not in it fails a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute

from bethink.records import Role
from bethink.rest.api import RestApi
from bethink.serve.app import create_app
from bethink.settings import Settings
from tests.rest.serving import Running, new_space

WHO = ("nobody", "unknown key", "revoked key", "reader", "stranger", "member", "admin")
OK = 0  # what the route answers those who may use it

# What each kind of route answers each of WHO. The stranger is a member of another space who names this one.
ANSWERS: dict[str, tuple[int, ...]] = {
    "open": (OK, OK, OK, OK, OK, OK, OK),
    "key": (401, 401, 401, OK, OK, OK, OK),
    "read": (401, 401, 401, OK, 403, OK, OK),
    "write": (401, 401, 401, 403, 403, OK, OK),
    "admin": (401, 401, 401, 403, 403, 403, OK),
}


@dataclass(frozen=True)
class Row:
    """A route: its kind, what to send, and what it then answers those who may use it."""

    kind: str
    ok: int = 200
    send: dict[str, Any] = field(default_factory=dict)


def row(kind: str, ok: int = 200, **send: Any) -> Row:
    return Row(kind, ok, send)


FACT = {"category": "music", "key": "instrument"}
TABLE: dict[str, Row] = {
    "GET /": row("open"),
    "GET /docs": row("open"),
    "GET /enter/{token}": row("open", 401),  # nobody has that token
    "GET /healthz": row("open"),
    "GET /openapi.json": row("open"),
    "GET /readyz": row("open"),
    "POST /leave": row("open", 401),  # for browsers that are signed in, which none of these is
    "GET /metrics": row("admin"),
    "DELETE /api/session": row("key"),
    "GET /api/session": row("key"),
    "POST /api/session": row("key", 201),
    "POST /api/ingest/{platform}": row("write", 201, json={"id": "1", "session": "s", "content": "x"}),
    "GET /api/keys": row("admin"),
    "POST /api/keys": row("admin", 201, json={"name": "new"}),
    "PATCH /api/keys/{id}": row("admin", 404, json={"name": "new"}),
    "DELETE /api/keys/{id}": row("admin", 404),
    "POST /api/keys/{id}/rotate": row("admin", 404),
    "GET /api/spaces": row("admin"),
    "POST /api/spaces": row("admin", 409, json={"name": "default"}),
    "GET /api/spaces/{name}": row("admin", 404),
    "PATCH /api/spaces/{name}": row("admin", 404, json={"displayName": "New"}),
    "DELETE /api/spaces/{name}": row("admin", 404, params={"confirm": "absent"}),
    "GET /api/settings/memory": row("read"),
    "GET /api/settings/memory/schema": row("read"),
    "PUT /api/settings/memory": row("write", json={"maxTokens": 1000}),
    "DELETE /api/settings/memory": row("write"),
    "GET /api/settings/vectors": row("read"),
    "PUT /api/settings/vectors": row("admin", json={"collection": "other"}),
    "GET /api/settings/vectors/health": row("read"),
    "POST /api/settings/vectors/search": row("read", json={"query": "text"}),
    "POST /api/settings/vectors/cleanup": row("write"),
    "GET /api/settings/vectors/embedding-models": row("read"),
    "GET /api/memory": row("read"),
    "POST /api/memory": row("write", 201, json={"content": "A new one", "key": None}),
    "DELETE /api/memory": row("write", params={"tag": "absent"}),
    "POST /api/memory/search": row("read", json={"query": "text"}),
    "GET /api/memory/engine-status": row("read"),
    "GET /api/memory/embedding-providers": row("read"),
    "POST /api/memory/retrieve-preview": row("read", json={"query": "text"}),
    "GET /api/memory/health": row("read"),
    "GET /api/memory/reindex": row("read"),
    "GET /api/memory/reindex/events": row("read"),
    "POST /api/memory/reindex": row("write", 202),
    "GET /api/memory/{id}": row("read", 404),
    "PATCH /api/memory/{id}": row("write", 404, json={"pinned": True}),
    "PUT /api/memory/{id}": row("write", 404, json={"content": "text"}),
    "DELETE /api/memory/{id}": row("write", 404),
    "POST /api/memory/summarize": row("write", json={"dryRun": True}),
    "POST /api/memory/{id}/pin": row("write", 404),
    "DELETE /api/memory/{id}/pin": row("write", 404),
    "POST /api/search": row("read", json={"query": "text"}),
    "GET /api/stats": row("read"),
    "GET /api/stats/growth": row("read"),
    "GET /api/map": row("read"),
    "POST /api/memory/chat-check": row("write"),
    "GET /api/sessions": row("read"),
    "POST /api/sessions": row("write", 201, json={"id": "begun"}),
    "POST /api/sessions/{id}/messages": row("write", 201, json={"messages": [{"content": "text"}]}),
    "GET /api/sessions/{id}/messages": row("read"),
    "GET /api/messages": row("read"),
    "GET /api/messages/{id}": row("read", 404),
    "PATCH /api/messages/{id}": row("write", 404, json={"pinned": True}),
    "DELETE /api/messages/{id}": row("write", 404),
    "GET /api/notes": row("read"),
    "GET /api/notes/search": row("read", params={"q": "text"}),
    "GET /api/notes/content": row("read", 404, params={"file": "absent.md"}),
    "POST /api/notes/sync": row("write"),
    "POST /api/messages/search": row("read", json={"query": "text"}),
    "POST /api/messages/{id}/pin": row("write", 404),
    "DELETE /api/messages/{id}/pin": row("write", 404),
    "POST /api/messages/{id}/archive": row("write", 404),
    "DELETE /api/messages/{id}/archive": row("write", 404),
    "GET /api/summaries": row("read"),
    "GET /api/summaries/{id}": row("read", 404),
    "GET /api/summaries/{id}/messages": row("read", 404),
    "GET /api/facts": row("read"),
    "PUT /api/facts": row("write", 201, json={**FACT, "value": "text"}),
    "DELETE /api/facts": row("write", 404, params={"category": "absent", "key": "absent"}),
    "POST /api/facts/{id}/restore": row("write", 404),
    "GET /api/facts/current": row("read", 404, params={"category": "absent", "key": "absent"}),
    "GET /api/facts/doubts": row("read"),
    "GET /api/facts/history": row("read", params=FACT),
    "GET /api/insights": row("read"),
    "POST /api/insights": row("write", 201, json={"title": "text"}),
    "GET /api/insights/usage": row("read"),
    "POST /api/insights/generate": row("write"),
    "GET /api/digest": row("read"),
    "GET /api/insights/{id}": row("read", 404),
    "PATCH /api/insights/{id}": row("write", 404, json={"title": "text"}),
    "DELETE /api/insights/{id}": row("write", 404),
    "POST /api/insights/{id}/view": row("write", 404),
    "POST /api/insights/{id}/favourite": row("write", 404),
    "DELETE /api/insights/{id}/favourite": row("write", 404),
    "PUT /api/insights/{id}/weight": row("write", 404, json={"multiplier": 2}),
    "POST /api/insights/{id}/resolve": row("write", 404, json={}),
    "POST /api/insights/{id}/reopen": row("write", 404),
    "POST /api/insights/{id}/merge": row("write", 404, json={"others": ["another"]}),
    "GET /api/household": row("read"),
    "PUT /api/household": row("write", json={"displayName": "Home"}),
    "GET /api/people": row("read"),
    "POST /api/people": row("write", 409, json={"displayName": "Eve"}),  # the space is for a single person
    "GET /api/people/resolve": row("read", params={"ref": "Eve"}),
    "POST /api/people/speaker": row("read", json={"text": "This is Eve."}),
    "GET /api/people/{id}": row("read", 404),
    "PATCH /api/people/{id}": row("write", 404, json={"notes": "text"}),
    "DELETE /api/people/{id}": row("write", 404),
    "GET /api/devices": row("read"),
    "GET /api/devices/{id}": row("read", 404),
    "PUT /api/devices/{id}": row("write", json={"name": "Phone"}),
    "DELETE /api/devices/{id}": row("write"),  # the one that was just put
    "POST /api/prompt": row("read", json={"query": "text"}),
    "GET /api/prompt/guidelines": row("read"),
    "GET /api/soul": row("read"),
    "PUT /api/soul": row("write", json={"content": "text"}),
    "GET /api/narrative": row("read"),
    "PUT /api/narrative": row("write", json={"content": "text"}),
    "GET /api/raw": row("read"),
    "PUT /api/raw": row("write", json={"memory": "- city: Cork"}),
    "POST /api/raw/sync": row("write"),
    "GET /api/journal": row("read"),
    "POST /api/journal/{id}/undo": row("write", 404),
    "GET /api/export": row("read"),
    "POST /api/import": row("write", content=b'["text"]'),
    "POST /api/erase": row("write", json={"query": "nothing says this"}),
    "GET /api/audit": row("read"),
    "POST /api/audit/fix": row("write", json={"kinds": []}),
    "GET /api/contexts": row("read"),
    "POST /api/contexts": row("write", 201, json={"name": "text", "content": "text"}),
    "GET /api/contexts/{id}": row("read", 404),
    "PATCH /api/contexts/{id}": row("write", 404, json={"content": "text"}),
    "DELETE /api/contexts/{id}": row("write", 404),
    "GET /api/documents": row("read"),
    "POST /api/documents": row("write", 201, params={"name": "a.md"}, content=b"# A text"),
    "POST /api/documents/search": row("read", json={"query": "text"}),
    "GET /api/documents/uploads/{sha256}": row("write"),
    "PUT /api/documents/uploads/{sha256}": row(
        "write", params={"name": "a.md", "size": 9, "offset": 0}, content=b"abc"
    ),
    "GET /api/documents/{id}": row("read", 404),
    "GET /api/documents/{id}/content": row("read", 404),
    "PUT /api/documents/{id}/content": row("write", 404, content=b"text"),
    "GET /api/documents/{id}/original": row("write", 404),
    "GET /api/documents/{id}/events": row("read", 404),
    "POST /api/documents/{id}/retry": row("write", 404),
    "DELETE /api/documents/{id}": row("write", 404),
    "GET /api/extractions": row("read"),
    "GET /api/upkeep": row("read"),
    "GET /api/upkeep/history": row("read"),
    "POST /api/upkeep/{name}/run": row("write", 404),
    "POST /api/upkeep/extract": row("write"),
    # The gateway: its refusals come before its providers are asked.
    "GET /v1/models": row("key"),
    "GET /v1/models/{id}": row("key", 404),
    "POST /v1/chat/completions": row("key", 400, content=b"{"),
    "POST /v1/completions": row("key", 400, content=b"{"),
    "POST /v1/embeddings": row("key", 400, content=b"{"),
    "POST /v1/messages": row("key", 400, content=b"{"),
    "POST /v1/messages/count_tokens": row("key", 400, content=b"{"),
    "POST /v1/responses": row("key", 400, content=b"{"),
    # Tools for models: what they ask is refused by the protocol, in an answer of its own.
    "POST /mcp": row("key", 400, content=b"{"),
    "GET /.well-known/oauth-protected-resource": row("open"),
}


SURFACES = {
    "/v1": (
        "GET /v1/models",
        "GET /v1/models/{id}",
        "POST /v1/chat/completions",
        "POST /v1/completions",
        "POST /v1/embeddings",
        "POST /v1/messages",
        "POST /v1/messages/count_tokens",
        "POST /v1/responses",
    ),
    "/mcp": ("POST /mcp",),
    "/.well-known/oauth-protected-resource": ("GET /.well-known/oauth-protected-resource",),
}


def routes_of(app: FastAPI) -> set[str]:
    """Every route of an application, whether OpenAPI knows it or not."""
    own = {f"{verb} {path.replace(':path}', '}')}" for verb, path in _walked(app.routes) if verb != "HEAD"}
    assert isinstance(app, RestApi)
    return own.union(*(SURFACES[surface.prefix] for surface in app.surfaces))


def _walked(routes: Sequence[BaseRoute]) -> Iterator[tuple[str, str]]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _walked(included.routes)
        else:
            found: Any = route  # anything else than a plain route has no methods, and fails here
            yield from ((verb, found.path) for verb in found.methods)


def test_every_route_is_in_the_table() -> None:
    app = create_app(Settings.load(environ={}, url=":memory:", server={"studio": False}))
    assert routes_of(app) == set(TABLE), "say in TABLE who may use a new route"
    documented = app.openapi()["paths"]
    known = {f"{verb.upper()} {path}" for path, verbs in documented.items() for verb in verbs}
    assert known <= set(TABLE)
    assert set(SURFACES["/v1"]) <= known


@dataclass(frozen=True)
class Door:
    """A server, a space in it, and the secrets of everyone who may try."""

    server: Running
    space: str
    secrets: dict[str, str | None]


@pytest.fixture
def door(server: Running) -> Door:
    space = new_space()
    revoked = server.call(server.memory.keys.create("revoked", space=space, role=Role.ADMIN))
    server.call(server.memory.keys.revoke(revoked.id))
    secrets = (
        None,
        "bk_unknown",
        revoked.secret,
        server.key(space, Role.READER),
        server.key(new_space(), Role.MEMBER),
        server.key(space, Role.MEMBER),
        server.key(new_space(), Role.ADMIN),
    )
    return Door(server, space, dict(zip(WHO, secrets, strict=True)))


@pytest.mark.parametrize("who", WHO)
def test_each_route_answers_as_the_table_says(door: Door, who: str) -> None:
    wrong = []
    with door.server.client(door.secrets[who]) as client:
        for route, found in TABLE.items():
            expected = ANSWERS[found.kind][WHO.index(who)] or found.ok
            response = ask(client, route, found, door.space)
            if response.status_code != expected:
                wrong.append((route, expected, response.status_code, response.text[:300]))
            if expected in (401, 403) and route.partition(" ")[2].startswith("/api"):
                assert response.headers["content-type"] == "application/problem+json"
    assert not wrong


def ask(client: httpx2.Client, route: str, found: Row, space: str) -> httpx2.Response:
    """Send what a row says, naming the space where a route takes one."""
    verb, path = route.split(" ")
    for mark in ("{id}", "{name}", "{token}"):
        path = path.replace(mark, "absent")
    path = path.replace("{sha256}", "0" * 64)
    named = {"space": space} if found.kind in ("read", "write") else {}
    return client.request(verb, path, **found.send | {"params": named | found.send.get("params", {})})
