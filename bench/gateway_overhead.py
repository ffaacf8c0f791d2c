"""python -m bench.gateway_overhead: what the gateway adds to a request, and whether it holds many streams.

A provider that answers at once, the server and the client are three processes. The same request is sent to
the provider directly, through a bare proxy made of the same libraries (the least that any such hop costs
here), through the gateway with memory off, and through it with memory on over 10,000 memories and the local
embedding model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from bench import corpus
from bench.corpus import KnownVectors
from bench.databases import new_database
from bench.report import p50_p95, percentile, table, write_json
from bethink import AsyncBethink, Settings
from bethink.models.embed.local import open_local
from bethink.serve.app import create_app, listen
from bethink.settings import Tier
from bethink.settings.sections import ServerSettings
from bethink.shapes.inputs import MemoryDraft

AT_ONCE = 1000
REPLY = json.dumps(
    {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        ],
    }
).encode()
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
EVENTS, EVENT_SECONDS = 200, 0.01


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.gateway_overhead", description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=300, help="of each kind (default: 300)")
    parser.add_argument("--streams", type=int, default=64, help="held at the same time (default: 64)")
    parser.add_argument("--rounds", type=int, default=5, help="of streams (default: 5)")
    parser.add_argument("--tier", choices=("fast", "balanced"), default="fast", help="of the recalls")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    given = parser.parse_args(arguments)
    with new_database(None) as url, _process(_provide) as upstream, _process(_proxy, upstream) as proxy:
        keys, queries = asyncio.run(_prepare(url, given.memories, given.requests, given.tier))
        with _process(_serve, url, upstream, given.tier) as server:
            rows = _overheads(upstream, proxy, server, keys, queries)
            print(table(rows))
            held = asyncio.run(_streams(server, keys["on"], given.streams, given.rounds))
    print(table([held]))
    write_json(given.json, {"overhead": rows, "streams": held})


# What is measured


def _overheads(
    upstream: Address, proxy: Address, server: Address, keys: dict[str, str], queries: Sequence[str]
) -> list[dict[str, Any]]:
    direct = Client(upstream).ask
    plain: dict[str, Callable[[str], float]] = {
        "bare proxy": Client(proxy).ask,
        "memory off": Client(server, keys["off"]).ask,
    }
    # With memory on the server goes on working after the reply, which must not count for the others.
    seconds = _by_turns({"direct": direct, **plain}, queries, pause=0.0)
    seconds |= _by_turns({"recall only": Client(server, keys["recall"]).ask}, queries, pause=0.05)
    seconds |= _by_turns({"memory on": Client(server, keys["on"]).ask}, queries, pause=0.1)
    rows = []
    for name, taken in seconds.items():
        row: dict[str, Any] = {"way": name} | p50_p95("took", taken)
        for other in ("direct", "memory off"):
            row |= {
                f"over {other} p{percent}": round(
                    1000 * (percentile(taken, percent) - percentile(seconds[other], percent)), 2
                )
                for percent in (50, 95)
            }
        row |= {"ratio to bare proxy": percentile(taken, 50) / percentile(seconds["bare proxy"], 50)}
        rows.append(row)
    return rows


def _by_turns(
    ways: dict[str, Callable[[str], float]], queries: Sequence[str], pause: float
) -> dict[str, list[float]]:
    """How long each query took each way, after some that do not count."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number, query in enumerate([*queries[:20], *queries]):
        for name, ask in ways.items():
            one = ask(f"{query} {number}{name[0]}")  # so that no query's vector is known from before
            if number >= 20:
                seconds[name].append(one)
            time.sleep(pause)  # people pause too; what was said is stored meanwhile
    return seconds


async def _streams(server: Address, key: str, count: int, rounds: int) -> dict[str, Any]:
    """Hold so many streams at once, several times; whether each came whole, and what memory it took."""
    resident, errors, seconds = [], 0, []
    for number in range(rounds):
        texts = [f"Round {number}, stream {each}: tell a story." for each in range(count)]
        started = time.perf_counter()
        whole = await asyncio.gather(*(_stream(server, key, text) for text in texts))
        seconds.append(time.perf_counter() - started)
        errors += whole.count(False)
        await asyncio.sleep(1)
        resident.append(_resident_mb(server[1]))
    return {
        "streams": count * rounds,
        "at once": count,
        "errors": errors,
        "seconds each round": round(sum(seconds) / rounds, 2),
        "least possible": EVENTS * EVENT_SECONDS,
        "MB after each round": " ".join(f"{size:.0f}" for size in resident),
    }


async def _stream(server: Address, key: str, text: str) -> bool:
    reader, writer = await asyncio.open_connection("127.0.0.1", server[0])
    writer.write(_request(text, key, stream=True))
    head = await reader.readuntil(b"\r\n\r\n")
    body = b""
    while not body.endswith(b"0\r\n\r\n"):
        if not (more := await reader.read(65536)):
            return False
        body += more
    writer.close()
    return b" 200 " in head and body.count(EVENT) == EVENTS


