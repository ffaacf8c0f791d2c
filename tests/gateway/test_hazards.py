"""What goes wrong on the way: clear answers, nothing leaked, nothing lost."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from bethink.errors import Overloaded, StoreError
from bethink.gateway import recalling
from bethink.gateway.recalling import Recalled, recall
from bethink.memory import AsyncSpace
from bethink.records import Role
from bethink.transfer.bounds import MOST_PARTS
from tests.gateway.conftest import Place, on_both_databases
from tests.gateway.upstream import Answer, Asked, Upstream, chat, chat_stream, converse
from tests.opened import WatchedEmbedder
from tests.rest.serving import Running, running
from tests.waiting import PATIENCE_SECONDS, eventually

CHAT = "/v1/chat/completions"
ASKED = {"model": "m1", "messages": [{"role": "user", "content": "Hello"}]}


def body_of(text: str, *, stream: bool = False) -> dict[str, Any]:
    return {"model": "m1", "messages": [{"role": "user", "content": text}], "stream": stream}


@pytest.mark.parametrize(
    ("path", "kind"),
    [(CHAT, "invalid_request_error"), ("/v1/messages", "invalid_request_error")],
)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b'{"a":1}x',
        b'{"a":}',
        b"\xff{}",
        b"[" * 100_000,
        b'{"a"',
        b'{"a":1,',
        b"{1:2}",
    ],
)
def test_a_body_that_is_no_json_is_refused_in_the_clients_words(
    home: Place, path: str, kind: str, body: bytes
) -> None:
    with home.client() as client:
        reply = client.post(path, content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 400
    said = reply.json()
    assert said["error"]["type"] == kind
    assert "not a valid JSON object" in said["error"]["message"]
    assert ("request_id" in said) is (path == "/v1/messages")
    assert home.upstream.asked == []


def test_a_body_that_would_take_far_more_room_in_memory_is_refused(home: Place) -> None:
    body = b'{"model": "m1", "messages": [' + b"[]," * MOST_PARTS + b"1]}"
    with home.client() as client:
        reply = client.post(CHAT, content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 413
    assert "more than 1,000,000" in reply.json()["error"]["message"]
    assert home.upstream.asked == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"model": 5},
        {"model": "m1", "messages": "text"},
        {"model": "m1", "messages": [None, 5, "x"]},
        {"model": "m1", "messages": [{"role": "user"}]},
        {"model": "m1", "messages": [{"role": "user", "content": 5}]},
        {"model": "m1", "messages": [{"role": 5, "content": []}]},
        {"model": "m1", "messages": [{"role": "user", "content": [None, {"type": "text"}, {"text": 5}]}]},
        {"model": "m1", "input": {"a": 1}, "instructions": 5, "system": 5, "metadata": 5, "user": [1]},
        {"model": "m1", "input": [], "messages": [], "system": ""},
    ],
)
@pytest.mark.parametrize("path", [CHAT, "/v1/responses", "/v1/messages"])
def test_an_odd_request_is_the_providers_to_judge(home: Place, path: str, body: dict[str, Any]) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    with home.client() as client:
        reply = client.post(path, json=body)
    assert reply.status_code == 200
    sent = home.upstream.last.json
    assert all(
        sent[name] == value for name, value in body.items() if name not in ("input", "system", "messages")
    )
    home.settle()


@on_both_databases
def test_text_that_no_database_keeps_is_kept_as_far_as_it_can_be(home: Place) -> None:
    said = b'{"model":"m1","messages":[{"role":"user","content":"half \\ud83d and nul \\u0000 end"}]}'
    with home.client(**{"x-bethink-session": "odd"}) as client:
        assert client.post(CHAT, content=said).status_code == 200
    assert b"\\ud83d and nul \\u0000 end" in home.upstream.last.body
    assert home.said("odd")[0] == ("user", "half ? and nul  end")


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("path", [CHAT, "/v1/messages"])
def test_a_body_over_the_limit_is_refused_and_not_read(place: Place, path: str, announced: bool) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 1_000_000

    headers = {"content-length": "100000000"} if announced else {}
    with place.client() as client:
        reply = client.post(path, content=pieces(), headers=headers)
    assert reply.status_code == 413
    assert "gateway.max_body_bytes" in reply.json()["error"]["message"]
    if path == "/v1/messages":
        assert reply.json()["error"]["type"] == "request_too_large"


def test_a_large_picture_passes_with_memory_on(home: Place) -> None:
    url = "data:image/png;base64," + "A" * 4_000_000
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "What is it?"}]
    with home.client() as client:
        reply = client.post(CHAT, json={"model": "m1", "messages": [{"role": "user", "content": parts}]})
    assert reply.status_code == 200
    assert home.upstream.last.json["messages"][-1]["content"] == parts


@pytest.mark.parametrize(
    ("key", "status", "code"), [(None, 401, "invalid_api_key"), ("bk_wrong", 401, "invalid_api_key")]
)
def test_without_a_key_nothing_reaches_the_provider(
    place: Place, key: str | None, status: int, code: str
) -> None:
    with place.server.client(key) as client:
        reply = client.post(CHAT, json=ASKED)
        listed = client.get("/v1/models")
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert listed.status_code == 401
    assert place.upstream.asked == []


def test_a_member_cannot_reach_into_another_space(place: Place) -> None:
    with place.client(**{"x-bethink-space": "other"}) as client:
        reply = client.post(CHAT, json=ASKED)
    assert reply.status_code == 403
    assert place.upstream.asked == []


def test_an_admin_names_the_space(home: Place) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    with home.server.client(home.server.key("elsewhere", Role.ADMIN)) as client:
        client.post(CHAT, json=ASKED, headers={"x-bethink-space": home.space.name})
    assert "peanuts" in str(home.upstream.last.json)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", CHAT, 405), ("POST", "/v1/models", 405), ("POST", "/v1/files", 404), ("GET", "/v1/", 404)],
)
def test_other_addresses_are_not_forwarded(place: Place, method: str, path: str, status: int) -> None:
    with place.client() as client:
        reply = client.request(method, path)
    assert (reply.status_code, reply.json()["error"]["type"]) == (status, "invalid_request_error")
    assert place.upstream.asked == []


def test_a_connection_lost_before_the_first_byte_is_tried_once_more(home: Place) -> None:
    answers = iter([None])
    home.upstream.script = lambda asked: next(answers, converse(asked))
    with home.client() as client:
        reply = client.post(CHAT, json=ASKED)
    assert reply.status_code == 200
    assert len(home.upstream.asked) == 2
    assert home.upstream.asked[0].body == home.upstream.asked[1].body
    home.upstream.answer(None)
    with home.client() as client:
        reply = client.post(CHAT, json=ASKED)
    assert reply.status_code == 502
    assert len(home.upstream.asked) == 4
    assert "'main' cannot be reached" in reply.json()["error"]["message"]


def test_a_refusal_is_not_tried_again(home: Place) -> None:
    home.upstream.answer(Answer(b"{}", 503))
    with home.client() as client:
        assert client.post(CHAT, json=ASKED).status_code == 503
    assert len(home.upstream.asked) == 1


@pytest.fixture
def alone(upstream: Upstream, tmp_path: Path) -> Iterator[tuple[Running, WatchedEmbedder]]:
    """A server of its own, with an embedder that can be watched."""
    embedder = WatchedEmbedder()
    gateway = {"base_url": upstream.url, "recall_seconds": 30}
    with running(str(tmp_path / "memory.db"), embedder=embedder, gateway=gateway) as server:
        yield server, embedder


def place_in(server: Running, upstream: Upstream, name: str = "home") -> Place:
    place = Place(server, upstream, server.memory.space(name), server.key(name))
    place.switch(enabled=True)
    return place


def test_recall_that_is_too_slow_is_left_out_and_said(
    alone: tuple[Running, WatchedEmbedder],
    upstream: Upstream,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = place_in(alone[0], upstream)

    async def impatient(
        space: AsyncSpace, asked: recalling.Asked, _seconds: float, turn: AbstractAsyncContextManager[None]
    ) -> Recalled:
        return await recall(space, asked, 0.05, turn)

    async def slow(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("bethink.gateway.exchange.recall", impatient)
    monkeypatch.setattr("bethink.memory.build_prompt", slow)
    with place.client() as client, caplog.at_level(logging.WARNING):
        reply = client.post(CHAT, json=ASKED)
    assert reply.status_code == 200
    assert reply.headers["x-bethink-degraded"] == "recall took longer than 50 ms"
    assert "recall took longer than 50 ms" in caplog.text
    assert "Hello" not in caplog.text
    assert upstream.last.json == ASKED
    assert place.said(reply.headers["x-bethink-session"])[0] == ("user", "Hello")


@pytest.fixture
def soulful(alone: tuple[Running, WatchedEmbedder], upstream: Upstream) -> Place:
    """A space with a soul, a fact and a memory."""
    place = place_in(alone[0], upstream)
    place.server.call(place.space.texts.set_soul("You are Bo, a calm otter."))
    place.server.call(place.space.facts.set("food", "allergy", "peanuts"))
    place.server.call(place.space.remember("The snack is in the drawer"))
    return place


async def never(*_: Any, **__: Any) -> None:
    await asyncio.Event().wait()


async def refused(*_: Any, **__: Any) -> None:
    raise StoreError("The index is away.")


@asynccontextmanager
async def no_turn() -> AsyncIterator[None]:
    await asyncio.Event().wait()
    yield


@asynccontextmanager
async def shed() -> AsyncIterator[None]:
    raise Overloaded
    yield


@pytest.mark.parametrize(
    ("recall_for", "turn", "told"),
    [
        (never, None, "without recalled memories: recall took longer than"),
        (refused, None, "without recalled memories: recall failed: The index is away."),
        (None, no_turn, "no turn to recall came within 200 ms"),
        (None, shed, "recalls as much as its processors can"),
    ],
)
def test_without_recall_what_stands_in_every_prompt_goes_out(
    soulful: Place, monkeypatch: pytest.MonkeyPatch, recall_for: Any, turn: Any, told: str
) -> None:
    monkeypatch.setattr(soulful.server.gateway._exchanges, "_seconds", 0.2)
    if recall_for:
        monkeypatch.setattr("bethink.prompt.build.recall_for", recall_for)
    if turn:
        monkeypatch.setattr(soulful.server.gateway._exchanges, "turn", turn)
    with soulful.client() as client:
        reply = client.post(CHAT, json=body_of("Which snack?"))
    sent = str(soulful.upstream.last.json)
    assert "calm otter" in sent
    assert "peanuts" in sent
    assert "drawer" not in sent
    assert told in reply.headers["x-bethink-degraded"]
    assert (reply.headers["x-bethink-memories"], reply.headers["x-bethink-facts"]) == ("0", "1")


def test_recall_that_breaks_is_left_out_and_said(
    alone: tuple[Running, WatchedEmbedder], upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_in(alone[0], upstream)

    async def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("bethink.memory.build_prompt", broken)
    with place.client() as client:
        reply = client.post(CHAT, json=ASKED)
    assert reply.status_code == 200
    assert "recall failed" in reply.headers["x-bethink-degraded"]
    assert upstream.last.json == ASKED


def test_with_the_embedder_down_memory_goes_by_words_and_says_so(
    alone: tuple[Running, WatchedEmbedder], upstream: Upstream
) -> None:
    server, embedder = alone
    place = place_in(server, upstream)
    server.call(place.space.facts.set("food", "allergy", "peanuts"))
    for number in range(8):
        server.call(place.space.remember(f"The boat number {number} is red"))
    server.call(server.memory.settle())
    embedder.down = True
    with place.client() as client:
        reply = client.post(CHAT, json=body_of("Which boat is red, number 5?"))
    assert "number 5 is red" in str(upstream.last.json)
    assert "embedding source is down" in reply.headers["x-bethink-degraded"]


def test_a_provider_that_says_nothing_is_given_up(upstream: Upstream, tmp_path: Path) -> None:
    gateway, wait = {"base_url": upstream.url, "silence_seconds": 0.5}, threading.Event()
    upstream.answer(Answer(b"{}", before=lambda: wait.wait(PATIENCE_SECONDS)))
    with running(str(tmp_path / "memory.db"), gateway=gateway) as server:
        with place_in(server, upstream).client() as client:
            reply = client.post(CHAT, json=ASKED)
        eventually(lambda: upstream.asked)
        wait.set()
    assert (reply.status_code, reply.json()["error"]["code"]) == (504, "provider_timeout")
    assert len(upstream.asked) == 1


def test_a_provider_that_is_not_there_is_named(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        with (
            running(str(tmp_path / "m.db"), gateway={"base_url": address}) as server,
            server.client(server.key("home")) as client,
        ):
            reply = client.post("/v1/messages", json=ASKED)
            listed = client.get("/v1/models")
    assert reply.status_code == 502
    assert reply.json()["error"]["type"] == "api_error"
    assert "gateway's settings" in reply.json()["error"]["message"]
    assert listed.headers["x-bethink-degraded"] == "no list from default"


def endless(asked: Asked) -> Answer:
    """A stream that goes on for as long as it is listened to."""
    del asked

    def pieces() -> Iterator[bytes]:
        first, *_ = chat_stream(["x" * 10_000])
        for _ in range(100_000):
            yield first

    return Answer(pieces(), kind="text/event-stream")


@pytest.mark.parametrize("memory", [True, False])
def test_a_client_that_leaves_ends_its_providers_work(place: Place, memory: bool) -> None:
    place.switch(enabled=memory)
    place.upstream.script = endless
    body = body_of("Tell a long story", stream=True)
    with (
        place.client(**{"x-bethink-session": "story"}) as client,
        client.stream("POST", CHAT, json=body) as reply,
    ):
        next(reply.iter_raw())
    assert place.upstream.gone.wait(PATIENCE_SECONDS)
    said = place.said("story")
    assert [role for role, _ in said] == (["user", "assistant"] if memory else [])


def test_a_client_that_leaves_while_the_provider_is_silent_ends_its_work(place: Place) -> None:
    quiet = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b": one\n\n"
        quiet.wait(PATIENCE_SECONDS)
        for _ in range(10_000):
            yield b": more\n\n" * 1000

    place.upstream.script = lambda _: Answer(pieces(), kind="text/event-stream")
    with place.client() as client, client.stream("POST", CHAT, json=ASKED) as reply:
        next(reply.iter_raw())
    time.sleep(0.2)  # the gateway notices by itself; the provider only when it writes
    quiet.set()
    assert place.upstream.gone.wait(PATIENCE_SECONDS)


def test_a_slow_client_slows_its_provider(place: Place) -> None:
    """What the client does not read is not piled up in the gateway."""
    place.upstream.script = endless
    with socket.create_connection(("127.0.0.1", place.server.port)) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = json.dumps(body_of("Tell a long story", stream=True)).encode()
        head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {place.key}\r\n"
        raw.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        raw.recv(100)
        seen = -1
        while seen <= 0 or seen != place.upstream.sent_bytes:  # until it has come to a stop
            seen = place.upstream.sent_bytes
            time.sleep(0.3)
    assert 0 < seen < 30_000_000
    assert place.upstream.gone.wait(PATIENCE_SECONDS)


def test_a_stream_that_breaks_off_is_seen_to_break_off(place: Place) -> None:
    place.upstream.answer(Answer([b"data: {}\n\n"], kind="text/event-stream", cut=True))
    with place.client() as client, pytest.raises(httpx2.RemoteProtocolError):
        client.post(CHAT, json=ASKED)


def test_what_was_said_is_stored_before_the_server_stops(upstream: Upstream, tmp_path: Path) -> None:
    url = str(tmp_path / "memory.db")
    with running(url, gateway={"base_url": upstream.url}) as server:
        place = place_in(server, upstream)
        with place.client(**{"x-bethink-session": "last"}) as client:
            assert client.post(CHAT, json=ASKED).status_code == 200
    with running(url) as server:
        found = server.call(server.memory.space("home").messages.of("last"))
        assert [message.content for message in found] == ["Hello", "Hello there."]


def test_a_database_that_is_busy_for_a_moment_loses_nothing(
    home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bethink.conversations import follow
    from bethink.errors import StoreError

    real, failures = follow.follow, iter([StoreError("The database is locked.")] * 2)

    def flaky(*args: Any, **kwargs: Any) -> Any:
        if failure := next(failures, None):
            raise failure
        return real(*args, **kwargs)

    monkeypatch.setattr("bethink.gateway.recalling.PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(follow, "follow", flaky)
    with home.client(**{"x-bethink-session": "busy"}) as client:
        client.post(CHAT, json=ASKED)
    assert len(home.said("busy")) == 2


def test_the_gateway_can_be_closed(tmp_path: Path) -> None:
    with (
        running(str(tmp_path / "m.db"), gateway={"enabled": False}) as server,
        server.client(server.key("home")) as client,
    ):
        assert client.post(CHAT, json=ASKED).status_code == 404


def test_the_kill_switch_of_prompts_switches_the_gateways_memory_off(
    upstream: Upstream, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"gateway": {"base_url": upstream.url}, "prompt": {"enabled": False}}
    with running(str(tmp_path / "m.db"), **settings) as server:
        place = place_in(server, upstream)
        server.call(place.space.facts.set("food", "allergy", "peanuts"))
        raw = b'{ "model":"m1","messages":[{"role":"user","content":"Hello"}] }'
        with place.client() as client:
            client.post(CHAT, content=raw)
        assert upstream.last.body == raw
        assert place.sessions() == []


def test_a_key_that_asks_too_often_is_told_when_to_ask_again(upstream: Upstream, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "gateway": {"base_url": upstream.url},
        "server": {"requests_per_minute": 1, "request_burst": 1},
    }
    with running(str(tmp_path / "m.db"), **settings) as server, server.client(server.key("home")) as client:
        assert client.post(CHAT, json=ASKED).status_code == 200
        reply = client.post(CHAT, json=ASKED)
    assert (reply.status_code, reply.json()["error"]["code"]) == (429, "rate_limit_exceeded")
    assert int(reply.headers["retry-after"]) > 0


def test_a_reply_without_words_or_sense_harms_nothing(home: Place) -> None:
    values: list[Any] = [{}, {"choices": 5}, {"choices": []}, {"choices": [None]}, chat(None)]
    odd = [b"", b"not json", b"[]", b"5", *(json.dumps(value).encode() for value in values)]
    for number, body in enumerate(odd):
        home.upstream.answer(Answer(body))
        with home.client(**{"x-bethink-session": f"odd-{number}"}) as client:
            reply = client.post(CHAT, json=ASKED)
        assert reply.content == body
        assert home.said(f"odd-{number}") == [("user", "Hello")]


def test_a_session_that_is_found_too_late_is_stored_all_the_same(
    alone: tuple[Running, WatchedEmbedder], upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bethink.conversations import follow

    place, real, first = place_in(alone[0], upstream), follow.locate, threading.Event()
    place.server.gateway._exchanges._seconds = 0.05

    def slow(*args: Any) -> str:
        if not first.is_set():
            first.set()
            time.sleep(0.3)
        return real(*args)

    with place.client() as client:
        client.post(CHAT, json=ASKED)
        [session] = place.sessions()
        monkeypatch.setattr(follow, "locate", slow)
        turns = [*ASKED["messages"], {"role": "assistant", "content": "Hello there."}]
        reply = client.post(
            CHAT, json=ASKED | {"messages": [*turns, {"role": "user", "content": "And then?"}]}
        )
    assert reply.status_code == 200
    assert "x-bethink-session" not in reply.headers
    assert place.sessions() == [session]
    answer = ("assistant", "Hello there.")
    assert place.said(session) == [("user", "Hello"), answer, ("user", "And then?"), answer]


def _requests_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [vars(record) for record in caplog.records if record.name == "bethink.requests"]


def test_the_log_and_the_numbers_tell_the_addresses_apart(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), place.client() as client:
        client.post(CHAT, json=ASKED)
        client.get("/v1/models/a-secret-name")
        client.get("/v1/files")
        eventually(lambda: len(_requests_of(caplog)) == 3)  # a line is written once its answer is sent
        seen = _requests_of(caplog)
    routes = [(line["route"], line["key"]) for line in seen]
    hint = f"…{place.key[-4:]}"
    assert routes == [(CHAT, hint), ("/v1/models/{id}", hint), ("/v1", hint)]
    metrics = place.server.app.state.observer.metrics
    assert f'route="{CHAT}"' in place.server.call(metrics.text(place.server.memory)).decode()


def test_a_client_that_leaves_unanswered_is_no_failure(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    asked, answer = threading.Event(), threading.Event()

    def silent(_: Asked) -> Answer:
        asked.set()
        answer.wait(PATIENCE_SECONDS)
        return Answer(b"{}")

    place.upstream.script = silent
    body = json.dumps(ASKED).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {place.key}\r\n"
    with (
        caplog.at_level(logging.INFO),
        socket.create_connection(("127.0.0.1", place.server.port), timeout=30) as raw,
    ):
        raw.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        assert asked.wait(PATIENCE_SECONDS)
        raw.close()
        seen = eventually(lambda: _requests_of(caplog))
    answer.set()
    assert [line["status"] for line in seen] == [499]
