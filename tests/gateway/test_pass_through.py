"""With memory off, what goes in comes out: to the byte, in both directions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.gateway.conftest import Place
from tests.gateway.upstream import Answer, chat, chat_stream

PATHS = ["/v1/chat/completions", "/v1/responses", "/v1/messages"]
# Odd spacing, unknown fields, escapes, repeated names, numbers that do not survive a round trip.
ODD = (
    b'{ "model":"m1" ,\n\t"messages":[{"role":"user","content":"I\\u0027m \\ud83d\\ude00 caf\xc3\xa9"}],'
    b'"input":"hi", "x_unknown":{"b":1.10,"a":1e400},"n":1,"n":1, "seed":12345678901234567890 }  '
)


@pytest.mark.parametrize("path", PATHS)
def test_a_request_is_forwarded_to_the_byte(place: Place, path: str) -> None:
    with place.client() as client:
        reply = client.post(path, content=ODD, headers={"content-type": "application/json"})
    assert reply.status_code == 200
    assert place.upstream.last.body == ODD
    assert place.upstream.last.path == path
    assert not [name for name in reply.headers if name.startswith("x-bethink-")]


@pytest.mark.parametrize("path", PATHS)
def test_a_stream_is_returned_to_the_byte(place: Place, path: str) -> None:
    pieces = [b": comment\n\n", b'event: x\ndata: {"odd" : 1}\r\n\r\n', b"data: caf", b"\xc3", b"\xa9\n\n"]
    place.upstream.answer(Answer(pieces, kind="text/event-stream"))
    with place.client() as client, client.stream("POST", path, json={"model": "m1", "stream": True}) as reply:
        assert b"".join(reply.iter_raw()) == b"".join(pieces)
        assert reply.headers["content-type"] == "text/event-stream"


def test_the_kill_switches_leave_a_request_as_it_was(home: Place) -> None:
    """Off by the space, by the key's header, by its parts: each time nothing is woven in or taken in."""
    switched: list[tuple[dict[str, bool], dict[str, str]]] = [
        ({"enabled": False}, {}),
        ({"enabled": True}, {"x-bethink-no-memory": "true"}),
        ({"enabled": True}, {"x-bethink-no-memory": "1"}),
        ({"enabled": True}, {"x-bethink-no-memory": "Yes"}),
        ({"enabled": True, "injection": False, "extraction": False}, {}),
    ]
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    for options, headers in switched:
        home.switch(**options)
        with home.client(**headers) as client:
            client.post("/v1/chat/completions", content=ODD, headers={"content-type": "application/json"})
        assert home.upstream.last.body == ODD
    assert home.sessions() == []


@pytest.mark.parametrize("no", ["false", "0", "no", ""])
def test_only_a_yes_switches_memory_off_for_a_request(home: Place, no: str) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    with home.client(**{"x-bethink-no-memory": no}) as client:
        client.post("/v1/chat/completions", content=ODD)
    assert b"peanuts" in home.upstream.last.body


def test_a_providers_prefix_is_all_that_is_taken_from_a_request(place: Place) -> None:
    body = ODD.replace(b'"m1"', b'"main/some/model"')
    with place.client() as client:
        client.post("/v1/chat/completions", content=body)
    assert place.upstream.last.body == ODD.replace(b'"m1"', b'"some/model"')


def test_errors_and_limits_reach_the_client_as_the_provider_said_them(place: Place) -> None:
    said = b'{"error": {"message": "slow down",  "type": "requests", "code": "rate_limit_exceeded"}}'
    headers = {"x-ratelimit-remaining-requests": "0", "retry-after": "7", "x-request-id": "req-upstream"}
    place.upstream.answer(Answer(said, 429, headers))
    with place.client() as client:
        reply = client.post("/v1/chat/completions", json={"model": "m1", "messages": []})
    assert (reply.status_code, reply.content) == (429, said)
    assert {name: reply.headers[name] for name in headers} == headers


