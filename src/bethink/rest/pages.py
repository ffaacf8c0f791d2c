"""Lists in pieces: which piece is asked for, and the piece with its place in the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from pydantic import Field

from bethink.memory import FARTHEST, PAGE_LIMIT
from bethink.records import Fact, Memory, Message, Record, Session
from bethink.shapes.outcomes import CacheStats

Limit = Annotated[int, Query(ge=1, le=PAGE_LIMIT, description="How many to return at most.")]


@dataclass(frozen=True)
class Piece:
    """A piece of a list: from `offset` where that is given, otherwise the page of that number."""

    limit: Limit = 50
    page: Annotated[int, Query(ge=1, le=FARTHEST // PAGE_LIMIT, description="The page's number, from 1.")] = 1
    offset: Annotated[
        int | None, Query(ge=0, le=FARTHEST, description="How many to skip; goes before `page`.")
    ] = None

    @property
    def number(self) -> int:
        """The number of the page in which the piece begins."""
        return self.start // self.limit + 1

    @property
    def start(self) -> int:
        """How many records come before the piece."""
        return (self.page - 1) * self.limit if self.offset is None else self.offset


class MemoryStats(Record):
    """The list as a whole."""

    total: int | None = Field(description="How many memories there are in all; not known for a search.")
    tokens_used: int | None = Field(
        description="About how many tokens they are all together; not known for a search."
    )
    hit_rate: float | None = Field(
        description="Share of texts whose embedding was at hand, of all that were embedded since the server"
        " started: the `hitRate` of `cacheStats`. Null before the first."
    )


class MemoryListing(Record):
    """A piece of the list of memories, newest first, or best first for a search."""

    items: list[Memory]
    total: int | None = Field(description="How many there are in all; not known for a search.")
    page: int | None = Field(description="The page's number; null for a piece that a cursor began.")
    limit: int
    offset: int | None = Field(description="How many come before it; null for one that a cursor began.")
    next_cursor: str | None = Field(
        description="What to send as `cursor` for the next piece, with the same `q`; null at the end."
    )
    superseded_by: dict[str, str] = Field(
        default_factory=dict,
        description="Of each memory that something newer surely took the place of, the record that says it.",
    )
    stats: MemoryStats
    cache_stats: CacheStats


class MessagePage(Record):
    """A piece of a conversation, in order."""

    items: list[Message]
    next_after: int | None = Field(description="What to send as `after` for the next piece; null at the end.")


class SessionList(Record):
    """Conversations, the most recently active first."""

    items: list[Session]


class FactList(Record):
    """The versions of a fact, newest first."""

    items: list[Fact]
