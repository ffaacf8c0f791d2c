"""python -m bench.ingest_speed: how fast memories and messages are taken in, with and without vectors.

Every write is durable when it returns. With vectors the clock stops when the last vector is stored, and the
rate is compared with that of the models alone on the same texts in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import corpus
from bench.databases import new_database
from bench.report import p50_p95, table, write_json
from bethink import AsyncBethink, Settings
from bethink.models.embed.local import LocalEmbedder, open_local
from bethink.models.late import LateEncoder
from bethink.settings import Tier
from bethink.shapes.inputs import MemoryDraft, MessageDraft

AT_ONCE = 1000  # memories stored by one call
SESSION = 50  # messages of a session
SPEAKERS = ("Ada", "Grace")


@dataclass(frozen=True)
class Amounts:
    """How much is taken in for each measurement."""

    singles: int
    batched: int
    embedded: int
    messages: int


FULL = Amounts(singles=1_000, batched=20_000, embedded=4_000, messages=5_000)
QUICK = Amounts(singles=100, batched=2_000, embedded=300, messages=500)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure SQLite and, where there is a server, PostgreSQL; print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.ingest_speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    parser.add_argument(
        "--postgres",
        metavar="URL",
        default=os.environ.get("BETHINK_TEST_POSTGRES_URL"),
        help="also measure on this PostgreSQL server (default: BETHINK_TEST_POSTGRES_URL)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    parser.add_argument(
        "--tier", choices=("fast", "balanced"), default="fast", help="balanced also makes token vectors"
    )
    given = parser.parse_args(arguments)
    rows = asyncio.run(_measure_all(QUICK if given.quick else FULL, given.postgres, given.tier))
    print(table(rows))
    write_json(given.json, rows)


async def _measure_all(amounts: Amounts, postgres: str | None, tier: Tier) -> list[dict[str, Any]]:
    settings = Settings.load(recall={"tier": tier})
    texts = corpus.kept_sentences()
    rows = []
    for name, server in (("SQLite", None), ("PostgreSQL", postgres)):
        if name == "SQLite" or server:
            print(f"measuring {name}", file=sys.stderr)
            row: dict[str, Any] = {"database": name}
            row |= await _without_vectors(server, settings, amounts, texts)
            row |= await _with_vectors(server, settings, texts[: amounts.embedded])
            rows.append(row)
    return rows


async def _without_vectors(
    server: str | None, settings: Settings, amounts: Amounts, texts: Sequence[str]
) -> dict[str, Any]:
    """Memories one by one and in batches, then messages by whole sessions and turn by turn."""
    with new_database(server) as url:
        async with AsyncBethink(url, settings=settings, embed={"source": "none"}) as memory:
            await memory.stats()  # the space is there before the clock starts
            singles = await _one_by_one(memory, texts[: amounts.singles])
            batched = await _in_batches(memory, texts[amounts.singles :][: amounts.batched])
            sessions = await _observed(memory, texts[: amounts.messages], at_once=SESSION)
            turns = await _observed(memory, texts[: amounts.messages // 5], at_once=2)
    return p50_p95("remember", singles) | {
        "remember_many_per_s": batched,
        "observe_sessions_per_s": sessions,
        "observe_turns_per_s": turns,
    }


async def _with_vectors(server: str | None, settings: Settings, texts: Sequence[str]) -> dict[str, Any]:
    """Memories until their vectors are stored, against the models alone before and after."""
    models = await Models.open(settings)
    alone = 0.0
    with new_database(server) as url:
        async with AsyncBethink(url, settings=settings) as memory:
            await memory.remember("The models are loaded by this.")
            await memory.settle()
            alone += await models.seconds(texts)
            started = time.perf_counter()
            await _in_batches(memory, texts)
            await memory.settle()
            seconds = time.perf_counter() - started
            alone += await models.seconds(texts)
            stats = await memory.stats()
    await models.close()
    if stats.awaiting_vectors:
        raise RuntimeError(f"{stats.awaiting_vectors} vectors were not made: {stats.embedding_reason}")
    return {
        "tier": settings.recall.tier,
        "embedded_per_s": round(len(texts) / seconds),
        "models_per_s": round(2 * len(texts) / alone),
        "embedded_to_models": round(alone / 2 / seconds, 3),
    }


class Models:
    """The models that a tier needs to take a text in, on their own."""

    def __init__(self, embedder: LocalEmbedder, encoder: LateEncoder | None) -> None:
        self._embedder, self._encoder = embedder, encoder

    @classmethod
    async def open(cls, settings: Settings) -> Models:
        late = settings.recall.tier == "balanced"
        models = cls(await open_local(settings), LateEncoder(settings.embed.threads) if late else None)
        await models.seconds(["The models are loaded by this."])
        return models

    async def seconds(self, texts: Sequence[str]) -> float:
        """How long they take."""
        started = time.perf_counter()
        await self._embedder.embed(texts, "document")
        if self._encoder:
            await self._encoder.documents(texts)
        return time.perf_counter() - started

    async def close(self) -> None:
        await self._embedder.close()
        if self._encoder:
            await self._encoder.close()


async def _one_by_one(memory: AsyncBethink, texts: Sequence[str]) -> list[float]:
    seconds = []
    for text in texts:
        started = time.perf_counter()
        await memory.remember(text)
        seconds.append(time.perf_counter() - started)
    return seconds


async def _in_batches(memory: AsyncBethink, texts: Sequence[str]) -> int:
    """Memories a second."""
    batches = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    started = time.perf_counter()
    for batch in batches:
        await memory.remember_many([MemoryDraft(content=text) for text in batch])
    return round(len(texts) / (time.perf_counter() - started))


async def _observed(memory: AsyncBethink, texts: Sequence[str], at_once: int) -> int:
    """Messages a second, of sessions that get so many of them by each call."""
    started = time.perf_counter()
    for start in range(0, len(texts), at_once):
        said = [
            MessageDraft(content=text, name=SPEAKERS[place % 2])
            for place, text in enumerate(texts[start : start + at_once])
        ]
        await memory.observe(f"{at_once} at once, {start // SESSION}", said)
    return round(len(texts) / (time.perf_counter() - started))


if __name__ == "__main__":
    main()
