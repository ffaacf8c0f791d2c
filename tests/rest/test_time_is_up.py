"""What has expired, or is over the retention time, comes back by no way of reading."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx2
import pytest

from bethink.clock import now
from bethink.records import Role
from tests.rest.serving import Running

WORD = "walrus"
OLD = timedelta(days=50)
# What goes through everything that is kept, whatever its time.
EVERYTHING = {
    "/api/audit", "/api/export", "/api/extractions", "/api/facts/history", "/api/journal", "/api/messages",
}  # fmt: skip
QUERY: dict[str, Any] = {"query": "who naps in the pool?"}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("/api/search", QUERY),
    ("/api/search", {**QUERY, "layers": ["memory", "message", "fact", "summary", "insight"], "limit": 50}),
    ("/api/search", {"query": "", "strategy": "recent", "limit": 50}),
    ("/api/memory/search", QUERY),
    ("/api/memory/retrieve-preview", QUERY),
    ("/api/messages/search", QUERY),
    ("/api/messages/search", {"query": "", "since": (now() - 2 * OLD).isoformat()}),
    ("/api/documents/search", QUERY),
    ("/api/prompt", QUERY),
    ("/api/settings/vectors/search", QUERY),
]


def ways(client: httpx2.Client) -> list[str]:
    """Every route that lists something without being told what."""
    paths = client.get("/openapi.json").raise_for_status().json()["paths"]
    lists = [path for path, verbs in paths.items() if "get" in verbs and "{" not in path]
    return [path for path in lists if not path.startswith(("/v1", "/api/keys")) and "events" not in path]


def told(client: httpx2.Client) -> dict[str, str]:
    """What every way of reading says."""
    found = {f"POST {path} {asked}": client.post(path, json=asked).text for path, asked in ASKED}
    for path in ways(client):
        found[path] = client.get(path, params={"q": "pool naps"} if path == "/api/memory" else None).text
    return found


@pytest.fixture
def admin(server: Running, space: str) -> Any:
    with server.client(server.key(space, Role.ADMIN)) as client:
        client.put("/api/settings/memory", json={"insights": "rules"}).raise_for_status()
        yield client


def settled(server: Running) -> None:
    server.call(server.memory.settle())


def test_retention_holds_on_every_way_of_reading(server: Running, admin: httpx2.Client) -> None:
    at = (now() - OLD).isoformat()
    admin.post(
        "/api/memory", json={"content": f"The {WORD} naps in the pool.", "observedAt": at}
    ).raise_for_status()
    lines = [f"Decision: the {WORD} naps in pool {n}." for n in "abc"]
    turns = [{"content": line, "sentAt": at, "role": "user"} for line in lines]
    for turn in (
        *turns,
        {"content": f"A {WORD} naps alone.", "sentAt": at, "role": "user", "platform": "mail"},
    ):
        admin.post("/api/sessions/zoo/messages", json={"messages": [{"channel": "zoo", **turn}]})
    settled(server)
    insights = admin.post("/api/upkeep/insights/run").raise_for_status().json()
    assert insights["status"] == "done"
    admin.post("/api/upkeep/tiers/run").raise_for_status()
    settled(server)
    before = told(admin)
    assert sum(WORD in text for path, text in before.items() if path not in EVERYTHING) > 10
    admin.put("/api/settings/memory", json={"retentionDays": 30}).raise_for_status()
    found = {path for path, text in told(admin).items() if WORD in text}
    assert found - EVERYTHING == set()
    layers = admin.get("/api/stats").json()["layers"]
    assert {layer: count["total"] for layer, count in layers.items() if layer != "fact"} == {}
    past = {**QUERY, "asOf": (now() - timedelta(days=40)).isoformat()}
    assert WORD not in admin.post("/api/search", json=past).text, "nor as of a time when it was fresh"


def test_what_is_pinned_or_no_note_outlasts_retention(server: Running, admin: httpx2.Client) -> None:
    at = (now() - OLD).isoformat()
    admin.put("/api/settings/memory", json={"retentionDays": 30}).raise_for_status()
    admin.post(
        "/api/memory", json={"content": f"My {WORD} naps in a pool.", "observedAt": at, "pinned": True}
    )
    turn = {"content": f"Our {WORD} naps too.", "sentAt": at, "role": "user", "pinned": True}
    admin.post("/api/sessions/zoo/messages", json={"messages": [turn]}).raise_for_status()
    admin.put("/api/facts", json={"category": "zoo", "key": "keeper", "value": "Olga"}).raise_for_status()
    settled(server)
    hits = admin.post("/api/search", json={**QUERY, "limit": 9}).json()["hits"]
    assert {hit["text"] for hit in hits} >= {f"My {WORD} naps in a pool.", f"Our {WORD} naps too."}
    assert admin.get("/api/memory").json()["total"] == 1
    assert "Olga" in admin.post("/api/prompt", json=QUERY).text


def test_what_has_expired_is_told_nowhere(server: Running, admin: httpx2.Client) -> None:
    soon = (now() + timedelta(seconds=1)).isoformat()
    admin.post(
        "/api/memory", json={"content": f"The {WORD} naps in the pool.", "expiresAt": soon}
    ).raise_for_status()
    fact = {"category": "zoo", "key": "animal", "value": WORD, "expiresAt": soon}
    admin.put("/api/facts", json=fact).raise_for_status()
    settled(server)
    while now().isoformat() < soon:
        server.call(server.memory.settle())
    found = {path for path, text in told(admin).items() if WORD in text}
    assert found - EVERYTHING == set()
    assert admin.get("/api/stats").json()["layers"] == {}
