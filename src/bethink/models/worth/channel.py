"""What the model reads before a message of a channel: the messages before it, by name. Pure."""

from __future__ import annotations

from collections.abc import Sequence

AHEAD = 4  # messages of the channel that are read before one
TOKENS = 96  # of them


def before_of(messages: Sequence[tuple[str, str]]) -> str:
    """The last of the messages before one, as `name: text`, a line each."""
    return "\n".join(f"{name}: {text}" for name, text in messages[-AHEAD:])
