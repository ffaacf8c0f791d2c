"""python -m bench.upkeep: a sweep over many old messages: how long, how much memory, what recall feels.

Messages are made up; vectors too, so no time here is that of a model. A process of its own opens the memory,
asks for a while, then lets `tiers` run and goes on asking until it has ended.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.databases import new_database
from bench.report import p50_p95, table, write_json
from bethink import AsyncBethink
from bethink.clock import now
from bethink.simulation.household import Household
from bethink.testing import HashEmbedder

MESSAGES, PER_DAY, AT_ONCE, QUESTIONS = 100_000, 100, 1000, 200
SETTINGS: dict[str, Any] = {
    "extraction": {"worth": False},
    "files": {"enabled": False},
    "recall": {"tier": "fast"},
    "chat": {"base_url": None, "api_key": None},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a memory, then measure in another process."""
    parser = argparse.ArgumentParser(prog="python -m bench.upkeep", description=__doc__)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--postgres", metavar="URL", help="a server on which the user may create a database")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    parser.add_argument("--measure", metavar="URL", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        print(json.dumps(asyncio.run(_measure(given.measure))))
        return
    rows = []
    for server in [None, given.postgres] if given.postgres else [None]:
        with new_database(server) as url:
            asyncio.run(_fill(url, given.messages))
            command = [sys.executable, "-m", "bench.upkeep", "--measure", url]
            ended = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append({"database": "postgres" if server else "sqlite", **json.loads(ended.stdout)})
    print(table(rows))
    write_json(given.json, rows)


async def _fill(url: str, messages: int) -> None:
    household, begins = Household(1, PER_DAY), now() - timedelta(days=messages // PER_DAY + 10)
    async with AsyncBethink(url, embedder=HashEmbedder(), **SETTINGS) as memory:
        await memory.options.update(extractors=[])
        said: dict[str, list[dict[str, Any]]] = {}
        for day in range(messages // PER_DAY):
            for one in household.day(begins + timedelta(days=day), []):
                said.setdefault(one.session, []).extend(one.messages)
            for session in [session for session, lines in said.items() if len(lines) >= AT_ONCE]:
                await memory.observe(session, said.pop(session))
        for session, lines in said.items():
            await memory.observe(session, lines)
        await memory.settle()


async def _measure(url: str) -> dict[str, Any]:
    async with AsyncBethink(url, embedder=HashEmbedder(), **SETTINGS) as memory:
        idle = [await _ask(memory, number) for number in range(QUESTIONS)]
        observed = await memory.messages.count()
        before = resource.getrusage(resource.RUSAGE_SELF)
        started = time.perf_counter()
        sweep = asyncio.ensure_future(memory.upkeep.run("tiers"))
        during: list[float] = []
        while not sweep.done():
            during.append(await _ask(memory, len(during)))
            await asyncio.sleep(0.05)
        took = time.perf_counter() - started
        after, run = resource.getrusage(resource.RUSAGE_SELF), await sweep
        second = time.perf_counter()
        again = await memory.upkeep.run("tiers")
        found = {"messages": observed, **run.counts, "seconds": round(took, 1)}
        found |= {
            "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)
        }
        found |= {"peak_mb": after.ru_maxrss // 1024}
        found |= {"again_seconds": round(time.perf_counter() - second, 2), "again_done": again.done}
        compared = time.perf_counter()
        found |= {"astray": sum((await memory.index.compare()).values())}
        found |= {"compare_seconds": round(time.perf_counter() - compared, 2)}
        return found | p50_p95("idle", idle) | p50_p95("during", during)


async def _ask(memory: AsyncBethink, number: int) -> float:
    started = time.perf_counter()
    await memory.recall(f"Who ate the plums at {number % 24} o'clock, and who walks the dog?", limit=8)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
