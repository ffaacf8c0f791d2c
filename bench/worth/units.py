"""The writers' conversations as messages with labelled units, and the writers that are held out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bethink.models.worth.said import KINDS, LABELS, SLOTS

# Decided before anything was trained: scored, never read.
HELD_OUT = ("w15", "w16", "w17", "w18", "w19", "w20")
_SAME_SLOT = {
    "job": "role", "occupation": "role", "vehicle": "car", "bike": "car", "truck": "car",
    "studies": "school", "study": "school", "travel": "trip", "mother": "parent", "father": "parent",
    "brother": "sibling", "sister": "sibling", "supervisor": "boss", "shift": "schedule",
    "hours": "schedule", "routine": "schedule", "day off": "schedule", "symptom": "condition",
    "coffee": "food", "drink": "food", "meeting": "appointment", "exam": "appointment", "laptop": "tool",
    "computer": "tool", "gear": "tool", "house": "home", "flat": "home", "address": "home",
    "residence": "home", "roommate": "friend", "flatmate": "friend", "housemate": "friend",
    "son": "child", "daughter": "child", "wife": "partner", "husband": "partner", "spouse": "partner",
    "cat": "pet", "dog": "pet", "medication": "medicine", "intolerance": "allergy",
    "drinking": "alcohol",
}  # fmt: skip
_WORDS = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "at",
        "on",
        "for",
        "to",
        "and",
        "or",
        "with",
        "no",
        "none",
        "not",
        "de",
        "la",
        "el",
        "le",
        "les",
        "un",
        "une",
        "der",
        "die",
        "das",
        "o",
        "e",
        "y",
    ]
)


def is_chosen(writer: str, choice: str) -> bool:
    """Whether a writer is among `held-out`, `others` (all but those) or a list of names."""
    if choice == "held-out":
        return writer in HELD_OUT
    return writer not in HELD_OUT if choice == "others" else writer in choice.split(",")


UNLABELLED = -1  # of a message of a channel, of which only its insights are known


@dataclass(frozen=True)
class Unit:
    """A sentence or clause: its place in the message, and what its writer says of it."""

    start: int
    end: int
    label: int
    kinds: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    about_other: bool = False
    replaces: frozenset[str] = frozenset()  # conversations of which it replaces something
    topics: frozenset[str] = frozenset()  # whom and what it is about: `mother home`
    values: tuple[tuple[int, int], ...] = ()  # where in the message its values stand, as far as they do
    insights: tuple[int, ...] = ()  # that a message of a channel is evidence of


@dataclass(frozen=True)
class Turn:
    """A user's message with its units, and the turn before it."""

    writer: str
    lang: str
    persona: str
    talk: str
    before: str
    text: str
    units: tuple[Unit, ...]


def turns(path: Path) -> Iterator[Turn]:
    """The user's turns of one writer's file."""
    for line in path.read_text("utf-8").splitlines():
        talk = json.loads(line)
        before = ""
        for message in talk["messages"]:
            if message["role"] == "user":
                units = tuple(_units(message, talk["id"]))
                who = f"{talk['writer']} {talk['persona']}"
                yield Turn(talk["writer"], talk["lang"], who, talk["id"], before, message["content"], units)
            before = message["content"]


def _units(message: dict[str, Any], talk: str) -> Iterator[Unit]:
    text, place = str(message["content"]), 0
    for unit in message["units"]:
        start = text.find(unit["text"], place)
        place = start + len(unit["text"])
        keeps = unit.get("keeps", ())
        slots = {_SAME_SLOT.get(keep.get("slot"), keep.get("slot")) for keep in keeps}
        yield Unit(
            start,
            place,
            LABELS.index(unit["label"]),
            tuple(sorted({KINDS.index(keep["kind"]) for keep in keeps})),
            tuple(sorted(SLOTS.index(slot) for slot in slots if slot in SLOTS)),
            bool(keeps) and all(keep["about"] != "user" for keep in keeps),
            frozenset(_conversation(keep["replaces"], talk) for keep in keeps if keep.get("replaces")),
            frozenset(
                f"{str(keep['about']).casefold()} {_SAME_SLOT.get(keep['slot'], keep['slot'])}"
                for keep in keeps
                if keep.get("slot")
            ),
            tuple(span for keep in keeps for span in _value(text, start, place, keep.get("value") or "")),
        )


def _conversation(name: str, here: str) -> str:
    return here if name == "same" else name


def _value(text: str, start: int, end: int, value: str) -> Iterator[tuple[int, int]]:
    """Where a value stands in a unit: all of it, else those of its words that do."""
    said = text[start:end].lower()
    if (at := said.find(value.lower())) >= 0 and value:
        yield start + at, start + at + len(value)
        return
    words = {word for word in _WORDS.findall(value.lower()) if word not in _SMALL}
    for found in _WORDS.finditer(said):
        if found[0] in words or any(_alike(found[0], word) for word in words):
            yield start + found.start(), start + found.end()


def _alike(one: str, other: str) -> bool:
    """Whether two words begin alike, as other forms of a word do."""
    least = max(4, min(len(one), len(other)) - 2)
    return one[:least] == other[:least]


def load(folder: Path) -> tuple[list[Turn], list[Turn]]:
    """Turns to train on, and turns of the writers held out."""
    every = [turn for path in sorted(folder.glob("w[0-9][0-9].jsonl")) for turn in turns(path)]
    train = [turn for turn in every if turn.writer not in HELD_OUT]
    return train, [turn for turn in every if turn.writer in HELD_OUT]
