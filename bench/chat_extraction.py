"""What a chat model makes of labelled conversations, beside the rules and the model of worth without one.

    python -m bench.chat_extraction --base-url http://127.0.0.1:8080/v1 --model NAME
        [--writers w23] [--conversations 6] [--extractors facts,one-fact] [--show]

Any OpenAI-compatible host will do. Conversations are read as they are when they are observed: each extractor
when it is due, and at the end what is left. Of what is stored, each memory stands on the unit of the messages
it names that has most of its words:

- `covered`: labelled units worth keeping on which a memory stands, or of which one holds most of a value.
- `right`: memories that stand on such a unit; `other`: on one with another label; `nowhere`: their words
  stand in no unit.
- `harmful`: those of `other` on a role-play, a quotation, pasted text, a secret, or what is to be forgotten.

Conversations are taken from every writer's lives in turn. Writers that are held out are refused.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.worth.units import HELD_OUT
from bethink.errors import ExtractionFailure
from bethink.extraction.extractors import Extractor, Known, Unread, extractors_for
from bethink.extraction.extractors.patterns import Patterns
from bethink.extraction.templates import Templates
from bethink.models.chat import ChatResolution, resolve_chat
from bethink.models.worth import Worth
from bethink.records import Message
from bethink.settings import Settings
from bethink.shapes.inputs import MemoryDraft
from bethink.text.terms import query_terms

DATA = Path(__file__).parent / "data" / "writers"
HARMFUL = frozenset({"roleplay", "quoted", "pasted", "secret", "forget"})
BEFORE = 4  # earlier messages that a stretch is understood by
_EVERY = 1_000_000  # terms of a text


@dataclass(frozen=True)
class Unit:
    """A labelled sentence or clause: its words, and those of its values."""

    message: str
    number: int
    label: str
    terms: frozenset[str]
    values: tuple[frozenset[str], ...]


@dataclass(frozen=True)
class Talk:
    """A conversation and its units."""

    id: str
    messages: Sequence[Message]
    units: Sequence[Unit]


@dataclass
class Score:
    """Counts over some conversations."""

    keeps: int = 0
    covered: int = 0
    stored: int = 0
    right: int = 0
    nowhere: int = 0
    failed: int = 0
    seconds: float = 0.0
    others: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def harmful(self) -> int:
        """Memories that stand on what must never be shown as the user's own words."""
        return sum(self.others[label] for label in HARMFUL)


def terms(text: str) -> frozenset[str]:
    """The words of a text, as keyword search has them."""
    return frozenset(query_terms(text, _EVERY))


def load(writers: Sequence[str], most: int) -> list[Talk]:
    """So many conversations of the writers, of each persona the first, then of each the second."""
    if held := sorted(set(writers) & set(HELD_OUT)):
        raise SystemExit(f"{', '.join(held)} is held out: choose other writers.")
    rows = [json.loads(line) for one in writers for line in (DATA / f"{one}.jsonl").open(encoding="utf-8")]
    seen: Counter[str] = Counter()
    order = []
    for place, row in enumerate(rows):
        who = f"{row['writer']} {row['persona']}"
        order.append((seen[who], place))
        seen[who] += 1
    return [_talk(rows[place]) for _, place in sorted(order)[:most]]


def _talk(row: dict[str, Any]) -> Talk:
    messages = [
        Message(
            id=f"{row['id']}/{place}", space_id="bench", session_id=row["id"], position=place,
            role=one["role"], content=one["content"],
            sent_at=(at := datetime.fromisoformat(one["sent_at"])), created_at=at,
        )
        for place, one in enumerate(row["messages"], 1)
    ]  # fmt: skip
    pairs = zip(messages, row["messages"], strict=True)
    return Talk(row["id"], messages, [unit for pair in pairs for unit in _units(*pair)])


def _units(message: Message, labelled: dict[str, Any]) -> Iterator[Unit]:
    for number, unit in enumerate(labelled.get("units", ())):
        values = [terms(keep["value"]) for keep in unit.get("keeps", ()) if keep.get("value")]
        yield Unit(message.id, number, unit["label"], terms(unit["text"]), tuple(filter(None, values)))


