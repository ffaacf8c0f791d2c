"""python -m bench.recall_speed: how fast recall is on an SQLite file, and how near its vectors come to exact.

Memories are real sentences with their real vectors. Queries come with their vectors, so no time here is that
of the embedding model, except where it says so. Vector search is compared with the time it takes merely to
read an int8 matrix of that size from memory.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import corpus
from bench.corpus import Corpus, KnownVectors, Vectors
from bench.databases import new_database
from bench.report import p50_p95, percentile, table, write_json
from bethink import AsyncBethink, Settings
from bethink.clock import now
from bethink.contracts import VectorQuery
from bethink.core import Core
from bethink.memory import AsyncSpace
from bethink.models.embed.local import open_local
from bethink.settings import Tier
from bethink.shapes.inputs import MemoryDraft
from bethink.store import keyword_search
from bethink.store.filters import EntryFilter
from bethink.text.terms import query_terms

AT_ONCE = 1000  # memories stored by one call
NEAREST = 10
WARM_UP = 5  # queries before those that count
CACHED_BYTES = 16 << 20  # a smaller matrix may stay in the processor's caches
UNCACHED_BYTES = 256 << 20  # reading so much in turn leaves nothing of it in them


@dataclass(frozen=True)
class Layout:
    """So many memories, spread evenly over so many spaces."""

    memories: int
    spaces: int = 1

    @property
    def each(self) -> int:
        """Memories of one space."""
        return self.memories // self.spaces

    def part(self, number: int) -> slice:
        """Which of the corpus's texts are in a space."""
        return slice(number * self.each, (number + 1) * self.each)


FULL = (Layout(1_000), Layout(10_000), Layout(100_000), Layout(100_000, spaces=1_000))
QUICK = (Layout(1_000), Layout(2_000, spaces=20))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each layout and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall_speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    parser.add_argument("--queries", type=int, default=300, help="queries a layout (default: 300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    parser.add_argument(
        "--tier",
        choices=("fast", "balanced", "best"),
        default="fast",
        help="of the recalls; all but fast first make token vectors of every memory, which takes long",
    )
    given = parser.parse_args(arguments)
    rows = asyncio.run(_measure_all(QUICK if given.quick else FULL, given.queries, given.tier))
    print(table(rows))
    write_json(given.json, rows)


async def _measure_all(layouts: Sequence[Layout], queries: int, tier: Tier) -> list[dict[str, Any]]:
    settings = Settings.load(recall={"tier": tier})
    model = await open_local(settings)
    text = await corpus.load(model, max(layout.memories for layout in layouts), queries)
    known = KnownVectors(model, dict(zip(text.texts, text.vectors, strict=True)))
    rows = []
    for layout in layouts:
        print(f"measuring {layout.memories:,} memories in {layout.spaces:,} spaces", file=sys.stderr)
        with new_database(None) as url:
            async with AsyncBethink(url, settings=settings, embedder=known) as memory:
                rows.append(await _measure(memory, layout, text))
    await model.close()
    return rows


async def _measure(memory: AsyncBethink, layout: Layout, text: Corpus) -> dict[str, Any]:
    spaces = [memory.space(f"space {number}") for number in range(layout.spaces)]
    for number, space in enumerate(spaces):
        await _fill(space, text.texts[layout.part(number)])
    await memory.settle()
    asked = [
        Asked(spaces[place % layout.spaces], place % layout.spaces, query, vector)
        for place, (query, vector) in enumerate(zip(text.queries, text.query_vectors, strict=True))
    ]
    parts = Parts(await memory.inside.opened())
    row: dict[str, Any] = {"memories": layout.memories, "spaces": layout.spaces}
    first = await _timed(parts.whole, asked[: layout.spaces], warm_up=0)  # vectors not in memory yet
    row |= {"first_recall_ms_p50": round(1000 * percentile(first, 50), 3)}
    row |= p50_p95("recall", await _timed(parts.whole, asked))
    row |= p50_p95("recall_and_embed", await _timed(parts.whole_and_embed, asked, warm_up=0))
    row |= p50_p95("terms", await _timed(parts.terms, asked))
    row |= await _vector_search(parts, asked, layout.each * text.vectors.shape[1])
    row |= {f"recall@{NEAREST}": await _agreement(asked, layout, text)}
    return row


