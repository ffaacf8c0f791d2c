"""mem0's `Memory`, over Bethink: change the import, and the program stays as it is.

    from bethink.integrations.mem0 import Memory        # instead of: from mem0 import Memory

    m = Memory()
    m.add("I'm vegetarian and allergic to nuts", user_id="alice")
    m.search("what can she eat?", user_id="alice")["results"]

Each user has a space (`user:alice`); without a user, the agent or the run has one. mem0 itself is not needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack, cast

from bethink.clock import new_id, now
from bethink.errors import InvalidInput, NotFound
from bethink.integrations.matching import matches
from bethink.memory import AsyncBethink, AsyncSpace
from bethink.records import JournalEntry, Json, Layer
from bethink.records import Memory as Note
from bethink.shapes.weaving import text_of
from bethink.sync import Bethink
from bethink.sync.mirror import Mirror, loop_of, original_of

Messages = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
_PAGE = 1000
_DEEPEST = 200
_WHOSE = ("user_id", "agent_id", "run_id")
_EVENTS = {"stored": "ADD", "forgotten": "DELETE", "restored": "ADD"}


class Whose(TypedDict, total=False):
    """Whose memories are meant: at least one of these."""

    user_id: str | None
    agent_id: str | None
    run_id: str | None


class AsyncMemory:
    """mem0's `AsyncMemory`."""

    def __init__(self, memory: AsyncBethink | None = None) -> None:
        self._memory = memory or AsyncBethink()

    async def add(
        self,
        messages: Messages,
        *,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        **whose: Unpack[Whose],
    ) -> dict[str, list[Json]]:
        """Remember what is worth it of a conversation; with `infer=False`, every message as it is."""
        space, said = self._space(whose), _said(messages)
        kept = {**(metadata or {}), **_named(whose)}
        if not infer:
            fields: dict[str, Any] = {"metadata": kept}
            texts = [text for one in said if (text := text_of(one.get("content")).strip())]
            made = [await space.remember(text, **fields) for text in texts]
            return {"results": [_told(space, one.memory) | {"event": "ADD"} for one in made]}
        began = now()
        session = str(whose.get("run_id") or f"mem0-{new_id()}")
        seen = await space.observe(session, [{**one, "id": new_id()} for one in said])
        await space.extract()
        ids = {outcome.id for outcome in seen.outcomes}
        results = []
        for note in await self._all(space):
            if ids & set(note.source_ref.get("messages") or ()):
                noted = await space.update(note.id, metadata=kept)
                event = "ADD" if note.created_at >= began else "UPDATE"
                results.append(_told(space, noted) | {"event": event})
        return {"results": results}

    async def search(
        self,
        query: str,
        *,
        limit: int = 100,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        **whose: Unpack[Whose],
    ) -> dict[str, list[Json]]:
        """What answers a query, best first."""
        space, wanted = self._space(whose), {**_named(whose), **(filters or {})}
        found = await space.recall(
            query, layers=[Layer.MEMORY], limit=_DEEPEST, max_tokens=8000, include_global=False
        )
        told = [
            _told(space, hit.record) | {"score": max(hit.score, 0.0)}
            for hit in found.hits
            if isinstance(hit.record, Note) and matches(hit.record.metadata, wanted)
        ]
        return {"results": [one for one in told if one["score"] >= (threshold or 0)][:limit]}

    async def get(self, memory_id: str) -> Json | None:
        """One memory by its id; None when it is gone."""
        try:
            space, note = await self._find(memory_id)
        except NotFound:
            return None
        return _told(space, note)

    async def get_all(
        self, *, limit: int = 100, filters: Mapping[str, Any] | None = None, **whose: Unpack[Whose]
    ) -> dict[str, list[Json]]:
        """All memories of somebody, newest first."""
        space, wanted = self._space(whose), {**_named(whose), **(filters or {})}
        found = [note for note in await self._all(space) if matches(note.metadata, wanted)]
        return {"results": [_told(space, note) for note in found[:limit]]}

    async def update(
        self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Say a memory anew."""
        space, note = await self._find(memory_id)
        await space.update(note.id, content=data, metadata=dict(metadata or {}))
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory; the journal keeps what it was."""
        space, note = await self._find(memory_id)
        await space.forget(note.id)
        return {"message": "Memory deleted successfully!"}

    async def delete_all(self, **whose: Unpack[Whose]) -> dict[str, str]:
        """Delete all memories of somebody."""
        space, wanted = self._space(whose), _named(whose)
        found = [note.id for note in await self._all(space) if matches(note.metadata, wanted)]
        if found:
            await space.forget(*found)
        return {"message": "Memories deleted successfully!"}

    async def history(self, memory_id: str) -> list[Json]:
        """What became of a memory, oldest first."""
        space, note_id = self._place(memory_id)
        lines, cursor = [], None
        while True:
            page = await space.journal(record_id=note_id, noun="memory", limit=_PAGE, cursor=cursor)
            lines += page.items
            if not (cursor := page.next_cursor):
                break
        try:
            text: str | None = (await space.get(note_id)).content
        except NotFound:
            text = None
        return _history(memory_id, lines, text)

    async def reset(self) -> None:
        """Delete every space that this has made, with all that is in them."""
        for listed in await self._memory.spaces.list():
            if listed.name.partition(":")[0] in ("user", "agent", "run"):
                await self._memory.spaces.delete(listed.name, confirm=listed.name)

    async def close(self) -> None:
        """Let go of the database."""
        await self._memory.close()

    def _space(self, whose: Whose) -> AsyncSpace:
        """The space of the user, else of the agent, else of the run."""
        for name in _WHOSE:
            if value := whose.get(name):
                found = f"{name.removesuffix('_id')}:{value}"
                return self._memory.space(found if len(found) <= 250 else _short(found), actor="mem0")
        raise InvalidInput(f"Name whose memories these are: one of {', '.join(_WHOSE)}.", field="user_id")

    def _place(self, memory_id: str) -> tuple[AsyncSpace, str]:
        space, _, note_id = memory_id.rpartition("/")
        if not space:
            raise NotFound(f"There is no memory {memory_id[:200]!r}; take an id from a result.", field="id")
        return self._memory.space(space, actor="mem0"), note_id

    async def _find(self, memory_id: str) -> tuple[AsyncSpace, Note]:
        space, note_id = self._place(memory_id)
        core = await self._memory.inside.opened()
        await core.spaces.existing(space.name)  # looking for something makes no space
        return space, await space.get(note_id)

    async def _all(self, space: AsyncSpace) -> list[Note]:
        found: list[Note] = []
        while True:
            page = await space.list(limit=_PAGE, offset=len(found))
            found += page
            if len(page) < _PAGE:
                return found


class Memory:
    """mem0's `Memory`: the same without `await`."""

    def __init__(self, memory: Bethink | None = None) -> None:
        own = memory or Bethink()
        self._memory, self._loop = own, loop_of(cast("Mirror", own))
        self._same = AsyncMemory(original_of(cast("Mirror", own)))

    def add(
        self,
        messages: Messages,
        *,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        **whose: Unpack[Whose],
    ) -> dict[str, list[Json]]:
        """Remember what is worth it of a conversation; with `infer=False`, every message as it is."""
        return self._loop.run(self._same.add(messages, metadata=metadata, infer=infer, **whose))

    def search(
        self,
        query: str,
        *,
        limit: int = 100,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        **whose: Unpack[Whose],
    ) -> dict[str, list[Json]]:
        """What answers a query, best first."""
        found = self._same.search(query, limit=limit, filters=filters, threshold=threshold, **whose)
        return self._loop.run(found)

    def get(self, memory_id: str) -> Json | None:
        """One memory by its id; None when it is gone."""
        return self._loop.run(self._same.get(memory_id))

    def get_all(
        self, *, limit: int = 100, filters: Mapping[str, Any] | None = None, **whose: Unpack[Whose]
    ) -> dict[str, list[Json]]:
        """All memories of somebody, newest first."""
        return self._loop.run(self._same.get_all(limit=limit, filters=filters, **whose))

    def update(self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Say a memory anew."""
        return self._loop.run(self._same.update(memory_id, data, metadata))

    def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory; the journal keeps what it was."""
        return self._loop.run(self._same.delete(memory_id))

    def delete_all(self, **whose: Unpack[Whose]) -> dict[str, str]:
        """Delete all memories of somebody."""
        return self._loop.run(self._same.delete_all(**whose))

    def history(self, memory_id: str) -> list[Json]:
        """What became of a memory, oldest first."""
        return self._loop.run(self._same.history(memory_id))

    def reset(self) -> None:
        """Delete every space that this has made, with all that is in them."""
        self._loop.run(self._same.reset())

    def close(self) -> None:
        """Let go of the database."""
        self._memory.close()


def _said(messages: Messages) -> list[dict[str, Any]]:
    given = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    listed = [given] if isinstance(given, Mapping) else list(given)
    return [dict(one) for one in listed]


def _named(whose: Whose) -> dict[str, Any]:
    return {name: value for name in _WHOSE if (value := whose.get(name))}


def _short(name: str) -> str:
    kind = name.partition(":")[0]
    return f"{kind}:{hashlib.blake2b(name.encode(), digest_size=20).hexdigest()}"


def _told(space: AsyncSpace, note: Note) -> Json:
    """A memory as mem0 shows it."""
    own = {name: value for name, value in note.metadata.items() if name not in _WHOSE}
    return {
        "id": f"{space.name}/{note.id}",
        "memory": note.content,
        "hash": hashlib.md5(note.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": own or None,
        "created_at": note.created_at.isoformat(),
        "updated_at": note.updated_at.isoformat(),
        **{name: note.metadata[name] for name in _WHOSE if name in note.metadata},
    }


def _history(memory_id: str, lines: Sequence[JournalEntry], text: str | None) -> list[Json]:
    """Lines of the journal, newest first, as mem0's history: what each made of the text, oldest first."""
    told: list[Json] = []
    for line in lines:
        before = (line.before or {}).get("content")
        if line.action == "forgotten":
            old, new = before, None
        elif line.action == "stored":
            old, new = None, text
        elif before is None:
            continue  # nothing was said anew
        else:
            old, new = before, (line.after or {}).get("content", text)
        text = old
        told.append(
            {
                "id": line.id, "memory_id": memory_id, "old_memory": old, "new_memory": new,
                "event": _EVENTS.get(line.action, "UPDATE"), "created_at": line.at.isoformat(),
                "updated_at": line.at.isoformat(), "is_deleted": line.action == "forgotten",
            }
        )  # fmt: skip
    return told[::-1]