def test_a_compressed_reply_stays_compressed(place: Place) -> None:
    import gzip

    packed = gzip.compress(json.dumps(chat("Hello")).encode())
    place.upstream.answer(Answer(packed, headers={"content-encoding": "gzip"}))
    with place.client(**{"accept-encoding": "gzip"}) as client:
        request = client.build_request("POST", "/v1/chat/completions", json={"model": "m1"})
        reply = client.send(request, stream=True)
        assert b"".join(reply.iter_raw()) == packed
        assert reply.headers["content-encoding"] == "gzip"
    assert place.upstream.last.headers["accept-encoding"] == "gzip"


def test_the_provider_gets_its_own_key_and_nothing_that_is_ours(place: Place) -> None:
    headers = {"x-bethink-session": "s", "cookie": "a=b", "openai-organization": "org", "user-agent": "me"}
    with place.client(**headers) as client:
        client.post("/v1/chat/completions?beta=true", json={"model": "m1"})
    seen = place.upstream.last
    assert seen.path == "/v1/chat/completions?beta=true"
    assert seen.headers["authorization"] == "Bearer sk-upstream"
    assert (seen.headers["openai-organization"], seen.headers["user-agent"]) == ("org", "me")
    assert "cookie" not in seen.headers
    assert place.key not in str(seen.headers)
    assert not [name for name in seen.headers if name.startswith("x-bethink-")]


def test_an_anthropic_provider_gets_its_key_in_its_own_header(place: Place) -> None:
    with place.server.client() as client:
        client.post("/v1/messages", json={"model": "claude-x"}, headers={"x-api-key": place.key})
    headers = place.upstream.last.headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("sk-ant", "2023-06-01")
    assert "authorization" not in headers


def test_a_client_may_bring_its_own_key_for_the_provider(place: Place) -> None:
    headers = {"x-bethink-key": place.key, "authorization": "Bearer sk-mine"}
    with place.server.client() as client:
        client.post("/v1/chat/completions", json={"model": "m1"}, headers=headers)
    assert place.upstream.last.headers["authorization"] == "Bearer sk-mine"
    assert place.key not in str(place.upstream.last.headers)


@pytest.mark.parametrize(
    ("model", "path", "key"),
    [
        ("main/x", "/v1/messages", "Bearer sk-upstream"),
        ("unknown", "/v1/chat/completions", "Bearer sk-upstream"),
        ("meta-llama/llama", "/v1/chat/completions", "Bearer sk-upstream"),
        ("local-model", "/v1/chat/completions", None),
        ("zai/glm", "/v1/chat/completions", None),
    ],
)
def test_the_model_picks_the_provider(place: Place, model: str, path: str, key: str | None) -> None:
    with place.client() as client:
        client.post(path, json={"model": model})
    assert place.upstream.last.headers.get("authorization") == key


def test_unknown_events_and_tool_calls_pass(place: Place) -> None:
    call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    place.upstream.answer(Answer(json.dumps(chat(None, tool_calls=[call])).encode()))
    with place.client() as client:
        reply = client.post("/v1/chat/completions", json={"model": "m1", "tools": [{"x": 1}]})
    assert reply.json()["choices"][0]["message"]["tool_calls"] == [call]


def test_a_stream_arrives_piece_by_piece(place: Place) -> None:
    """The first piece is there before the provider has said the second."""
    import threading

    go_on = threading.Event()

    def pieces() -> Any:
        first, *rest = chat_stream(["one", "two"])
        yield first
        assert go_on.wait(30)
        yield from rest

    place.upstream.script = lambda _: Answer(pieces(), kind="text/event-stream")
    body = {"model": "m1", "stream": True}
    with place.client() as client, client.stream("POST", "/v1/chat/completions", json=body) as reply:
        arriving = reply.iter_raw()
        assert b"one" in next(arriving)
        go_on.set()
        assert b"two" in b"".join(arriving)