async def _vector_search(parts: Parts, asked: Sequence[Asked], size: int) -> dict[str, float]:
    """Searches of `size` bytes of vectors, by turns with mere reads of that size where no cache holds it."""
    reads = MemoryReads(size) if size >= CACHED_BYTES else None
    searched, read = [], []
    for one in asked:
        searched += await _timed(parts.vector, [one], warm_up=0)
        read += [reads.once()] if reads else []
    found = p50_p95("vector", searched)
    if read:
        limit = percentile(read, 50)
        found |= {"read_ms_p50": round(1000 * limit, 3)}
        found |= {"vector_to_read": round(percentile(searched, 50) / limit, 2)}
    return found


@dataclass(frozen=True)
class Asked:
    """A query of one space and its vector."""

    space: AsyncSpace
    number: int  # of the space
    query: str
    vector: Vectors


class Parts:
    """A whole recall, and its two searches alone, as recall itself starts them."""

    def __init__(self, core: Core) -> None:
        self._engine = core
        self._depth = core.settings.recall.candidates
        self._counts = keyword_search.Counts()

    async def whole(self, asked: Asked) -> None:
        await asked.space.recall(asked.query, vector=asked.vector.tolist())

    async def whole_and_embed(self, asked: Asked) -> None:
        await asked.space.recall(asked.query)

    async def vector(self, asked: Asked) -> None:
        core = self._engine
        space = await core.spaces.ensured(asked.space.name)
        signature = await core.signature() or ""
        query = VectorQuery(space, signature, asked.vector, EntryFilter(), now(), self._depth)
        await core.index.ladder.nearest_each([query])

    async def terms(self, asked: Asked) -> None:
        core = self._engine
        space = await core.spaces.ensured(asked.space.name)
        terms = query_terms(asked.query)
        await core.driver.read(
            keyword_search.search, space, terms, EntryFilter(), now(), self._depth, self._counts
        )


async def _fill(space: AsyncSpace, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), AT_ONCE):
        await space.remember_many([MemoryDraft(content=text) for text in texts[start : start + AT_ONCE]])


async def _timed(
    work: Callable[[Asked], Awaitable[None]], asked: Sequence[Asked], warm_up: int = WARM_UP
) -> list[float]:
    """How long each took, after some that are not counted."""
    for one in asked[:warm_up]:
        await work(one)
    seconds = []
    for one in asked:
        started = time.perf_counter()
        await work(one)
        seconds.append(time.perf_counter() - started)
    return seconds


class MemoryReads:
    """Reads so many bytes from memory, never from a cache: no search that looks at every row is faster."""

    def __init__(self, size: int) -> None:
        parts = max(2, math.ceil(UNCACHED_BYTES / size))
        self._parts = itertools.cycle(np.ones((parts, size // 8), np.int64))

    def once(self) -> float:
        """How long one thread takes."""
        part = next(self._parts)
        started = time.perf_counter()
        part.max()
        return time.perf_counter() - started


async def _agreement(asked: Sequence[Asked], layout: Layout, text: Corpus) -> float:
    """The share of the nearest by exact float32 cosine that a recall by vectors alone brings back."""
    found = 0
    for one in asked:
        part = layout.part(one.number)
        exact = np.argsort(-(text.vectors[part] @ one.vector), kind="stable")[:NEAREST]
        wanted = {text.texts[part.start + int(place)] for place in exact}
        result = await one.space.recall(
            one.query, vector=one.vector.tolist(), strategy="semantic", limit=NEAREST, recency="neutral"
        )
        found += len(wanted & {hit.text for hit in result.hits})
    return round(found / (NEAREST * len(asked)), 4)


if __name__ == "__main__":
    main()
