"""Ten thousand turns of many lives: does what is remembered stay one value a thing, without repeats and junk?

    python -m bench.long_run [--turns 10000] [--writers others] [--show]

Every persona and every story has a space of its own in one memory. All lives are told, conversation by
conversation at their own times; then, until the turns are reached, the same again years later, as people
repeat themselves. A turn is a message of the user or of the assistant. Checked at the end, space by space:

- `two values`: attributes that can have one value (`text/slots.toml`) and have several current facts.
- `twice`: pairs of active memories in the same words, or with a cosine of 0.92 and more in one slot.
- `junk`: stored memories that stand on what their writer says is not to be kept, of the spaces with labels.
- `audit`: what the product's own audit finds in memories and facts. Facts that nobody has said for a year are
  counted beside it: lives end. So are secrets in messages, which are stored as said and shown with a mark.

The writers held out are left out: what breaks here is there to be read and mended.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count

from bench.kept import RIGHT, repeated, two_values, verdict
from bench.lives import Life, Talk, empty, lives, stored, stories, tell
from bethink.memory import AsyncSpace
from bethink.models.worth.said import LABELS
from bethink.shapes.audits import Finding

TURNS = 10_000
FACTS = 1000
SAID_EVERY = 500  # turns after which progress is told


@dataclass
class Checked:
    """What was told, what there is, and what should not be."""

    turns: int = 0
    spaces: int = 0
    memories: int = 0
    active: int = 0
    facts: int = 0
    judged: int = 0
    junk: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    beside: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, example: str) -> None:
        self.found[what] += 1
        self.examples.setdefault(what, example)


def years_later(life: Life, years: int) -> Life:
    """The same life again, as other conversations in the same words."""
    return replace(life, talks=tuple(_later(talk, years) for talk in life.talks)) if years else life


def _later(talk: Talk, years: int) -> Talk:
    messages = [
        {**message, "sent_at": _moved(datetime.fromisoformat(message["sent_at"]), years).isoformat()}
        for message in talk.messages
    ]
    return replace(talk, id=f"{talk.id}+{years}", messages=messages)


def _moved(at: datetime, years: int) -> datetime:
    """The same day of a later year; of 29 February, the day before."""
    day = 28 if (at.month, at.day) == (2, 29) else at.day
    return at.replace(year=at.year + years, day=day)


def chosen(told: Sequence[Life], turns: int) -> list[tuple[Life, Talk]]:
    """What is told, in order of time, until there are enough turns over all; whole conversations only."""
    parts: list[tuple[Life, Talk]] = []
    for life, talk in _endless(told):
        if turns <= 0:
            break
        parts.append((life, talk))
        turns -= len(talk.messages)
    return sorted(parts, key=lambda part: part[1].begins)


def _endless(told: Sequence[Life]) -> Iterator[tuple[Life, Talk]]:
    """All lives, and all of them again, each so many years later that it is over before."""
    for again in count():
        for life in told:
            days = (life.talks[-1].ends - life.talks[0].begins).days
            yield from ((life, talk) for talk in years_later(life, again * (days // 365 + 1)).talks)


async def run(told: Sequence[Life], turns: int) -> Checked:
    """Tell everything, then look."""
    checked = Checked()
    parts = chosen(told, turns)
    async with empty(parts[0][1].begins) as (memory, clock):
        spaces: dict[str, AsyncSpace] = {}
        for life, talk in parts:
            if life.id not in spaces:
                spaces[life.id] = memory.space(life.id)
                await spaces[life.id].household.update(timezone=life.timezone)
            await tell(memory, spaces[life.id], talk, clock)
            checked.turns += len(talk.messages)
            if checked.turns % SAID_EVERY < len(talk.messages):
                print(f"{checked.turns:,} of {turns:,} turns", file=sys.stderr)
        for life in told:
            if life.id in spaces:
                await check(spaces[life.id], life, checked)
    return checked


async def check(space: AsyncSpace, life: Life, checked: Checked) -> None:
    """Look through one space."""
    kept, facts = await stored(space), await space.facts.list(limit=FACTS, secrets=True)
    checked.spaces += 1
    checked.memories += len(kept)
    checked.active += sum(one.active for one in kept)
    checked.facts += len(facts)
    for group in two_values(facts):
        checked.add("two values", f"{life.id}: {[f'{one.category}/{one.key}: {one.value}' for one in group]}")
    for one, other in repeated(kept):
        checked.add("twice", f"{life.id}: {one.text!r} and {other.text!r}")
    if turns := [turn for talk in life.talks for turn in talk.turns]:
        for one in kept:
            said, _ = verdict(one.text, turns)
            checked.judged += 1
            if said in LABELS and said != RIGHT:
                checked.junk[said] += 1
                checked.add("junk", f"{life.id}: {one.text!r} is {said}")
    for finding in (await space.audit()).found:
        if finding.kind is Finding.STALE_FACT or finding.noun == "message":
            checked.beside[f"{finding.kind} {finding.noun}"] += 1
        else:
            checked.add(f"audit {finding.kind}", f"{life.id}: {finding.texts} {finding.reason}")


def report(checked: Checked, show: bool) -> str:
    """What was counted, as text."""
    lines = [
        f"{checked.turns:,} turns in {checked.spaces} spaces: {checked.memories:,} memories,"
        f" {checked.active:,} of them active; {checked.facts:,} current facts",
        f"two values   {checked.found['two values']}",
        f"twice        {checked.found['twice']}",
        f"junk         {share(checked.junk.total(), checked.judged)} of {checked.judged:,} with labels"
        f" ({_listed(checked.junk)})",
        f"audit        {_listed(audited(checked)) or 'clean'}",
        f"beside       {_listed(checked.beside) or 'nothing'}",
    ]
    if show:
        lines += [f"{what}: {example}" for what, example in checked.examples.items()]
    return "\n".join(lines)


def audited(checked: Checked) -> Counter[str]:
    """What the product's own audit found."""
    prefix = "audit "
    return Counter(
        {what.removeprefix(prefix): n for what, n in checked.found.items() if what.startswith(prefix)}
    )


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{what} {number}" for what, number in counts.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.long_run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--writers", default="others")
    parser.add_argument("--show", action="store_true", help="an example of everything that should not be")
    given = parser.parse_args()
    told = [*stories(given.writers), *lives(given.writers)]
    if not told or given.turns < 1:
        parser.error("nothing to tell: name writers of bench/data, and at least one turn")
    print(report(asyncio.run(run(told, given.turns)), given.show))


if __name__ == "__main__":
    main()
