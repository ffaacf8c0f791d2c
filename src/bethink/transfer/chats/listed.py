"""The conversations of an export that lists them in conversations.json, one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bethink.records import Json
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

_NAME = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json", re.IGNORECASE)


def conversation_files(source: Source) -> list[str | None]:
    """The files that list conversations: those of the archive, or the file itself."""
    return [name for name in source.members if _NAME.fullmatch(name)] if source.is_zip else [None]


def each_conversation(source: Source, marker: str) -> Iterator[tuple[int, Json]]:
    """Each conversation and its number. `marker` is the name of a value that every conversation has."""
    files = conversation_files(source)
    if not files:
        raise source.refused("the archive", "has no conversations.json.")
    number = 0
    for member in files:
        with source.opened(member) as stream:
            walker = Walker(stream, source, member)
            for value in _values(walker):
                number += 1
                if not isinstance(value, dict) or marker not in value:
                    raise walker.refused(f"conversation {number} must be an object with {marker!r}.")
                yield number, value


def _values(walker: Walker) -> Iterator[Any]:
    match walker.kind():
        case "[":
            for _ in walker.items():
                yield walker.load()
        case "{":  # a single conversation
            yield walker.load()
        case _:
            raise walker.refused("must be a list of conversations, in JSON.")
    walker.finish()