Address = tuple[int, int]  # a port and the process that listens there


class Client:
    """Sends one request after the other over one connection, and does nothing else."""

    def __init__(self, to: Address, key: str = "none") -> None:
        self._socket = socket.create_connection(("127.0.0.1", to[0]))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._key = key

    def ask(self, text: str) -> float:
        """How long the reply to this takes."""
        request = _request(text, self._key)
        started = time.perf_counter()
        self._socket.sendall(request)
        data = b""
        while not (data.endswith((REPLY, b"0\r\n\r\n"))):
            more = self._socket.recv(65536)
            if not more:
                raise ConnectionError(data.decode("utf-8", "replace"))
            data += more
        taken = time.perf_counter() - started
        if not data.startswith(b"HTTP/1.1 200"):
            raise ConnectionError(data.decode("utf-8", "replace"))
        return taken


def _request(text: str, key: str, *, stream: bool = False) -> bytes:
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    body = json.dumps({"model": "m", "messages": said, "stream": stream}).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}authorization: Bearer {key}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def _resident_mb(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


# What is measured with


@contextmanager
def _process(work: Callable[..., None], *arguments: Any) -> Iterator[Address]:
    """A process that does some work; its port and its id, once it listens."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=work, args=(theirs, *arguments), daemon=True
    )
    process.start()
    try:
        yield ours.recv(), process.pid or os.getpid()
    finally:
        process.terminate()
        process.join()


async def _prepare(url: str, memories: int, requests: int, tier: Tier) -> tuple[dict[str, str], list[str]]:
    """Three spaces with the same memories and a key each, and queries of which none is asked twice."""
    settings = Settings.load(recall={"tier": tier}, url=url)
    model = await open_local(settings)
    text = await corpus.load(model, memories, requests)
    known = KnownVectors(model, dict(zip(text.texts, text.vectors, strict=True)))
    keys = {}
    switched = {"off": {"enabled": False}, "recall": {"extraction": False}, "on": {}}
    async with AsyncBethink(url, settings=settings, embedder=known) as memory:
        for name, options in switched.items():
            space = memory.space(name)
            for start in range(0, memories, AT_ONCE):
                part = text.texts[start : start + AT_ONCE]
                await space.remember_many([MemoryDraft(content=line) for line in part])
            await space.options.update(**{"enabled": True, **options})  # type: ignore[arg-type]
            keys[name] = (await memory.keys.create("bench", space=name)).secret
        await memory.settle()
    await model.close()
    print(f"stored {memories:,} memories in each of {len(keys)} spaces", file=sys.stderr)
    return keys, list(text.queries)


def _serve(ready: Connection, url: str, upstream: Address, tier: Tier) -> None:
    settings = Settings.load(
        recall={"tier": tier},
        url=url,
        gateway={"base_url": f"http://127.0.0.1:{upstream[0]}/v1", "recall_seconds": 5},
        files={"enabled": False},
    )
    _run(create_app(settings), ready)


def _proxy(ready: Connection, upstream: Address) -> None:
    """The least of a proxy: no key, no memory, no check."""
    client = httpx2.AsyncClient(timeout=None)
    url = f"http://127.0.0.1:{upstream[0]}/v1/chat/completions"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = (await receive())["body"]
        async with client.stream("POST", url, content=body) as reply:
            await send({"type": "http.response.start", "status": 200, "headers": reply.headers.raw})
            async for chunk in reply.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    _run(app, ready, lifespan="off")


def _run(app: Any, ready: Connection, lifespan: Any = "on") -> None:
    with listen(ServerSettings(port=0)) as listener:
        config = uvicorn.Config(app, http="h11", ws="none", lifespan=lifespan, log_level="error")
        server = uvicorn.Server(config)

        async def serve() -> None:
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            await asyncio.sleep(5)  # until it has started and warmed up
            ready.send(listener.getsockname()[1])
            await serving

        asyncio.run(serve())


def _provide(ready: Connection) -> None:
    """A provider that answers at once, or streams at a steady pace."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: "
        async for body in _bodies(reader):
            if b'"stream": true' not in body:
                writer.write(head + b"application/json\r\ncontent-length: %d\r\n\r\n" % len(REPLY) + REPLY)
                continue
            writer.write(head + b"text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for _ in range(EVENTS):
                writer.write(b"%x\r\n%s\r\n" % (len(EVENT), EVENT))
                await writer.drain()
                await asyncio.sleep(EVENT_SECONDS)
            writer.write(b"0\r\n\r\n")
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


async def _bodies(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        yield await reader.readexactly(length)


if __name__ == "__main__":
    main()
