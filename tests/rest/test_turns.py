"""So many recalls at once, a few in a queue, the rest sent away; and a client that left costs no model."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import httpx2
import numpy as np
import pytest
from numpy.typing import NDArray

from bethink.errors import Overloaded
from bethink.models.embed import EmbedRole
from bethink.rest.admission import RECALLS, Turns
from bethink.testing import HashEmbedder
from tests.rest.serving import Running, new_space, running
from tests.rest.test_problems import problem


class Held(HashEmbedder):
    """Reads queries only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.queries: list[str] = []

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "query":
            self.queries += texts
            await asyncio.to_thread(self.go_on.wait)
        return await super().embed(texts, role)


def wait_until(server: Running, running: int, waiting: int) -> None:
    async def look() -> None:
        turns = server.app.state.turns
        async with asyncio.timeout(60):
            while (turns.running, turns.waiting) != (running, waiting):  # noqa: ASYNC110  (plain numbers)
                await asyncio.sleep(0.005)

    server.call(look())


async def test_turns_come_in_the_order_of_asking_and_none_is_lost() -> None:
    turns, order, go_on = Turns(2, 3), list[int](), asyncio.Event()

    async def ask(number: int) -> None:
        async with turns.turn():
            order.append(number)
            await go_on.wait()

    tasks = [asyncio.create_task(ask(number)) for number in range(5)]
    await asyncio.sleep(0)
    assert (turns.running, turns.waiting, order) == (2, 3, [0, 1])
    with pytest.raises(Overloaded):
        await ask(5)
    tasks[3].cancel()
    await asyncio.gather(tasks[3], return_exceptions=True)
    assert turns.waiting == 2
    go_on.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 1, 2, 4]
    assert (turns.running, turns.waiting) == (0, 0)


async def test_a_turn_that_comes_as_its_client_leaves_goes_to_the_next() -> None:
    turns = Turns(1, 2)
    first = turns.turn()
    await first.__aenter__()

    async def ask() -> str:
        async with turns.turn():
            return "done"

    leaving, staying = asyncio.create_task(ask()), asyncio.create_task(ask())
    await asyncio.sleep(0)
    await first.__aexit__(None, None, None)  # gives the turn to the one that is about to leave
    leaving.cancel()
    assert await staying == "done"
    await asyncio.gather(leaving, return_exceptions=True)
    assert (turns.running, turns.waiting) == (0, 0)


async def test_whoever_leaves_while_waiting_breaks_nobody_elses_turn() -> None:
    turns, go_on = Turns(2, 60), asyncio.Event()

    async def ask(seconds: float | None) -> str:
        async with asyncio.timeout(seconds), turns.turn():
            await go_on.wait()
            return "done"

    first = [asyncio.create_task(ask(None)) for _ in range(2)]
    late = [asyncio.create_task(ask(0)) for _ in range(20)]
    leaving = [asyncio.create_task(ask(None)) for _ in range(20)]
    staying = [asyncio.create_task(ask(None)) for _ in range(20)]
    await asyncio.sleep(0)
    assert (turns.running, turns.waiting) == (2, 60)
    go_on.set()
    for task in leaving:
        task.cancel()  # after the first were woken, which then pass their turns on to those who left
    outcomes = await asyncio.gather(*first, *late, *leaving, *staying, return_exceptions=True)
    assert outcomes[:2] + outcomes[42:] == ["done"] * 22
    assert {type(outcome) for outcome in outcomes[2:22]} == {TimeoutError}
    assert {type(outcome) for outcome in outcomes[22:42]} == {asyncio.CancelledError}
    assert (turns.running, turns.waiting) == (0, 0)


async def test_a_turn_passes_over_a_place_whose_client_has_just_left() -> None:
    turns = Turns(1, 2)

    async def ask() -> str:
        async with turns.turn():
            return "done"

    async with turns.turn():
        leaving, staying = asyncio.create_task(ask()), asyncio.create_task(ask())
        await asyncio.sleep(0)
        leaving.cancel()
    assert await staying == "done"
    await asyncio.gather(leaving, return_exceptions=True)
    assert leaving.cancelled()
    assert (turns.running, turns.waiting) == (0, 0)


def test_recalls_beyond_the_limit_are_refused_at_once_and_writes_are_not(tmp_path: Path) -> None:
    embedder = Held()
    limits = {"recalls_at_once": 1, "recalls_waiting": 1}
    with running(str(tmp_path / "memory.db"), embedder=embedder, server=limits) as server:
        secret, answers = server.key(new_space()), list[int]()

        def ask() -> None:
            with server.client(secret) as client:
                answers.append(client.post("/api/search", json={"query": "tea"}).status_code)

        with server.client(secret) as client:
            client.post("/api/memory", json={"content": "They like tea"})
            askers = [threading.Thread(target=ask) for _ in range(2)]
            for asker in askers:
                asker.start()
            wait_until(server, 1, 1)
            for path in RECALLS - {"/api/prompt"}:
                response = client.post(path, json={"query": "tea"})
                assert "ask again" in problem(response, 503).detail
                assert response.headers["retry-after"] == "1"
            assert client.get("/api/memory", params={"q": "tea"}).status_code == 503
            assert client.get("/api/memory").status_code == 200
            assert client.post("/api/memory", json={"content": "and coffee"}).status_code == 201
            embedder.go_on.set()
            for asker in askers:
                asker.join()
            assert answers == [200, 200]
            assert client.post("/api/search", json={"query": "tea"}).status_code == 200


def test_the_model_does_not_run_for_a_client_that_left(tmp_path: Path) -> None:
    embedder = Held()
    limits = {"recalls_at_once": 1, "recalls_waiting": 5}
    with running(str(tmp_path / "memory.db"), embedder=embedder, server=limits) as server:
        secret = server.key(new_space())
        with server.client(secret) as client:
            client.post("/api/memory", json={"content": "They like tea"})
            asker = threading.Thread(target=lambda: client.post("/api/search", json={"query": "first"}))
            asker.start()
            wait_until(server, 1, 0)
            leaver = socket.create_connection(("127.0.0.1", server.port))
            body = b'{"query": "nobody waits for this"}'
            head = f"POST /api/search HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {secret}\r\n"
            head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            leaver.sendall(head.encode() + body)
            wait_until(server, 1, 1)
            leaver.close()
            wait_until(server, 1, 0)
            embedder.go_on.set()
            asker.join()
            assert client.post("/api/search", json={"query": "last"}).status_code == 200
    assert "nobody waits for this" not in embedder.queries
    assert "last" in embedder.queries


def test_a_prompt_takes_its_turn_with_the_searches(tmp_path: Path) -> None:
    limits = {"recalls_at_once": 1, "recalls_waiting": 0}
    at = str(tmp_path / "memory.db")
    with running(at, server=limits) as server, server.client(server.key(new_space())) as client:
        client.post("/api/memory", json={"content": "They like tea"})

        async def full() -> httpx2.Response:
            async with server.app.state.turns.turn():
                ask = {"messages": [{"role": "user", "content": "tea?"}]}
                return await asyncio.to_thread(client.post, "/api/prompt", json=ask)

        assert server.call(full()).status_code == 503


def test_every_address_of_a_recall_is_known(sqlite_server: Running) -> None:
    paths = sqlite_server.app.openapi()["paths"]
    assert all("post" in paths[path] for path in RECALLS)
