"""python -m bench.mcp: what a tool over MCP adds to a call of the library.

The same recall by turns: of the library, as a tool called from the program, and through the client of the MCP
SDK, in one process and without a network, so that only the tool and the protocol differ.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp import Client

from bench.report import p50_p95, table
from bethink import AsyncBethink
from bethink.mcp.server import Caller, build
from bethink.testing import HashEmbedder


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcp", description=__doc__)
    parser.add_argument("--memories", type=int, default=2000)
    parser.add_argument("--calls", type=int, default=200, help="of each kind (default: 200)")
    given = parser.parse_args(arguments)
    print(table(asyncio.run(_measured(given.memories, given.calls))))


async def _measured(memories: int, calls: int) -> list[dict[str, Any]]:
    async with AsyncBethink(":memory:", embedder=HashEmbedder()) as memory:
        await memory.remember_many([{"content": f"Note {n} about subject {n % 97}"} for n in range(memories)])
        await memory.settle()
        caller = Caller(memory)
        async with Client(build(lambda _: caller)) as client:
            ways: dict[str, Callable[[str], Awaitable[object]]] = {
                "library": lambda query: memory.recall(query, limit=8),
                "call_tool": lambda query: memory.call_tool("recall", {"query": query}),
                "MCP": lambda query: client.call_tool("recall", {"query": query}),
            }
            took: dict[str, list[float]] = {name: [] for name in ways}
            names = list(ways)
            for number in range(calls + 5):
                for turn in range(len(names)):  # each way is asked first as often as the others
                    name = names[(number + turn) % len(names)]
                    ask = ways[name]
                    began = time.perf_counter()
                    await ask(f"subject {number % 97}")
                    if number >= 5:  # the first warm up
                        took[name].append(time.perf_counter() - began)
    return [{"way": name, **p50_p95("call", times)} for name, times in took.items()]


if __name__ == "__main__":
    main()
