from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from bethink.errors import BethinkError, StoreError
from bethink.memory import AsyncSpace
from bethink.records import Role
from bethink.rest.problems import Problem
from tests.rest.serving import Running, new_space


def problem(response: httpx2.Response, status: int) -> Problem:
    """The problem of a response, which must have the whole form of one."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = Problem.model_validate(response.json())
    assert found.status == status
    assert found.request_id == response.headers["x-request-id"]
    return found


def post(client: httpx2.Client, body: str | bytes, path: str = "/api/memory") -> httpx2.Response:
    return client.post(path, content=body, headers={"content-type": "application/json"})


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer bk_unknown"},
        {"authorization": "Bearer"},
        {"authorization": "Basic cms6eA=="},
        {"x-api-key": "bk_unknown"},
        {"x-api-key": ""},
        {"x-api-key": "ключ".encode()},
    ],
)
def test_without_a_valid_key_the_answer_is_401(sqlite_server: Running, headers: Any) -> None:
    with sqlite_server.client() as client:
        response = client.get("/api/memory", headers=headers)
    problem(response, 401)
    assert response.headers["www-authenticate"].startswith("Bearer")


def test_a_key_works_in_either_header(sqlite_server: Running) -> None:
    secret = sqlite_server.key(new_space())
    with sqlite_server.client() as client:
        for headers in ({"authorization": f"bearer {secret}"}, {"x-api-key": secret}):
            assert client.get("/api/memory", headers=headers).status_code == 200


def test_who_asks_is_settled_before_the_body_is_read(sqlite_server: Running) -> None:
    with sqlite_server.client() as client:
        problem(post(client, "{not json"), 401)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"content": }',
        b'{"content": "x"} trailing',
        b'{"content": NaN}',
        b'{"content": Infinity}',
        b'{"content": "half \\ud83d a pair"}',
        b'{"content": "\\udc00"}',
        b'{"\\ud800": 1}',
        b'{"content": "\xff"}',
        b'{"content": "x", "confidence": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"content": "x", "metadata": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
    ],
)
def test_what_is_not_json_is_malformed(member: httpx2.Client, body: bytes) -> None:
    assert "JSON" in problem(post(member, body), 400).detail


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("null", "body"),
        ("[]", "body"),
        ('"text"', "body"),
        ("{}", "content"),
        ('{"content": ""}', "content"),
        ('{"content": null}', "content"),
        ('{"content": 7}', "content"),
        ('{"content": "a\\u0000b"}', "content"),
        ('{"content": "x", "title": "a\\u0000b"}', "title"),
        ('{"content": "x", "tags": ["fine", "a\\u0000b"]}', "tags.1"),
        ('{"content": "x", "metadata": {"a\\u0000b": 1}}', "metadata"),
        ('{"content": "x", "metadata": {"a": ["b", "\\u0000"]}}', "metadata"),
        ('{"content": "x", "metadata": {"a": 1e999}}', "metadata"),
        ('{"content": "x", "metadata": {"a": ' + "9" * 400 + "}}", "metadata"),
        ('{"content": "x", "metadata": ' + '{"a":' * 60 + "1" + "}" * 61, "metadata"),
        ('{"content": "x", "metadata": {"a": "' + "b" * 200_001 + '"}}', "metadata"),
        ('{"content": "x", "confidence": 101}', "confidence"),
        ('{"content": "x", "confidence": 1e400}', "confidence"),
        ('{"content": "x", "type": "odd"}', "type"),
        ('{"content": "x", "pinned": "perhaps"}', "pinned"),
        ('{"content": "x", "observedAt": "yesterday"}', "observedAt"),
        ('{"content": "x", "observedAt": "0001-01-01T00:00:00+14:00"}', "observedAt"),
        ('{"content": "x", "observedAt": 1e300}', "observedAt"),
        ('{"content": "x", "key": "' + "k" * 501 + '"}', "key"),
        ('{"content": "x", "contents": "y"}', "contents"),
        ('{"content": "x", "' + "n" * 100_000 + '": 1}', "n" * 200),
    ],
)
def test_a_mistake_is_named_by_its_field(member: httpx2.Client, body: str, field: str) -> None:
    found = problem(post(member, body), 422)
    assert found.field == field
    assert found.errors
    assert found.errors[0].field == field
    assert found.errors[0].message
    assert member.get("/api/memory").json()["total"] == 0


def test_every_mistake_is_listed_up_to_a_length(member: httpx2.Client) -> None:
    found = problem(post(member, '{"confidence": -1, "pinned": 3}'), 422)
    assert {error.field for error in found.errors or []} == {"content", "confidence", "pinned"}
    messages = {"messages": [{"content": 1}] * 1000}
    found = problem(member.post("/api/sessions/s/messages", json=messages), 422)
    assert len(found.errors or []) == 50


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/memory/a%00b", "id"),
        ("/api/memory/" + "x" * 501, "id"),
        ("/api/memory?limit=0", "limit"),
        ("/api/memory?limit=1001", "limit"),
        ("/api/memory?limit=ten", "limit"),
        ("/api/memory?page=0", "page"),
        ("/api/memory?offset=-1", "offset"),
        ("/api/memory?offset=99999999999999999999", "offset"),
        ("/api/memory?page=99999999999999999999", "page"),
        ("/api/memory?tag=%00", "tag.0"),
        ("/api/memory?tag=", "tag.0"),
        ("/api/memory?q=%00", "q"),
        ("/api/memory?q=", "q"),
        ("/api/memory?type=odd", "type.0"),
        ("/api/memory?since=soon", "since"),
        ("/api/memory?pinned=perhaps", "pinned"),
        ("/api/memory?space=", "space"),
        ("/api/sessions/a%00b/messages", "id"),
        ("/api/sessions/a/messages?after=99999999999999999999", "after"),
        ("/api/facts?category=%00", "category"),
        ("/api/facts/current?category=a&key=%00", "key"),
    ],
)
def test_a_mistake_in_the_address_is_named_too(member: httpx2.Client, path: str, field: str) -> None:
    assert problem(member.get(path), 422).field == field


def test_each_route_knows_the_parameters_that_are_documented(sqlite_server: Running) -> None:
    with sqlite_server.client(sqlite_server.key(new_space(), Role.ADMIN)) as client:
        paths = client.get("/openapi.json").json()["paths"]
        routes = [(path, verb) for path in paths if path.startswith("/api/") for verb in paths[path]]
        for route, verb in routes:
            told = problem(client.request(verb, route, params={"_": "1"}), 422).detail
            documented = paths[route][verb].get("parameters", [])
            names = ", ".join(item["name"] for item in documented if item["in"] == "query")
            known = f"known are {names}." if names else "this route takes none."
            assert told == f"There is no parameter '_' here; {known}"


def test_a_misspelt_parameter_is_not_ignored(member: httpx2.Client) -> None:
    found = problem(member.get("/api/memory", params={"sesionId": "s"}), 422)
    assert found.field == "sesionId"
    assert "sessionId" in found.detail
    problem(member.get("/api/stats", params={"tag": "x"}), 422)


def test_what_is_not_text_in_an_address_does_no_harm(member: httpx2.Client) -> None:
    problem(member.get("/api/memory/%ff%fe"), 404)
    assert member.get("/api/memory?tag=%ff").status_code == 200
    assert member.get("/api/memory?q=%ed%a0%80").status_code == 200


def test_other_kinds_of_body_are_refused(member: httpx2.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/octet-stream", ""):
        response = member.post("/api/memory", content=b'{"content": "x"}', headers={"content-type": kind})
        assert "application/json" in problem(response, 415).detail
    for kind in ("application/json; charset=utf-8", "application/merge-patch+json", "APPLICATION/JSON"):
        response = member.post("/api/memory", content=b'{"content": "x"}', headers={"content-type": kind})
        assert response.status_code < 300


def test_no_such_route_and_no_such_method(member: httpx2.Client) -> None:
    assert "/docs" in problem(member.get("/api/nothing"), 404).detail
    assert problem(member.get("/api/memory/"), 422).detail == "id: must not be empty."
    problem(member.get("/api/memory/00000000-0000-0000-0000-000000000000"), 404)
    response = member.request("PATCH", "/api/memory")
    problem(response, 405)
    assert response.headers["allow"] == "DELETE, GET, POST"
    response = member.post("/api/memory/some-id", json={})
    problem(response, 405)
    assert response.headers["allow"] == "DELETE, GET, PATCH, PUT"
    problem(member.request("OPTIONS", "/api/memory"), 405)


def test_too_many_messages_at_once_are_too_large(member: httpx2.Client) -> None:
    response = member.post("/api/sessions/s/messages", json={"messages": [{"content": "x"}] * 10_001})
    problem(response, 413)


def test_a_defect_tells_nothing_but_where_to_look(
    member: httpx2.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(AsyncSpace, "get", fail)
    response = member.get("/api/memory/x")
    found = problem(response, 500)
    assert "secret" not in response.text
    assert found.request_id in caplog.text
    assert "a secret of the inside" in caplog.text


@pytest.mark.parametrize("error", [StoreError("no disk at /var/private"), BethinkError("at /var/private")])
def test_a_failing_store_tells_the_log_and_not_the_client(
    member: httpx2.Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: BethinkError,
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(AsyncSpace, "get", fail)
    response = member.get("/api/memory/x")
    found = problem(response, 503 if isinstance(error, StoreError) else 500)
    assert "/var/private" not in response.text
    assert found.request_id in caplog.text
    assert "/var/private" in caplog.text


def test_a_reader_may_not_write(sqlite_server: Running) -> None:
    with sqlite_server.client(sqlite_server.key(new_space(), Role.READER)) as client:
        found = problem(client.post("/api/memory", json={"content": "x"}), 403)
    assert "reader" in found.detail


def test_the_type_names_the_kind_of_problem(member: httpx2.Client) -> None:
    types = {
        json.loads(response.text)["type"]
        for response in (member.get("/api/memory/x"), member.get("/api/x"), post(member, "{"))
    }
    assert types == {"urn:bethink:problem:not-found", "urn:bethink:problem:malformed"}
