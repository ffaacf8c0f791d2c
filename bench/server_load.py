"""python -m bench.server_load: how a server does when many clients recall and write at once.

The server is a process of its own over a database with real sentences and their real vectors. The clients ask
it over loopback for the whole time, each one thing after the other, and make no pauses; but who is refused
with 503 waits as `Retry-After` says, or up to twice as long. Answers and refusals are timed apart.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from bench import corpus
from bench.corpus import Corpus, KnownVectors
from bench.databases import new_database
from bench.report import percentile, table, write_json
from bethink import AsyncBethink, Settings
from bethink.models.embed.local import open_local
from bethink.records import Role
from bethink.settings import Tier

AT_ONCE = 1000  # memories stored by one call
FULL, QUICK = 100_000, 2_000  # memories
QUERIES = 300
WARM_UP = 320  # requests of all clients together before those that count
REFUSED = 503
START_SECONDS = 60


@dataclass
class Load:
    """What to send, and what came of it."""

    text: Corpus
    seconds: float
    writes: float
    patient: bool = True  # whether a client that is refused waits as it is told
    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    degraded: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    stored: int = 0

    async def run(self, clients: int, url: str, secret: str) -> float:
        """Let the clients ask; the seconds it took."""
        limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
        headers = {"authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(
            base_url=url, headers=headers, limits=limits, timeout=60, trust_env=False, verify=False
        ) as client:
            each = max(1, WARM_UP // clients)
            await asyncio.gather(*[self._ask(client, random.Random(n), each) for n in range(clients)])
            for measured in (self.times, self.refused, self.degraded, self.errors):
                measured.clear()
            started = time.perf_counter()
            await asyncio.gather(*[self._ask(client, random.Random(n)) for n in range(clients)])
            return time.perf_counter() - started

    async def _ask(self, client: httpx2.AsyncClient, dice: random.Random, most: int | None = None) -> None:
        deadline, sent = time.perf_counter() + self.seconds, 0
        while sent < most if most is not None else time.perf_counter() < deadline:
            sent += 1
            if dice.random() < self.writes:
                self.stored += 1
                note = f"{dice.choice(self.text.texts)} Noted as number {self.stored}."
                await self._timed("write", client, dice, "/api/memory", {"content": note})
            else:
                query = {"query": dice.choice(self.text.queries), "limit": 8}
                await self._timed("recall", client, dice, "/api/memory/search", query)

    async def _timed(
        self, kind: str, client: httpx2.AsyncClient, dice: random.Random, path: str, body: dict[str, Any]
    ) -> None:
        started = time.perf_counter()
        try:
            response = await client.post(path, json=body)
        except httpx2.HTTPError as error:
            self.errors.append(f"{kind}: {error!r}")
            return
        took = time.perf_counter() - started
        if response.status_code == REFUSED and (seconds := response.headers.get("retry-after")):
            self.refused[kind].append(took)
            # Not all at the same moment again: those who were refused together would be refused together.
            await asyncio.sleep(float(seconds) * dice.uniform(1, 2) if self.patient else 0)
            return
        self.times[kind].append(took)
        if not response.is_success:
            self.errors.append(f"{kind}: {response.status_code} {response.text[:200]}")
        elif kind == "recall":
            self.degraded.update(response.json()["degraded"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a database, start a server over it, load it, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.server_load", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    parser.add_argument("--clients", type=int, default=16, help="how many ask at once (default: 16)")
    parser.add_argument("--seconds", type=float, default=30.0, help="for how long (default: 30)")
    parser.add_argument("--writes", type=float, default=0.2, help="share of writes (default: 0.2)")
    parser.add_argument("--tier", choices=("fast", "balanced", "best"), default="fast", help="of the recalls")
    parser.add_argument(
        "--impatient", action="store_true", help="whoever is refused asks again at once, not when told to"
    )
    parser.add_argument("--postgres", metavar="URL", help="a server on which databases may be created")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    given = parser.parse_args(arguments)
    memories, seconds = (QUICK, min(given.seconds, 5.0)) if given.quick else (FULL, given.seconds)
    with new_database(given.postgres) as url:
        text, secret = asyncio.run(_fill(url, memories, given.tier))
        load = Load(text, seconds, given.writes, not given.impatient)
        with _serving(url, given.tier) as address:
            took = asyncio.run(load.run(given.clients, address, secret))
    rows = [_row(kind, load, took, memories, given.clients) for kind in ("recall", "write")]
    print(table(rows))
    write_json(given.json, rows)
    for error in load.errors[:10]:
        print(error, file=sys.stderr)
    for reason, number in load.degraded.items():
        print(f"{number} recalls degraded: {reason}", file=sys.stderr)
    sys.exit(bool(load.errors))


async def _fill(url: str, memories: int, tier: Tier) -> tuple[Corpus, str]:
    settings = Settings.load(recall={"tier": tier})
    model = await open_local(settings)
    text = await corpus.load(model, memories, QUERIES)
    known = KnownVectors(model, dict(zip(text.texts, text.vectors, strict=True)))
    print(f"storing {memories:,} memories", file=sys.stderr)
    async with AsyncBethink(url, settings=settings, embedder=known) as memory:
        for start in range(0, memories, AT_ONCE):
            await memory.remember_many(
                [{"content": content} for content in text.texts[start : min(start + AT_ONCE, memories)]]
            )
        await memory.settle()
        key = await memory.keys.create("bench", role=Role.MEMBER)
    await model.close()
    return text, key.secret


@contextmanager
def _serving(url: str, tier: Tier) -> Iterator[str]:
    """The address of a server in a process of its own."""
    settings = {
        "BETHINK_URL": url,
        "BETHINK_EMBED_SOURCE": "local",
        "BETHINK_RECALL_TIER": tier,
        "BETHINK_SERVER_PORT": "0",
        "BETHINK_SERVER_LOG_LEVEL": "warning",
    }
    command = [sys.executable, "-c", "from bethink.cli import main; main()", "serve"]
    process = subprocess.Popen(command, env=os.environ | settings, stdout=subprocess.PIPE, text=True)
    try:
        yield _address(process)
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://[\d.]+:\d+", line):
            return found[0]
    raise SystemExit("The server did not start.")


def _row(kind: str, load: Load, took: float, memories: int, clients: int) -> dict[str, Any]:
    times = load.times[kind]
    row: dict[str, Any] = {"memories": memories, "clients": clients, "kind": kind, "answered": len(times)}
    row["per_second"] = round(len(times) / took, 1)
    row |= _milliseconds("ms", times)
    row["refused"] = len(load.refused[kind])
    row |= _milliseconds("refused_ms", load.refused[kind])
    row["degraded"] = sum(load.degraded.values()) if kind == "recall" else 0
    row["errors"] = sum(error.startswith(kind) for error in load.errors)
    return row


def _milliseconds(name: str, times: Sequence[float]) -> dict[str, float | None]:
    return {
        f"{name}_p{percent}": round(1000 * percentile(times, percent), 1) if times else None
        for percent in (50, 99)
    }


if __name__ == "__main__":
    main()
