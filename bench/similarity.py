"""Which cosine of a model means what: its thresholds, from pairs of texts labelled by hand.

Each line of `data/similarity.jsonl` is a pair. Of memories: `same`, two ways to say one thing, and `near`,
much alike but not the same, down to a single word or digit. Of something asked and its answer: `question`,
`fact` and `passage`, where everything else that answers another one of its kind is a wrong answer.

A threshold is the least multiple of 0.02 that lets no more than so many wrong pairs pass: 5 % for `recall`,
whose hits are ranked anyway; 1 % for `facts` and `passages`, which a caller takes for answers; 5 % for
`dedupe`, whose wrong pairs are all near misses. Run `python -m bench.similarity`, with `--set
embed.source=ollama` and the like for another model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.quality.__main__ import settings_of
from bench.report import percentile, table
from bethink.models.embed import Embedder, EmbedRole, resolve, signature
from bethink.models.embed.traits import Purpose, threshold
from bethink.settings import Settings

DATA = Path(__file__).parent / "data" / "similarity.jsonl"
STEP = 0.02
ALLOWED: dict[Purpose, float] = {"recall": 0.05, "passages": 0.01, "facts": 0.01, "dedupe": 0.05}
KIND: dict[Purpose, str] = {"recall": "question", "passages": "passage", "facts": "fact"}


class Cosines(NamedTuple):
    """Of pairs that belong together, and of pairs that do not."""

    right: list[float]
    wrong: list[float]


class Pairs:
    """The labelled pairs, seen by one model; every text embedded by itself, once for each role."""

    def __init__(self, embedder: Embedder, pairs: Sequence[dict[str, Any]]) -> None:
        self._embedder, self._pairs = embedder, pairs
        self._known: dict[tuple[str, EmbedRole], Any] = {}

    async def cosines(self, purpose: Purpose) -> Cosines:
        if purpose == "dedupe":
            return Cosines(*[await self._alike(kind) for kind in ("same", "near")])
        asked = [(pair["one"], pair["other"]) for pair in self._pairs if pair["kind"] == KIND[purpose]]
        answers = dict.fromkeys(answer for _, answer in asked)
        found = Cosines([], [])
        for query, right in asked:
            for answer in answers:
                cosine = await self._cosine(query, "query", answer)
                (found.right if answer == right else found.wrong).append(cosine)
        return found

    async def _alike(self, kind: str) -> list[float]:
        pairs = [pair for pair in self._pairs if pair["kind"] == kind]
        return [await self._cosine(pair["one"], "document", pair["other"]) for pair in pairs]

    async def _cosine(self, one: str, role: EmbedRole, other: str) -> float:
        return float(await self._vector(one, role) @ await self._vector(other, "document"))

    async def _vector(self, text: str, role: EmbedRole) -> Any:
        if (text, role) not in self._known:
            self._known[text, role] = (await self._embedder.embed([text], role))[0]
        return self._known[text, role]


def measured(found: Cosines, allowed: float) -> float:
    """The least threshold that lets no more than `allowed` of the wrong pairs pass."""
    steps = [round(number * STEP, 2) for number in range(round(1 / STEP) + 1)]
    return next((step for step in steps if share(found.wrong, step) <= allowed), 1.0)


def share(cosines: Sequence[float], least: float) -> float:
    """The share of cosines that pass."""
    return sum(cosine >= least for cosine in cosines) / len(cosines)


async def main(settings: Settings) -> None:
    pairs = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    resolution = resolve(settings)
    embedder = await resolution.ready()
    seen, rows = Pairs(embedder, pairs), []
    for purpose in ALLOWED:  # what documents must reach, `bench.documents --floor` measures
        found = await seen.cosines(purpose)
        least = measured(found, ALLOWED[purpose])
        rows.append(
            {
                "purpose": purpose,
                "threshold": least,
                "shipped": threshold(signature(embedder), purpose),
                "right_pairs": len(found.right),
                "right_median": percentile(found.right, 50),
                "right_that_pass": share(found.right, least),
                "wrong_pairs": len(found.wrong),
                "wrong_median": percentile(found.wrong, 50),
                "wrong_that_pass": share(found.wrong, least),
            }
        )
    print(f"{signature(embedder)}\n\n{table(rows)}")
    await resolution.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--set", action="append", default=[], help="a setting, as in embed.source=ollama")
    asyncio.run(main(Settings.load(**settings_of(parser.parse_args().set))))
