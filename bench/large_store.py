"""python -m bench.large_store: a million memories in one space, and what they cost.

The texts are made-up words, as unevenly common as real ones; the vectors are made up too, in clusters. What
is measured is time and memory, in a new process: opening, the first recall, which finds nothing in memory,
and the recalls after it, with and without the time that the local model takes to embed a query.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.databases import new_database, stored_bytes
from bench.report import p50_p95, table, write_json
from bethink import AsyncBethink, Settings
from bethink.models.embed import Embedder, EmbedRole
from bethink.models.embed.local import open_local
from bethink.shapes.inputs import MemoryDraft

DIMENSIONS = 384
CLUSTERS, SPREAD = 2_000, 0.8  # kinds of things that memories are about, and how far they differ within one
WORDS = 60_000
AT_ONCE = 1_000  # memories stored by one call
SAID_EVERY = 50_000
WARM_UP = 5  # queries before those that count


class MadeUpVectors:
    """Vectors that depend on the text alone. `timed`, where it is set, also reads queries, for its time."""

    source, model, dimensions = "bench", "made-up", DIMENSIONS

    def __init__(self) -> None:
        rows = np.random.default_rng(1).standard_normal((CLUSTERS, DIMENSIONS), np.float32)
        self._clusters = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.timed: Embedder | None = None

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text."""
        if self.timed is not None and role == "query":
            await self.timed.embed(texts, role)
        return np.array([self._vector(text) for text in texts], np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        seed = zlib.crc32(text.encode())
        noise = np.random.default_rng(seed).standard_normal(DIMENSIONS, np.float32)
        near: NDArray[np.float32] = self._clusters[seed % CLUSTERS] + noise * (SPREAD / DIMENSIONS**0.5)
        return near


def sentences(seed: int, words: range) -> Iterator[str]:
    """Sentences of made-up words; the n-th word is n times rarer than the first."""
    chance = random.Random(seed)
    sounds = [first + second for first in "bdfghjklmnprstvw" for second in "aeiou"]
    vocabulary = ["".join(random.Random(n).choices(sounds, k=3)) + sounds[n % 80] for n in range(WORDS)]
    weights = list(np.cumsum(1 / np.arange(1, WORDS + 1)))
    while True:
        yield " ".join(chance.choices(vocabulary, cum_weights=weights, k=chance.choice(words)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the store unless it is kept from before, and measure."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_store", description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000_000, help="how many (default: 1,000,000)")
    parser.add_argument("--queries", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--keep", metavar="URL", help="build the store here, or use what is there")
    parser.add_argument("--postgres", metavar="URL", help="measure on a new database of this server instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    given = parser.parse_args(arguments)
    with _store(given.keep, given.postgres) as url:
        built = asyncio.run(_build(url, given.memories))
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as new_process:
            row = built | new_process.submit(measure, url, given.queries).result()
    print(table([row]))
    write_json(given.json, [row])


def measure(url: str, queries: int) -> dict[str, Any]:
    """What a process that has just been started finds."""
    return asyncio.run(_measure(url, queries))


@contextmanager
def _store(keep: str | None, postgres: str | None) -> Iterator[str]:
    if keep is not None:
        yield keep
        return
    with new_database(postgres) as url:
        yield url


def _settings() -> Settings:
    return Settings.load(recall={"tier": "fast"}, embed={"cache_size": 0})


async def _build(url: str, memories: int) -> dict[str, Any]:
    async with AsyncBethink(url, settings=_settings(), embedder=MadeUpVectors()) as memory:
        stats = await memory.stats()
        there = sum(layer.total for layer in stats.layers.values())
        started = time.perf_counter()
        texts = sentences(there, range(8, 21))
        for place in range(there, memories, AT_ONCE):
            await memory.remember_many([MemoryDraft(content=next(texts)) for _ in range(AT_ONCE)])
            if place % SAID_EVERY == 0:
                print(f"{place:,} memories, {time.perf_counter() - started:.0f} s", file=sys.stderr)
        await memory.settle()
        seconds = time.perf_counter() - started
    row: dict[str, Any] = {"memories": max(there, memories)}
    if there < memories:
        row["stored_per_s"] = round((memories - there) / seconds)
    return row | {"stored_gb": round(stored_bytes(url) / 1e9, 2)}


async def _measure(url: str, queries: int) -> dict[str, Any]:
    asked, vectors = sentences(-1, range(5, 9)), MadeUpVectors()
    row: dict[str, Any] = {}
    started = time.perf_counter()
    async with AsyncBethink(url, settings=_settings(), embedder=vectors) as memory:
        row["open_s"] = round(time.perf_counter() - started, 2)
        await memory.recall(next(asked))
        row["open_and_first_recall_s"] = round(time.perf_counter() - started, 2)
        row |= p50_p95("recall", [await _timed(memory, next(asked)) for _ in range(queries)])
        row["resident_mb"] = round(_resident_bytes() / 1e6)
        vectors.timed = model = await open_local(_settings())
        for _ in range(WARM_UP):
            await memory.recall(next(asked))
        row |= p50_p95("recall_and_embed", [await _timed(memory, next(asked)) for _ in range(queries)])
        row["resident_with_model_mb"] = round(_resident_bytes() / 1e6)
    await model.close()
    return row


async def _timed(memory: AsyncBethink, query: str) -> float:
    started = time.perf_counter()
    result = await memory.recall(query)
    seconds = time.perf_counter() - started
    if result.degraded or not result.hits:
        raise RuntimeError(f"A recall that finds nothing, or not by all means, is no measure: {result}")
    return seconds


def _resident_bytes() -> int:
    """Memory of this process that is not on disk alone (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
