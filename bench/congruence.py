"""python -m bench.congruence: one store of real texts, and what each vector index finds in it.

The texts are those of bench/data. They are stored, some are changed, forgotten or end; then each index is
filled from the rows and asked the same. The measure is a search of every vector by numpy: an exact index must
find the same ten, an approximate one nearly so. A hit that is as near as the tenth counts like the tenth.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.databases import new_database
from bench.qdrant_front import Engine, has_engine, qdrant_process
from bench.report import table, write_json
from bethink import AsyncBethink, Settings
from bethink.clock import now
from bethink.models.embed import Embedder
from bethink.shapes.inputs import MemoryDraft
from bethink.store import vectors
from bethink.store.rows import by_entries

DATA = Path(__file__).parent / "data"
TOP = 10
SAME = 1e-5  # cosines that differ less are equal
AT_ONCE = 500
SHORTEST = 25  # characters of a text that is stored
TOO_LONG_TO_ASK = 80


@dataclass(frozen=True)
class Tier:
    """An index to compare, and the settings that choose it."""

    name: str
    exact: bool
    postgres: bool = False
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    engine: Engine | None = None  # the server, where it is one of ours

    @property
    def is_qdrant(self) -> bool:
        """Whether it needs a server of Qdrant."""
        return self.name.startswith("qdrant")

    @contextmanager
    def served(self) -> Iterator[Tier]:
        """The same with a server of its own, where it needs one that nobody has named."""
        if not self.is_qdrant or "port" in self.settings["vectors"]:
            yield self
            return
        with qdrant_process() as engine:
            place = {"host": "127.0.0.1", "port": engine.port}
            settings = self.settings | {"vectors": self.settings["vectors"] | place}
            yield replace(self, settings=settings, engine=engine)


def tiers(folder: Path, qdrant: str | None = None) -> list[Tier]:
    """Every index that can be had here: Qdrant where it is, or else its engine. First those on SQLite."""

    def beside(store: str, **place: Any) -> dict[str, dict[str, Any]]:
        return {
            "index": {"vector_store": store},
            "vectors": {"budget_seconds": 60.0, "timeout_seconds": 600.0} | place,
        }

    found = [
        Tier("embedded", exact=True),
        Tier("sqlite-vec", exact=True, settings=beside("sqlite-vec")),
        Tier("sqlite-vec int8", exact=False, settings=beside("sqlite-vec", quantisation="int8")),
        Tier("sqlite-vec binary", exact=False, settings=beside("sqlite-vec", quantisation="binary")),
        Tier("chroma", exact=False, settings=beside("chroma", path=str(folder / "chroma"))),
        Tier("pgvector", exact=True, postgres=True, settings={"index": {"hnsw_from": 10**9}}),
        Tier("pgvector HNSW", exact=False, postgres=True, settings={"index": {"hnsw_from": 1}}),
    ]
    place: dict[str, Any] = {}
    if qdrant:
        host, _, port = qdrant.rpartition(":")
        place = {"host": host, "port": int(port)}
    if place or has_engine():
        found += [
            Tier(f"qdrant {kind}", exact=False, settings=beside("qdrant", quantisation=kind, **place))
            for kind in ("none", "int8", "binary")
        ]
    return found


def texts(most: int) -> list[str]:
    """Distinct texts that people wrote to assistants, in the order of the files."""
    found = dict.fromkeys(
        text
        for folder in ("writers", "stories")
        for file in sorted((DATA / folder).glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
        for text in _contents(json.loads(line))
        if len(text) >= SHORTEST
    )
    return list(found)[:most]


def _contents(told: Any) -> Iterator[str]:
    if isinstance(told, dict):
        if isinstance(content := told.get("content"), str):
            yield content
        told = list(told.values())
    if isinstance(told, list):
        for part in told:
            yield from _contents(part)


async def script(memory: AsyncBethink, stored: Sequence[str]) -> None:
    """Store the texts; change every 25th, forget every 26th, and let every 27th end."""
    ids: list[str] = []
    for first in range(0, len(stored), AT_ONCE):
        part = [MemoryDraft(content=text) for text in stored[first : first + AT_ONCE]]
        ids += [one.id for one in await memory.remember_many(part)]
    await memory.settle()
    for number, id_ in enumerate(dict.fromkeys(ids)):
        if number % 25 == 0:
            await memory.update(id_, content=f"It is not so any more: {stored[number]}")
        elif number % 26 == 0:
            await memory.forget(id_)
        elif number % 27 == 0:
            await memory.update(id_, expires_at=now() - timedelta(days=1))
    await memory.settle()


@asynccontextmanager
async def opened(url: str, embedder: Embedder | None, tier: Tier) -> AsyncIterator[AsyncBethink]:
    """The store with this index, filled."""
    settings = Settings.load().with_overrides({"recall": {"tier": "fast"}, **tier.settings})
    async with AsyncBethink(url, settings=settings, embedder=embedder) as memory:
        if tier.settings:
            core, space = await memory.inside.here()
            signature, maker = await core.index.vector_maker.ready(), await core.resolution.ready()
            await core.index.tend(space, signature, maker.dimensions, made=10**9)
            await memory.upkeep.run("vector-store")
        yield memory


async def found_by(memory: AsyncBethink, queries: Sequence[str]) -> list[dict[str, float]]:
    """For each query, what the index finds by itself, with the cosines."""
    found = [await memory.vectors.search(query, top_k=TOP) for query in queries]
    return [{hit.id: hit.score for hit in one.hits} for one in found]


async def nearest(memory: AsyncBethink, queries: Sequence[str]) -> list[dict[str, float]]:
    """For each query, every record that holds, with its cosine, by numpy over the rows."""
    core, space = await memory.inside.here()
    signature = await core.index.vector_maker.ready()
    held: dict[int, Any] = {}
    while page := await core.driver.read(
        vectors.whole_space, space.number, signature, max(held, default=0), AT_ONCE
    ):
        held |= {entry.id: entry.vector for entry in page}
    matrix = np.array(list(held.values()), np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-30)
    briefs = await core.driver.read(by_entries, space.id, list(held), now())
    found = []
    for query in queries:
        _, vector = await core.index.vector_maker.query(query)
        cosines = zip(held, (matrix @ vector).tolist(), strict=True)
        found.append({briefs[id_].id: cosine for id_, cosine in cosines if id_ in briefs})
    return found


def overlap(found: dict[str, float], exact: dict[str, float]) -> float:
    """The share of the ten nearest that were found."""
    best = sorted(exact.values(), reverse=True)[:TOP]
    right = sum(text in exact and exact[text] >= best[-1] - SAME for text in found)
    return min(right, len(best)) / len(best) if best else 1.0


async def compare(
    stored: Sequence[str],
    queries: Sequence[str],
    chosen: Sequence[Tier],
    url: str,
    embedder: Embedder | None = None,
) -> dict[str, float]:
    """The mean overlap of each index on one database with the exact answer."""
    measured: dict[str, float] = {}
    async with opened(url, embedder, Tier("rows", exact=True)) as memory:
        await script(memory, stored)
        exact = await nearest(memory, queries)
    for tier in chosen:
        with tier.served() as served:
            async with opened(url, embedder, served) as memory:
                found = await found_by(memory, queries)
        measured[tier.name] = float(np.mean([overlap(*pair) for pair in zip(found, exact, strict=True)]))
    return measured


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare every index, on SQLite and, where a server is named, on PostgreSQL."""
    parser = argparse.ArgumentParser(prog="python -m bench.congruence", description=__doc__)
    parser.add_argument("--texts", type=int, default=5_000, help="how many are stored (default: 5,000)")
    parser.add_argument("--queries", type=int, default=200, help="how many (default: 200)")
    parser.add_argument(
        "--postgres", metavar="URL", help="compare pgvector too, on a new database of this server"
    )
    parser.add_argument("--qdrant", metavar="HOST:PORT", help="compare a Qdrant server too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    given = parser.parse_args(arguments)
    every = texts(10**9)
    queries = [text for text in reversed(every) if len(text) <= TOO_LONG_TO_ASK][: given.queries]
    stored = [text for text in every if text not in set(queries)][: given.texts]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="bethink-bench-") as folder:
        chosen = tiers(Path(folder), given.qdrant)
        for server in [None, given.postgres] if given.postgres else [None]:
            here = [tier for tier in chosen if tier.postgres == bool(server)]
            with new_database(server) as url:
                measured = asyncio.run(compare(stored, queries, here, url))
            rows += [
                {"index": tier.name, "exact": str(tier.exact), "texts": len(stored), "queries": len(queries)}
                | {"overlap@10": round(measured[tier.name], 4)}
                for tier in here
            ]
    print(table(rows))
    write_json(given.json, rows)


if __name__ == "__main__":
    main()
