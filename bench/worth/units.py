"""The writers' conversations as messages with labelled units, and the writers that are held out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Decided before anything was trained: scored, never read.
HELD_OUT = ("w15", "w16", "w17", "w18", "w19", "w20")
LABELS = (
    "keep", "question", "request", "hypothetical", "roleplay", "quoted", "pasted", "code", "log", "passing",
    "sarcasm", "smalltalk", "opinion", "gossip", "secret", "forget", "fragment",
)  # fmt: skip
KINDS = (
    "identity", "relation", "health", "habit", "preference", "dislike", "plan", "decision", "event",
    "answer-style", "possession", "skill", "goal", "remember",
)  # fmt: skip
SLOTS = (
    "home", "answer-style", "employer", "appointment", "condition", "role", "medicine", "project", "hobby",
    "diet", "pet", "child", "allergy", "partner", "tool", "car", "relationship", "name", "schedule",
    "birthday", "smoking", "language", "school", "goal", "trip", "alcohol", "phone", "pronouns", "age",
    "food", "deadline", "exercise", "sibling", "parent", "friend", "boss", "colleague",
)  # fmt: skip
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


@dataclass(frozen=True)
class Unit:
    """A sentence or clause: its place in the message, and what its writer says of it."""

    start: int
    end: int
    label: int
    kinds: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    about_other: bool = False
    replaces: bool = False


@dataclass(frozen=True)
class Turn:
    """A user's message with its units, and the turn before it."""

    writer: str
    lang: str
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
                units = tuple(_units(message))
                yield Turn(talk["writer"], talk["lang"], before, message["content"], units)
            before = message["content"]


def _units(message: dict[str, Any]) -> Iterator[Unit]:
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
            any(keep.get("replaces") for keep in keeps),
        )


def load(folder: Path) -> tuple[list[Turn], list[Turn]]:
    """Turns to train on, and turns of the writers held out."""
    every = [turn for path in sorted(folder.glob("w[0-9][0-9].jsonl")) for turn in turns(path)]
    train = [turn for turn in every if turn.writer not in HELD_OUT]
    return train, [turn for turn in every if turn.writer in HELD_OUT]
