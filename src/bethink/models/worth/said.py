"""What the model says of a unit, and how it is read from the numbers it gives. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# The order is that of the model's answers: another order needs another model.
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
INSIGHTS = (
    "decision", "task", "question", "meeting", "incident", "bug_report", "feature_request", "relationship",
    "preference", "closes",
)  # fmt: skip
ALWAYS = ("answer-style", "allergy", "medicine", "condition")  # slots that are never left to a search
TOPIC = 48  # numbers that say what a unit is about: near for two statements on one thing
PARTS = {
    "label": len(LABELS), "kind": len(KINDS), "slot": len(SLOTS), "other": 1, "replaces": 1, "topic": TOPIC,
    "insight": len(INSIGHTS),
}  # fmt: skip
MARKS = ("begins", "value")  # of tokens: a unit begins here; it belongs to a value, which helps training
_ENDS = list(accumulate(PARTS.values()))
_TOPIC = list(PARTS).index("topic")
_AMPLE = 127  # the largest step of a number of a topic, as it is kept


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or clause of a message, at its place there, and what the model says of it.

    `worth` is the chance that it is worth keeping, `label` the likeliest of `keep` and the reasons not to,
    `harm` the chance of those labels whose words must never be shown as the user's own. `other` is the
    chance that it is about somebody else, `replaces` that something said before no longer holds. `topic` is
    what it is about: the nearer two are, the likelier they are on one thing.
    """

    start: int
    end: int
    worth: float
    label: str
    harm: float
    kind: str
    slot: str
    sure: float  # of the slot
    other: float
    replaces: float
    topic: bytes


_HARMFUL = [LABELS.index(name) for name in ("roleplay", "quoted", "pasted", "secret", "forget")]


def said_of(place: tuple[int, int], said: Floats) -> Unit:
    """What the numbers for one unit say."""
    label, kind, slot, other, replaces, topic, _ = np.split(said, _ENDS[:-1])
    chances = _softmax(label)
    best = int(slot.argmax())
    return Unit(
        *place,
        worth=round(float(chances[0]), 3),
        label=LABELS[int(chances.argmax())],
        harm=round(float(chances[_HARMFUL].sum()), 3),
        kind=KINDS[int(kind.argmax())],
        slot=SLOTS[best],
        sure=round(_sigmoid(slot[best]), 3),
        other=round(_sigmoid(other[0]), 3),
        replaces=round(_sigmoid(replaces[0]), 3),
        topic=_packed(topic),
    )


def topic_of(said: Floats) -> Floats:
    """The numbers for what a unit is about."""
    return np.asarray(np.split(said, _ENDS[:-1])[_TOPIC], np.float32)


def likeness(one: bytes, other: bytes) -> float:
    """How near two topics are, from -1 to 1."""
    return float(unpacked([one])[0] @ unpacked([other])[0])


def unpacked(topics: list[bytes]) -> Floats:
    """Topics as rows of length 1."""
    rows = np.frombuffer(b"".join(topics), np.int8).reshape(len(topics), TOPIC).astype(np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)


def _packed(topic: Floats) -> bytes:
    return np.round(topic / max(float(np.abs(topic).max()), 1e-6) * _AMPLE).astype(np.int8).tobytes()


def _softmax(numbers: Floats) -> Floats:
    powers = np.exp(numbers - numbers.max())
    return np.asarray(powers / powers.sum(), np.float32)


def _sigmoid(number: np.float32) -> float:
    return float(1 / (1 + np.exp(-float(number))))
