"""python -m bench.vector_tiers: what each vector index costs, and what it finds, in one space and in many.

The vectors are made up, in clusters, as those of a model are. Each index is filled from the rows of one
database by the code that fills it in use, and searched the same way, in a process of its own. `build` is the
filling of every space and a first search of each; `disk` is what the index adds to the database, and `memory`
what that process grows by until the last search is done, with Qdrant's engine's, without PostgreSQL's.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import product
from multiprocessing.connection import Connection
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.congruence import TOP, Tier, overlap, tiers
from bench.databases import new_database, stored_bytes
from bench.report import p50_p95, table, write_json
from bethink import Settings
from bethink.clock import now
from bethink.contracts import VectorQuery
from bethink.index.vectors import open_ground
from bethink.index.vectors.nearest import Nearest
from bethink.index.vectors.outside import open_store
from bethink.records import Layer, Space
from bethink.store import Driver, Tx, connect, entries, spaces, vectors
from bethink.store.entries import Entry
from bethink.store.filters import EntryFilter
from bethink.store.rows import id_range

SIGNATURE, DIMENSIONS = "bench:made-up:384", 384
CLUSTERS, SPREAD = 500, 0.8  # kinds of things, and how far they differ within one
AT_ONCE = 2_000
PAGE = 20_000  # vectors that are read at once
KNOWN = 5 * TOP  # of the nearest, by which hits that are as near as the tenth are told
FORCED = "pgvector HNSW"  # an index for each space: no store does so for small ones
Near = dict[str, float]


@dataclass(frozen=True)
class Work:
    """A database that is filled, and what is asked of it."""

    url: str
    entries: int
    spaces: int
    queries: int


def made_up(seed: int, count: int) -> NDArray[np.float32]:
    """So many unit vectors in clusters, which are the same whatever the seed."""
    centres = np.random.default_rng(1).standard_normal((CLUSTERS, DIMENSIONS), np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    chance = np.random.default_rng(seed)
    noise = chance.standard_normal((count, DIMENSIONS), np.float32) * (SPREAD / DIMENSIONS**0.5)
    found: NDArray[np.float32] = centres[chance.integers(0, CLUSTERS, count)] + noise
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def build(work: Work) -> list[Near]:
    """Store entries with vectors, the same number in each space; what is near to each query, exactly."""
    return asyncio.run(_build(work))


async def _build(work: Work) -> list[Near]:
    driver = await connect(work.url, Settings.load().store)
    each = work.entries // work.spaces
    try:
        for number in range(work.spaces):
            space = await driver.write(spaces.ensure, f"space {number:04}", now())
            for first in range(0, each, AT_ONCE):
                await driver.write(_put, space, range(first, min(first + AT_ONCE, each)))
        every = await driver.read(spaces.list_all)
        held: dict[str, tuple[list[str], NDArray[np.float32]]] = {}
        found = list[Near]()
        for space, query in _asked(work, every):
            if space.id not in held:
                held[space.id] = await _held(driver, space)
            ids, matrix = held[space.id]
            cosines = zip(ids, (matrix @ query).tolist(), strict=True)
            found.append(dict(nlargest(KNOWN, cosines, key=itemgetter(1))))
        return found
    finally:
        await driver.close()


def _put(tx: Tx, space: Space, numbers: range) -> None:
    at, names = now(), [f"{space.number}-{number}" for number in numbers]
    after = id_range(space.number, Layer.MESSAGE)[0] + entries.last_number(tx, space, Layer.MESSAGE)
    entries.put(tx, space, [Entry(Layer.MESSAGE, name, at, name, ["word"]) for name in names])
    made = made_up(space.number * 1_000_003 + numbers.start, len(numbers))
    fresh = entries.following(tx, space, after, len(names))
    rows = zip(fresh, made, strict=True)
    vectors.put(tx, space, SIGNATURE, [(row["id"], row["record_id"], vector) for row, vector in rows])


def _asked(work: Work, every: Sequence[Space]) -> list[tuple[Space, NDArray[np.float32]]]:
    """Each query and the space it is asked in, one space after the other."""
    queries = made_up(0, work.queries)
    return [(every[number % len(every)], query) for number, query in enumerate(queries)]


async def _held(driver: Driver, space: Space) -> tuple[list[str], NDArray[np.float32]]:
    """The ids and vectors of a space's entries."""
    ids, rows, last = list[str](), list[NDArray[np.float32]](), 0
    while page := await driver.read(vectors.whole_space, space.number, SIGNATURE, last, PAGE):
        ids += [str(entry.id) for entry in page]
        rows += [entry.vector for entry in page]
        last = page[-1].id
    return ids, np.array(rows, np.float32)


def measure(work: Work, tier: Tier, exact: list[Near]) -> dict[str, Any]:
    """One index, in a process that does nothing else."""
    return asyncio.run(_measure(work, tier, exact))


