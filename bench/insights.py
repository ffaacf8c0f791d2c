"""How well insights are found in channels.

    python -m bench.insights [--writers train|held-out|all] [--show]

`bench/data/channels` holds what writers said in a channel of their own, each message with the insights that
it is evidence of and those that it closes. The README there says who was tuned on, and who is only scored;
what went wrong with independent writers who are held out is never shown.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.channels import FLATTER, HELD, TUNED, Writer, writers
from bench.report import table
from bethink import AsyncBethink
from bethink.shapes.insights import Insight

CLOSABLE = ("task", "question", "incident", "bug_report", "meeting")


@dataclass
class Score:
    """What was found, against what was expected."""

    found: int = 0
    right: int = 0
    expected: int = 0
    met: int = 0
    twins: int = 0
    ends: int = 0  # insights with a message that closes them
    closed: int = 0
    by_right: int = 0  # of these, closed by just that message
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for name in ("found", "right", "expected", "met", "twins", "ends", "closed", "by_right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong += other.wrong


async def insights_of(writer: Writer, **settings: Any) -> tuple[list[str], list[Insight]]:
    """The ids of a writer's messages, and the insights that a memory makes of them."""
    async with AsyncBethink(":memory:", **settings) as memory:
        seen = await memory.observe(
            writer.name,
            [
                {
                    "role": "contact", "content": one.text, "name": one.name, "sent_at": one.at,
                    "platform": writer.facts["platform"], "channel": writer.facts["channel"],
                }
                for one in writer.said
            ],
        )  # fmt: skip
        await memory.insights.generate()
        page = await memory.insights.list(limit=1000)
        return [one.id for one in seen.outcomes], [one.insight for one in page.items]


def score(writer: Writer, ids: list[str], found: list[Insight]) -> Score:
    """An insight is right when it has the kind of an expected one and one of its messages."""
    place = {id_: number for number, id_ in enumerate(ids)}
    evidence: dict[str, set[int]] = defaultdict(set)
    ends: dict[str, int] = {}
    for number, one in enumerate(writer.said):
        for label in one.insights:
            evidence[label].add(number)
        for name in one.closes:
            ends[name] = number
    made, hits = Score(found=len(found), expected=len(evidence)), Counter[str]()
    closed: dict[str, Insight] = {}
    for insight in found:
        sources = {place[id_] for id_ in insight.provenance} - {place.get(insight.closed_by or "", -1)}
        match = [
            label
            for label, numbers in evidence.items()
            if label.startswith(f"{insight.kind.value}:") and numbers & sources
        ]
        made.right += bool(match)
        hits.update(match)
        closed.update(dict.fromkeys(match, insight))
        if not match:
            made.wrong.append(f"{writer.name}: not expected: {insight.kind.value}: {insight.title}")
    made.met = len(hits)
    made.twins = sum(count - 1 for count in hits.values())
    made.wrong += [f"{writer.name}: not found: {label}" for label in evidence if label not in hits]
    for label, insight in closed.items():
        kind, _, name = label.partition(":")
        if name not in ends or kind not in CLOSABLE:
            if insight.closed_by:
                made.wrong.append(f"{writer.name}: closed too early: {label}")
            continue
        made.ends += 1
        made.closed += insight.closed_by is not None
        made.by_right += place.get(insight.closed_by or "", -1) == ends[name]
        if place.get(insight.closed_by or "", -1) != ends[name]:
            made.wrong.append(f"{writer.name}: not closed by its message: {label}")
    return made


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "–"


def rows(scores: dict[str, Score]) -> Iterator[dict[str, str]]:
    for name, one in scores.items():
        yield {
            "writer": name,
            "precision": share(one.right, one.found),
            "recall": share(one.met, one.expected),
            "twins": str(one.twins),
            "closed": share(one.closed, one.ends),
            "by the right message": share(one.by_right, one.ends),
        }


async def measure(chosen: list[Writer], **settings: Any) -> dict[str, Score]:
    """The score of each writer, and of the three sets."""
    scores: dict[str, Score] = {}
    total = {TUNED: Score(), FLATTER: Score(), HELD: Score()}
    for writer in chosen:
        found = score(writer, *await insights_of(writer, **settings))
        scores[f"{writer.name} ({writer.facts['language']})"] = found
        total[writer.row].add(found)
    return scores | {name: one for name, one in total.items() if one.expected}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", choices=["train", "held-out", "all"], default="train")
    parser.add_argument("--show", action="store_true", help="what was wrong")
    asked = parser.parse_args()
    chosen = [one for one in writers() if asked.writers in ("all", one.facts["set"])]
    scores = asyncio.run(measure(chosen, embed={"source": "none"}))
    print(table(list(rows(scores))))
    if asked.show:
        for one in chosen:
            if one.row != HELD:  # who reads what is wrong there tunes on it
                print(*scores[f"{one.name} ({one.facts['language']})"].wrong, sep="\n")


if __name__ == "__main__":
    main()