async def read(talk: Talk, extractor: Extractor, score: Score) -> list[MemoryDraft]:
    """What an extractor drafts of a conversation, each stretch when it is due, and the rest at the end."""
    drafts: list[MemoryDraft] = []
    reached = 0
    for place in range(1, len(talk.messages) + 1):
        unread = talk.messages[reached:place]
        due = extractor.due(Unread(unread))
        if place == len(talk.messages) and sum(map(len, due)) < len(unread):
            due = [*due, unread[sum(map(len, due)) :]]
        for turns in due:
            known = Known(before=talk.messages[max(reached - BEFORE, 0) : reached])
            reached += len(turns)
            try:
                came = await extractor.extract(turns, known)
            except ExtractionFailure as failure:
                score.failed += 1
                print(f"  failed {talk.id}: {failure.message}")
                continue
            drafts += came.memories
            score.left_out.update(came.left_out)
    return drafts


def judge(talk: Talk, drafts: Sequence[MemoryDraft], score: Score, show: bool) -> None:
    """Count what stands on what."""
    keeps = {(unit.message, unit.number) for unit in talk.units if unit.label == "keep"}
    covered: set[tuple[str, int]] = set()
    for draft in drafts:
        named, words = set(draft.source_ref["messages"]), terms(draft.content)
        units = [unit for unit in talk.units if unit.message in named]
        best = max(units, key=lambda unit: len(unit.terms & words), default=None)
        label = best.label if best is not None and best.terms & words else None
        score.stored += 1
        score.nowhere += label is None
        score.right += label == "keep"
        score.others.update([label] if label not in (None, "keep") else [])
        covered |= {(unit.message, unit.number) for unit in units if _holds(words, unit)}
        if best is not None and label == "keep":
            covered.add((best.message, best.number))
        if show:
            print(f"  {label or 'nowhere':<12} {draft.content}", flush=True)
    score.keeps += len(keeps)
    score.covered += len(keeps & covered)


def _holds(words: frozenset[str], unit: Unit) -> bool:
    return any(2 * len(value & words) > len(value) for value in unit.values)


async def measure(name: str, extractor: Extractor, talks: Sequence[Talk], show: bool) -> Score:
    """An extractor over all conversations."""
    score, started = Score(), time.perf_counter()
    for talk in talks:
        if show:
            print(f"{name} {talk.id}")
        judge(talk, await read(talk, extractor, score), score, show)
    score.seconds = time.perf_counter() - started
    return score


def told(name: str, score: Score) -> str:
    """A line of the table."""
    share = score.right / score.stored if score.stored else 0.0
    others = ", ".join(f"{label} {count}" for label, count in score.others.most_common())
    return (
        f"{name:<10} {score.covered:3d} of {score.keeps:<3d} {score.stored:6d} {score.right:5d} {share:5.2f}"
        f" {sum(score.others.values()):5d} {score.harmful:7d} {score.nowhere:7d} {score.failed:6d}"
        f" {score.seconds:7.0f} s  {others}"
    )


async def run(arguments: argparse.Namespace) -> None:
    """Ask, judge, print."""
    talks = load(arguments.writers.split(","), arguments.conversations)
    settings = Settings.load(
        chat={
            "base_url": arguments.base_url,
            "extraction_model": arguments.model,
            "timeout_seconds": 600.0,
        }
    )
    worth, resolution = Worth(), resolve_chat(settings)
    names = arguments.extractors.split(",")
    asked = chat_extractors(names, resolution, settings, worth)
    print(f"{len(talks)} conversations of {arguments.writers}, {arguments.model}")
    print("extractor   covered    stored right share other harmful nowhere failed    time  other labels")
    for one in (Patterns(worth, settings.extraction.least_worth), *asked):
        score = await measure(one.name, one, talks, arguments.show)
        print(told(one.name, score), flush=True)
        if arguments.show:
            print(
                *(f"  left out: {reason} ({count})" for reason, count in score.left_out.most_common()),
                sep="\n",
            )
    await resolution.close()


def chat_extractors(
    names: Sequence[str], resolution: ChatResolution, settings: Settings, worth: Worth
) -> list[Extractor]:
    """The extractors as a memory has them."""
    return extractors_for(
        names,
        resolution.extraction,
        settings.extraction,
        Templates(),
        worth=worth,
        is_small=resolution.is_small,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", required=True, help="of the host, with /v1")
    parser.add_argument("--model", required=True, help="its name at the host")
    parser.add_argument("--writers", default="w23", help="with commas")
    parser.add_argument("--conversations", type=int, default=6, help="how many")
    parser.add_argument("--extractors", default="facts,one-fact", help="with commas")
    parser.add_argument("--show", action="store_true", help="print every memory and the label it stands on")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