async def _measure(work: Work, tier: Tier, exact: list[Near]) -> dict[str, Any]:
    settings = Settings.load().with_overrides(tier.settings | {"url": work.url})
    driver = await connect(work.url, settings.store)
    try:
        every = await driver.read(spaces.list_all)
        before, disk = _resident_bytes(tier), stored_bytes(work.url)
        beside = "vector_store" in tier.settings.get("index", {})
        index = open_store(settings, "0123456789ab") if beside else open_ground(settings.index, driver)
        asks = Nearest(driver, index, patience=600.0)
        started = time.perf_counter()
        for space in every:
            await asks.tend(space, SIGNATURE, DIMENSIONS, work.entries // work.spaces)
            await asks.nearest(_query(space, made_up(0, 1)[0]))
        built = time.perf_counter() - started
        seconds, recalls = list[float](), list[float]()
        for (space, query), wanted in zip(_asked(work, every), exact, strict=True):
            begun = time.perf_counter()
            near = await asks.nearest(_query(space, query))
            seconds.append(time.perf_counter() - begun)
            recalls.append(overlap({str(id_): cosine for id_, cosine in near.ranked}, wanted))
        grown = _resident_bytes(tier) - before
        await asks.close()
    finally:
        await driver.close()
    row: dict[str, Any] = {"index": tier.name, "entries": work.entries, "spaces": work.spaces}
    row |= {"build_s": round(built, 2), **p50_p95("search", seconds)}
    row |= {f"recall@{TOP}": round(float(np.mean(recalls)), 4)}
    added = stored_bytes(work.url) - disk + _bytes_of(tier)
    return row | {"disk_mb": round(added / 1e6, 1), "memory_mb": round(grown / 1e6, 1)}


def _query(space: Space, vector: NDArray[np.float32]) -> VectorQuery:
    return VectorQuery(space, SIGNATURE, vector, EntryFilter(), now(), TOP)


def _bytes_of(tier: Tier) -> int:
    """The room of a folder of Chroma or Qdrant; a file of sqlite-vec lies beside the database's."""
    place = tier.settings.get("vectors", {}).get("path")
    folder = tier.engine.folder if tier.engine else Path(place) if place else None
    files = [file for file in folder.rglob("*") if file.is_file()] if folder else []
    return sum(file.stat().st_blocks * 512 for file in files)


def _resident_bytes(tier: Tier) -> int:
    """Memory of this process, and of the server if it is one of ours (Linux)."""
    processes = ["self", *([str(tier.engine.process)] if tier.engine else [])]
    pages = (int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in processes)
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def run(work: Work, tier: Tier, exact: list[Near], minutes: float) -> dict[str, Any]:
    """Measure an index in a new process, which is ended when it takes longer than it may."""
    with tier.served() as served:
        return _run(work, served, exact, minutes)


def _run(work: Work, tier: Tier, exact: list[Near], minutes: float) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_tell, args=(theirs, work, tier, exact), daemon=True)
    process.start()
    theirs.close()
    try:
        if ours.poll(60 * minutes):
            row: dict[str, Any] = ours.recv()
            return row
    finally:
        process.kill()
        process.join()
    row = {"index": tier.name, "entries": work.entries, "spaces": work.spaces}
    return row | {"build_s": f"not done in {minutes:g} minutes"}


def _tell(to: Connection, work: Work, tier: Tier, exact: list[Near]) -> None:
    to.send(measure(work, tier, exact))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every index on every size, in one run."""
    parser = argparse.ArgumentParser(prog="python -m bench.vector_tiers", description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000], help="how many")
    parser.add_argument("--spaces", type=int, nargs="+", default=[1, 1_000], help="in how many spaces")
    parser.add_argument("--queries", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--only", nargs="+", metavar="INDEX", help="not every index, but these")
    parser.add_argument("--postgres", metavar="URL", help="measure pgvector too, on this server")
    parser.add_argument("--qdrant", metavar="HOST:PORT", help="measure a Qdrant server too")
    parser.add_argument("--minutes", type=float, default=20, help="that each index may take (default: 20)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    given = parser.parse_args(arguments)
    servers = [None, given.postgres] if given.postgres else [None]
    rows = []
    for entries_, spaces_, server in product(given.entries, given.spaces, servers):
        with tempfile.TemporaryDirectory(prefix="bethink-bench-") as folder:
            chosen = [
                tier
                for tier in tiers(Path(folder), given.qdrant)
                if tier.postgres == bool(server)
                and (not given.only or tier.name in given.only)
                and (spaces_ == 1 or tier.name != FORCED)
            ]
            if not chosen:
                continue
            with new_database(server) as url:
                work = Work(url, entries_, spaces_, given.queries)
                exact = build(work)
                for tier in chosen:
                    rows.append(run(work, tier, exact, given.minutes))
                    print(table(rows[-1:]).splitlines()[-1], file=sys.stderr)
    print(table(rows))
    write_json(given.json, rows)


if __name__ == "__main__":
    main()
