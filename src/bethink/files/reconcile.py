"""Brings SOUL.md and MEMORY.md and the database together, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bethink.facts.versions import drop_fact, set_fact
from bethink.files.memory_file import FACT_LIMIT, Lines, Ref, edits, parse, ref_of, render, touched
from bethink.files.texts import set_text
from bethink.records import Fact, Person, Space
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft
from bethink.shapes.outcomes import FilesSynced
from bethink.store import Tx, facts, persons, spaces
from bethink.text.fold import bare
from bethink.text.secrets import Secrecy, has_mark

SOUL, MEMORY = "SOUL.md", "MEMORY.md"
SOURCE = "file"


@dataclass(frozen=True)
class OnDisk:
    """A file as it is, and as it was when it and the database last agreed. None is a file that is missing."""

    text: str | None = None
    base: str | None = None

    @property
    def edited(self) -> bool:
        return self.text is not None and self.text != (self.base or "")


@dataclass
class Merged:
    """What the files are to hold now, and what was done; in `aside` is what was not, or not all, taken in."""

    texts: dict[str, str] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)
    done: FilesSynced = field(default_factory=FilesSynced)


def merge(
    tx: Tx, space: Space, disk: Mapping[str, OnDisk], now: datetime, actor: str, secrecy: Secrecy
) -> Merged:
    """Take in what people have written into the files, and say what the files are to hold."""
    merged = Merged()
    _merge_soul(tx, space, disk[SOUL], merged, now, actor, secrecy)
    _merge_memory(tx, space, disk[MEMORY], merged, now, actor, secrecy)
    return merged


def take_memory(
    tx: Tx, space: Space, text: str, base: str | None, now: datetime, actor: str, secrecy: Secrecy
) -> FilesSynced:
    """Take in a MEMORY.md that somebody changed elsewhere than in the folder; `base` is what they changed."""
    merged = Merged()
    plain, before = (
        one.replace("\r\n", "\n") for one in (text, base or memory_text(tx, space.id, now, secrecy))
    )
    _merge_memory(tx, space, OnDisk(plain, before), merged, now, actor, secrecy)
    return merged.done


def memory_text(tx: Tx, space_id: str, now: datetime, secrecy: Secrecy) -> str:
    """What MEMORY.md holds: promoted facts, with marks in place of secrets."""
    promoted = secrecy.shown(facts.promoted(tx, space_id, now, FACT_LIMIT))
    return render(promoted, _names(persons.everyone(tx, space_id)))


def _merge_soul(
    tx: Tx, space: Space, disk: OnDisk, merged: Merged, now: datetime, actor: str, secrecy: Secrecy
) -> None:
    ours = spaces.text(tx, space.id, "soul")
    if disk.edited and disk.text is not None and disk.text != ours:
        if ours == (disk.base or ""):
            ours = secrecy.text_to_store(disk.text)
            set_text(tx, space, "soul", ours, now, actor)
            merged.done.read.append(SOUL)
        else:
            merged.aside[SOUL] = disk.text
            merged.done.conflicts.append(
                f"{SOUL} was edited, and meanwhile the soul was set; the latter stands"
            )
    merged.texts[SOUL] = ours


def _merge_memory(
    tx: Tx, space: Space, disk: OnDisk, merged: Merged, now: datetime, actor: str, secrecy: Secrecy
) -> None:
    people = persons.list_all(tx, space.id)
    if disk.edited and disk.text is not None and disk.text.strip():  # an empty file is an accident, no edit
        names = {bare(person.display_name) for person in people}
        base, theirs = parse(disk.base or "", names), parse(disk.text, names)
        problems = _take_edits(tx, space, base, theirs, people, merged.done, now, actor, secrecy)
        merged.done.problems += [f"{MEMORY}: {problem}" for problem in (*theirs.problems, *problems)]
        if merged.done.facts_set or merged.done.facts_dropped:
            merged.done.read.append(MEMORY)
        if merged.done.problems or any(not text.startswith(SOUL) for text in merged.done.conflicts):
            merged.aside[MEMORY] = disk.text
    merged.texts[MEMORY] = memory_text(tx, space.id, now, secrecy)


def _take_edits(
    tx: Tx,
    space: Space,
    base: Lines,
    theirs: Lines,
    people: list[Person],
    done: FilesSynced,
    now: datetime,
    actor: str,
    secrecy: Secrecy,
) -> list[str]:
    """Set and drop the facts whose lines were edited; what cannot be done is returned."""
    ids: dict[str, str | None] = {"": None, **{bare(person.display_name): person.id for person in people}}
    names = _names(people)
    shown = {ref_of(fact, names) for fact in facts.promoted(tx, space.id, now, FACT_LIMIT)}
    problems = []
    current: dict[Ref, Fact] = {}
    for ref in touched(base.values, theirs.values):
        if max(len(ref.category), len(ref.key)) > NAME_CHARS:
            problems.append(f"{ref.key[:50]}…: a key or category is longer than {NAME_CHARS} characters")
            theirs.values.pop(ref, None)
            base.values.pop(ref, None)
        elif has_mark(theirs.values.get(ref, "")):  # what the mark stands for would be lost
            problems.append(f"{ref.key[:50]}: write the secret itself where its mark is, or leave the line")
            theirs.values.pop(ref, None)
            base.values.pop(ref, None)
        elif fact := facts.current(tx, space.id, ids[ref.person], ref.category, ref.key):
            current[ref] = fact
    ours = {ref: secrecy.shown(fact).value for ref, fact in current.items()}
    asked = edits(base.values, theirs.values, ours, shown)
    for ref, value in asked.set.items():
        draft = FactDraft(
            person_id=ids[ref.person], category=ref.category, key=ref.key, value=value, source=SOURCE,
            promoted=True,
        )  # fmt: skip
        set_fact(tx, space, secrecy.to_store([draft])[0], now, actor)
    for ref in asked.drop:
        drop_fact(
            tx, space, ids[ref.person], ref.category, ref.key, now, actor, reason=f"deleted in {MEMORY}"
        )
    done.facts_set, done.facts_dropped = len(asked.set), len(asked.drop)
    done.conflicts += [f"{MEMORY}: {conflict}" for conflict in asked.conflicts]
    return problems


def _names(people: list[Person]) -> dict[str, str]:
    return {person.id: person.display_name for person in people}
