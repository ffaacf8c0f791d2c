"""python -m bench.mcp: what a tool over MCP adds to a call of the library.

The same recall by turns, over one file and by terms only, so that only the tool, the protocol and the way
there differ: of the library, as a tool called from the program, and through the client of the MCP SDK in one
process, over the pipes of `bethink mcp`, and over HTTP to `bethink serve`, which are processes of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from bench.report import p50_p95, table
from bethink import AsyncBethink
from bethink.mcp.server import Caller, build
from bethink.records import Role

WARM_UP = 5
STOP_SECONDS = 60


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcp", description=__doc__)
    parser.add_argument("--memories", type=int, default=2000)
    parser.add_argument("--calls", type=int, default=200, help="of each kind (default: 200)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        print(table(asyncio.run(_measured(Path(folder), given.memories, given.calls))))


async def _measured(folder: Path, memories: int, calls: int) -> list[dict[str, Any]]:
    file = str(folder / "memory.db")
    settings = {"BETHINK_HOME": str(folder), "BETHINK_URL": file, "BETHINK_EMBED_SOURCE": "none"}
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(AsyncBethink(file, embed={"source": "none"}))
        await memory.remember_many([{"content": f"Note {n} about subject {n % 97}"} for n in range(memories)])
        await memory.settle()
        key = await memory.keys.create("bench", role=Role.MEMBER)
        caller = Caller(memory)
        started = StdioServerParameters(
            command=sys.executable, args=["-m", "bethink", "mcp"], env=os.environ | settings
        )
        address = stack.enter_context(_serving(settings))
        bearer = {"authorization": f"Bearer {key.secret}"}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=bearer, trust_env=False))
        clients = {
            "MCP": Client(build(lambda _: caller)),
            "MCP over stdio": Client(started),
            "MCP over HTTP": Client(streamable_http_client(f"{address}/mcp", http_client=http)),
        }
        ways: dict[str, Callable[[str], Awaitable[object]]] = {
            "library": lambda query: memory.recall(query, limit=8),
            "call_tool": lambda query: memory.call_tool("recall", {"query": query}),
        }
        for name, client in clients.items():
            ways[name] = _asking(await stack.enter_async_context(client))
        took = await _by_turns(ways, calls)
    return [{"way": name, **p50_p95("call", times)} for name, times in took.items()]


async def _by_turns(
    ways: dict[str, Callable[[str], Awaitable[object]]], calls: int
) -> dict[str, list[float]]:
    """The seconds of each call; each way is asked first as often as the others."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(calls + WARM_UP):
        for turn in range(len(names)):
            name = names[(number + turn) % len(names)]
            began = time.perf_counter()
            await ways[name](f"subject {number % 97}")
            if number >= WARM_UP:
                took[name].append(time.perf_counter() - began)
    return took


def _asking(client: Client) -> Callable[[str], Awaitable[object]]:
    return lambda query: client.call_tool("recall", {"query": query})


@contextmanager
def _serving(settings: dict[str, str]) -> Iterator[str]:
    """The address of a server over the same file."""
    command = [sys.executable, "-m", "bethink", "serve"]
    given = os.environ | settings | {"BETHINK_SERVER_PORT": "0", "BETHINK_SERVER_LOG_LEVEL": "warning"}
    process = subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        lines = (re.search(r"http://[\d.]+:\d+", line) for line in process.stdout)
        found = next((line for line in lines if line), None)
        if found is None:
            raise SystemExit("The server did not start.")
        yield found[0]
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


if __name__ == "__main__":
    main()
