"""What the model reads before a message of a channel, and what its layers make of the message. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bethink.models.worth.said import Floats

AHEAD = 4  # messages of the channel that are read before one
TOKENS = 96  # of them


class State(NamedTuple):
    """What some layers make of the tokens of a message: a row for each layer; and what it is about."""

    mean: Floats
    most: Floats
    topic: Floats


def before_of(messages: Sequence[tuple[str, str]]) -> str:
    """The last of the messages before one, as `name: text`, a line each."""
    return "\n".join(f"{name}: {text}" for name, text in messages[-AHEAD:])
