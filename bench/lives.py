"""The lives that writers told, conversation by conversation, and a memory that is told them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.kept import Kept
from bench.worth.units import Turn, is_chosen, turns
from bethink import AsyncBethink
from bethink.memory import AsyncSpace
from bethink.records import Layer, Memory, Space
from bethink.store import Tx, units, vectors
from bethink.store.units import Spoken
from bethink.store.vectors import Vector
from bethink.testing import FrozenClock

DATA = Path(__file__).parent / "data"
PAGE = 1000
_SENT = ("role", "sent_at", "content")


@dataclass(frozen=True)
class Talk:
    """One conversation, and the user's turns of it with what their writer says of them, if anything."""

    id: str
    messages: list[dict[str, Any]]
    turns: tuple[Turn, ...] = ()

    @property
    def begins(self) -> datetime:
        return datetime.fromisoformat(self.messages[0]["sent_at"])

    @property
    def ends(self) -> datetime:
        return datetime.fromisoformat(self.messages[-1]["sent_at"])

    @property
    def asked(self) -> int:
        """How many of its messages are the user's."""
        return sum(message["role"] == "user" for message in self.messages)


@dataclass(frozen=True)
class Life:
    """All that one persona said, in order."""

    id: str
    lang: str
    timezone: str
    talks: tuple[Talk, ...]


def lives(writers: str) -> list[Life]:
    """The lives in the labelled conversations of some writers."""
    found: defaultdict[str, list[tuple[Talk, dict[str, Any]]]] = defaultdict(list)
    for path in sorted((DATA / "writers").glob("w[0-9][0-9].jsonl")):
        if not is_chosen(path.stem, writers):
            continue
        said: defaultdict[str, list[Turn]] = defaultdict(list)
        for turn in turns(path):
            said[turn.talk].append(turn)
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            talk = Talk(row["id"], _sent(row["messages"]), tuple(said[row["id"]]))
            found[f"{row['writer']} {row['persona']}"].append((talk, row))
    return [_life(name, told) for name, told in found.items()]


def stories(writers: str) -> list[Life]:
    """The lives in the stories of some writers; nothing in them is labelled."""
    return [
        Life(
            row["id"],
            row["lang"],
            row["timezone"],
            tuple(Talk(session["id"], _sent(session["messages"])) for session in row["sessions"]),
        )
        for path in sorted((DATA / "stories").glob("w*.jsonl"))
        if is_chosen(path.stem, writers)
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


def _sent(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: message[name] for name in _SENT} for message in messages]


def _life(name: str, told: Sequence[tuple[Talk, dict[str, Any]]]) -> Life:
    ordered = sorted((talk for talk, _ in told), key=lambda talk: talk.begins)
    first = told[0][1]
    return Life(name, first["lang"], first["timezone"], tuple(ordered))


@asynccontextmanager
async def empty(begins: datetime) -> AsyncIterator[tuple[AsyncBethink, FrozenClock]]:
    """An empty memory without a chat model, and its clock."""
    with TemporaryDirectory() as folder, FrozenClock(begins) as clock:
        async with AsyncBethink(f"{folder}/life.db", files={"enabled": False}) as memory:
            yield memory, clock


async def tell(memory: AsyncBethink, space: AsyncSpace, talk: Talk, clock: FrozenClock) -> None:
    """Observe a conversation at its own time, until nothing is left to be read."""
    clock.now = talk.ends
    await space.observe(talk.id, talk.messages)
    await memory.settle()


async def stored(space: AsyncSpace) -> list[Kept]:
    """The memories of a space, with secrets, and whether each still holds."""
    core, here = await space.inside.here()
    memories: list[Memory] = []
    while page := await space.list(limit=PAGE, offset=len(memories), secrets=True):
        memories += page
    signature = await core.signature()
    made, read = await core.driver.read(_read, here, signature, [memory.id for memory in memories])
    return [
        Kept(
            memory.content,
            memory.metadata.get("slot"),
            *_fate(read.get(memory.id, ())),
            made.get(memory.id) if core.index.reading(memory.content) != "unread" else None,
        )
        for memory in memories
    ]


def _read(
    tx: Tx, space: Space, signature: str | None, ids: Sequence[str]
) -> tuple[dict[str, Vector], dict[str, list[Spoken]]]:
    made = vectors.of_layer(tx, space, Layer.MEMORY, signature, len(ids)) if signature and ids else {}
    return made, units.of_memories(tx, space.id, ids)


def _fate(read: Sequence[Spoken]) -> tuple[bool, bool]:
    """Whether all units that became a memory were replaced, and whether they are withdrawn."""
    ended = bool(read) and all(one.unit.replaced for one in read)
    return ended, bool(read) and all(one.unit.withdrawn for one in read)
