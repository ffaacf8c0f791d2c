"""The figures of what is stored of conversations, by language. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.kept import RIGHT, Kept, beside, holds, repeated, tells_secret, two_values, verdict, words
from bench.worth.units import Turn, Unit
from bethink.models.worth.said import LABELS
from bethink.records import Fact

KEEP = LABELS.index(RIGHT)


@dataclass
class Score:
    """Counts over the conversations of a language, and over the lives they make up."""

    verdicts: Counter[str] = field(default_factory=Counter)
    idle: int = 0
    secrets: int = 0
    units: int = 0
    held: int = 0
    facts: int = 0
    facts_right: int = 0
    active: int = 0
    repeats: int = 0
    opposed: int = 0
    outdated: int = 0
    outdated_ended: int = 0
    lasting: int = 0
    lasting_ended: int = 0
    cpu: float = 0.0
    turns: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def memories(self) -> int:
        return self.verdicts.total()

    @property
    def junk(self) -> int:
        """Memories that stand on what was not to be kept."""
        return sum(
            count for verdict, count in self.verdicts.items() if verdict in LABELS and verdict != RIGHT
        )


def add_talk(score: Score, kept: Sequence[Kept], facts: Sequence[Fact], turns: Sequence[Turn]) -> None:
    """Count what was stored of one conversation alone."""
    for one in kept:
        said, stand = verdict(one.text, turns)
        score.verdicts[said] += 1
        score.idle += said != RIGHT and not (stand and any(unit.label == KEEP for unit in stand.turn.units))
        if tells_secret(one.text, turns):
            score.secrets += 1
            score.misses.append(f"  secret  {turns[0].talk}  {one.text!r}")
        if said != RIGHT:
            score.misses.append(f"  {said}  {turns[0].talk}  {one.text!r}")
    for turn in turns:
        for unit in _keeps(turn):
            found = any(holds(one.text, turn, unit) for one in kept)
            score.units += 1
            score.held += found
            if not found:
                score.misses.append(f"  missed  {turn.talk}  {turn.text[unit.start : unit.end]!r}")
    for fact in facts:
        right = any(_says(fact.value, turn) for turn in turns)
        score.facts += 1
        score.facts_right += right
        score.secrets += tells_secret(fact.value, turns)
        if not right:
            score.misses.append(f"  fact    {turns[0].talk}  {fact.category}/{fact.key}: {fact.value!r}")


def add_life(score: Score, kept: Sequence[Kept], facts: Sequence[Fact], turns: Sequence[Turn]) -> None:
    """Count what holds after a life: what is there twice, what is outdated, what ended for nothing."""
    score.active += sum(one.active for one in kept)
    pairs = repeated(kept)
    score.repeats += len(pairs)
    score.misses += [f"  twice   {turns[0].persona}  {one.text!r} and {other.text!r}" for one, other in pairs]
    opposed = two_values(facts)
    score.opposed += len(opposed)
    score.misses += [f"  values  {turns[0].persona}  {[one.value for one in group]}" for group in opposed]
    for one in kept:
        said, stand = verdict(one.text, turns)
        if said != RIGHT or stand is None or stand.main is None or one.withdrawn:
            continue
        later = list(_later(stand.turn, stand.main, turns))
        if any(stand.turn.talk in unit.replaces and unit.topics & stand.main.topics for unit in later):
            score.outdated += 1
            score.outdated_ended += one.ended
        elif not any(unit.topics & stand.main.topics for unit in later):
            score.lasting += 1
            score.lasting_ended += one.ended


def _keeps(turn: Turn) -> Iterator[Unit]:
    return (unit for unit in turn.units if unit.label == KEEP and words(turn.text[unit.start : unit.end]))


def _says(value: str, turn: Turn) -> bool:
    """Whether a unit worth keeping holds the most part of a value."""
    on = beside(value, turn).on
    return any(
        count > len(words(value)) / 2 and unit.label == KEEP
        for unit, count in zip(turn.units, on, strict=True)
    )


def _later(turn: Turn, unit: Unit, turns: Sequence[Turn]) -> Iterator[Unit]:
    """The units worth keeping that were said after one."""
    place = turns.index(turn)
    yield from (other for other in turn.units if other.start > unit.start and other.label == KEEP)
    yield from (other for after in turns[place + 1 :] for other in _keeps(after))


def table(scores: dict[str, Score]) -> str:
    """The figures as text."""
    lines = [
        "language   precision  recall    junk    idle  secrets  memories   units   facts  right   CPU ms/turn"
    ]
    for name, one in scores.items():
        lines.append(
            f"{name:<10} {_share(one.verdicts[RIGHT], one.memories)}  {_share(one.held, one.units, 6)}"
            f"  {_share(one.junk, one.memories, 6)}  {_share(one.idle, one.memories, 6)} {one.secrets:8d}"
            f" {one.memories:9d} {one.units:7d} {one.facts:7d} {_share(one.facts_right, one.facts, 6)}"
            f" {1000 * one.cpu / one.turns if one.turns else 0:12.1f}"
        )
    return "\n".join(lines)


def life_table(scores: dict[str, Score]) -> str:
    """The figures over whole lives."""
    lines = ["language      active   twice  two values   outdated ended      lasting ended"]
    for name, one in scores.items():
        lines.append(
            f"{name:<10} {one.active:9d} {one.repeats:7d} {one.opposed:11d}"
            f"   {_share(one.outdated_ended, one.outdated, 6)} of {one.outdated:<5d}"
            f"  {_share(one.lasting_ended, one.lasting, 6)} of {one.lasting:<5d}"
        )
    return "\n".join(lines)


def label_table(scores: dict[str, Score]) -> str:
    """What the memories stand on that are not right, by language."""
    total = sum((one.verdicts for one in scores.values()), Counter[str]())
    lines = [f"{'stands on':<14}" + "".join(f"{name:>7}" for name in scores) + f"{'all':>7}"]
    for label, count in total.most_common():
        of_each = "".join(f"{one.verdicts[label]:7d}" for one in scores.values())
        lines.append(f"{label:<14}{of_each}{count:7d}")
    return "\n".join(lines)


def _share(part: int, whole: int, width: int = 9) -> str:
    return f"{part / whole:{width}.3f}" if whole else f"{'-':>{width}}"
