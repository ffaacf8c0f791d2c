"""mem0's `Memory`, over Bethink: change the import, and the program stays as it is.

    from bethink.integrations.mem0 import Memory        # instead of: from mem0 import Memory

    m = Memory()
    m.add("I'm vegetarian and allergic to nuts", user_id="alice")
    m.search("what can she eat?", filters={"user_id": "alice"})["results"]

Each user has a space (`user:alice`); without a user, the agent or the run has one. mem0 itself is not needed.
The calls are those of mem0 2; how mem0 1 named whose memories are meant, and how many, does as well.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self, Unpack, cast

from bethink.clock import new_id, now
from bethink.errors import InvalidInput, NotFound
from bethink.integrations.mem0_calls import (
    Adding,
    Listing,
    Owner,
    Search,
    check_names,
    filters_of,
    most_of,
    owners_given,
)
from bethink.integrations.mem0_filters import OWNERS, holds, owners_in
from bethink.integrations.mem0_values import (
    EVENTS,
    EXPIRATION,
    Expiry,
    Messages,
    as_notes,
    expiry,
    fields_of,
    history,
    own_metadata,
    said,
    told,
    told_hit,
)
from bethink.memory import AsyncBethink, AsyncSpace
from bethink.records import Json, Layer
from bethink.records import Memory as Note
from bethink.sync import Bethink
from bethink.sync.mirror import Mirror, loop_of, original_of

PROCEDURAL: Final = "procedural_memory"
_KEPT: Final = "…"  # an expiry that stays as it is
_PAGE = 1000
_DEEPEST = 200
_log = logging.getLogger(__name__)


class NoSuchMemory(NotFound, ValueError):
    """There is no memory of this id; take one from a result."""


class AsyncMemory:
    """mem0's `AsyncMemory`."""

    def __init__(self, memory: AsyncBethink | None = None) -> None:
        self._memory = memory or AsyncBethink()

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """A memory by Bethink's own settings; what mem0's configuration names is said to be of no use."""
        _warn_of(config_dict)
        return cls()

    async def add(self, messages: Messages, **how: Unpack[Adding]) -> dict[str, list[Json]]:
        """Remember what is worth it of a conversation; with `infer=False`, every message as it is."""
        check_names(how, Adding)
        owners = owners_given(how)
        space = self._space(owners)
        day, ends = expiry(how.get("expiration_date"))
        kept = own_metadata(how.get("metadata")) | owners | ({EXPIRATION: day} if day else {})
        if (kind := how.get("memory_type")) not in (None, PROCEDURAL):
            raise InvalidInput(
                f"memory_type: {kind!r} is not known; known is {PROCEDURAL}.", field="memory_type"
            )
        fields = {"expires_at": ends, "observed_at": how.get("timestamp")}
        if kind == PROCEDURAL:
            text = "\n".join(text for text, _ in as_notes(messages))
            made = await space.remember(text, **_of_note(fields, metadata=kept, type="procedural"))
            return {"results": [told(space.name, made.memory) | {"event": EVENTS[made.status]}]}
        if not how.get("infer", True):
            results = []
            for text, who in as_notes(messages):
                made = await space.remember(text, **_of_note(fields, metadata={**kept, **who}))
                event = {"event": EVENTS[made.status], "actor_id": None}
                results.append(event | told(space.name, made.memory))
            return {"results": results}
        session = owners.get("run_id") or f"mem0-{new_id()}"
        return {"results": await self._inferred(space, session, said(messages), kept, fields)}

    async def _inferred(
        self,
        space: AsyncSpace,
        session: str,
        messages: list[dict[str, Any]],
        kept: dict[str, Any],
        fields: dict[str, Any],
    ) -> list[Json]:
        """What capture makes of a conversation."""
        began, at = now(), fields["observed_at"]
        given = [{**one, "id": new_id(), **({"sent_at": at} if at is not None else {})} for one in messages]
        seen = await space.observe(session, given)
        await space.extract()
        ids = {outcome.id for outcome in seen.outcomes}
        results = []
        for note in await self._all(space):
            if ids.intersection(note.said_in):
                ends = {"expires_at": fields["expires_at"]} if fields["expires_at"] else {}
                noted = await space.update(note.id, metadata=kept, **ends)
                event = "ADD" if note.created_at >= began else "UPDATE"
                results.append(told(space.name, noted) | {"event": event})
        return results

    async def search(self, query: str, **how: Unpack[Search]) -> dict[str, list[Json]]:
        """What answers a query, best first."""
        check_names(how, Search)
        if not query.strip():
            raise InvalidInput("query: must not be empty.", field="query")
        wanted, most = filters_of(how), most_of(how)
        least = how.get("threshold") or 0.0
        if not 0 <= least <= 1:
            raise InvalidInput(f"threshold: must be from 0 to 1, not {least}.", field="threshold")
        space = self._space(owners_in(wanted))
        found = await space.recall(
            query,
            layers=[Layer.MEMORY],
            limit=_DEEPEST,
            max_tokens=8000,
            include_global=False,
            rerank=how.get("rerank") or None,
        )
        results = [
            told_hit(space.name, hit, hit.record, explain=how.get("explain", False))
            for hit in found.hits
            if isinstance(hit.record, Note) and holds(fields_of(hit.record), wanted)
        ]
        return {"results": [one for one in results if one["score"] >= least][:most]}

    async def get(self, memory_id: str) -> Json | None:
        """One memory by its id; None when it is gone."""
        try:
            space, note = await self._find(memory_id)
        except NotFound:
            return None
        return told(space.name, note)

    async def get_all(self, **which: Unpack[Listing]) -> dict[str, list[Json]]:
        """All memories of somebody, newest first."""
        check_names(which, Listing)
        wanted, most = filters_of(which), most_of(which)
        space = self._space(owners_in(wanted))
        found = [note for note in await self._all(space) if holds(fields_of(note), wanted)]
        return {"results": [told(space.name, note) for note in found[:most]]}

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Expiry = _KEPT,
        data: str | None = None,
    ) -> dict[str, str]:
        """Say a memory anew, or what goes with it; `data` is what mem0 1 called `text`."""
        said_anew = data if text is None else text
        if said_anew is None and metadata is None and expiration_date == _KEPT:
            raise InvalidInput("text: give it, or metadata, or expiration_date.", field="text")
        changes: dict[str, Any] = {"metadata": own_metadata(metadata)}
        if said_anew is not None:
            changes["content"] = said_anew
        if expiration_date != _KEPT:
            day, changes["expires_at"] = expiry(expiration_date)
            changes["metadata"] |= {EXPIRATION: day}
        space, note = await self._find(memory_id)
        await space.update(note.id, **changes)
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory; the journal keeps what it was."""
        space, note = await self._find(memory_id)
        await space.forget(note.id)
        return {"message": "Memory deleted successfully!"}

    async def delete_all(
        self, user_id: Owner = None, agent_id: Owner = None, run_id: Owner = None
    ) -> dict[str, str]:
        """Delete all memories of somebody."""
        owners = owners_given({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        space = self._space(owners)
        found = [note.id for note in await self._all(space) if holds(note.metadata, owners)]
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
            note: Note | None = await space.get(note_id)
        except NotFound:
            note = None
        return history(memory_id, lines, note)

    async def reset(self) -> None:
        """Delete every space that this has made, with all that is in them."""
        for listed in await self._memory.spaces.list():
            if listed.name.partition(":")[0] in ("user", "agent", "run"):
                await self._memory.spaces.delete(listed.name, confirm=listed.name)

    async def close(self) -> None:
        """Let go of the database."""
        await self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _space(self, owners: Mapping[str, str]) -> AsyncSpace:
        """The space of the user, else of the agent, else of the run."""
        for name in OWNERS:
            if value := owners.get(name):
                found = f"{name.removesuffix('_id')}:{value}"
                return self._memory.space(found if len(found) <= 250 else _short(found), actor="mem0")
        raise InvalidInput(
            f"filters: name whose memories these are, by one of {', '.join(OWNERS)}, such as"
            ' {"user_id": "alice"}.',
            field="filters",
        )

    def _place(self, memory_id: str) -> tuple[AsyncSpace, str]:
        space, _, note_id = str(memory_id).rpartition("/")
        if not space:
            raise NoSuchMemory(
                f"There is no memory {memory_id[:200]!r}; take an id from a result.", field="id"
            )
        return self._memory.space(space, actor="mem0"), note_id

    async def _find(self, memory_id: str) -> tuple[AsyncSpace, Note]:
        space, note_id = self._place(memory_id)
        core = await self._memory.inside.opened()
        try:
            await core.spaces.existing(space.name)  # looking for something makes no space
            return space, await space.get(note_id)
        except NotFound as error:
            raise NoSuchMemory(error.message, field="id") from None

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

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """A memory by Bethink's own settings; what mem0's configuration names is said to be of no use."""
        _warn_of(config_dict)
        return cls()

    def add(self, messages: Messages, **how: Unpack[Adding]) -> dict[str, list[Json]]:
        """Remember what is worth it of a conversation; with `infer=False`, every message as it is."""
        return self._loop.run(self._same.add(messages, **how))

    def search(self, query: str, **how: Unpack[Search]) -> dict[str, list[Json]]:
        """What answers a query, best first."""
        return self._loop.run(self._same.search(query, **how))

    def get(self, memory_id: str) -> Json | None:
        """One memory by its id; None when it is gone."""
        return self._loop.run(self._same.get(memory_id))

    def get_all(self, **which: Unpack[Listing]) -> dict[str, list[Json]]:
        """All memories of somebody, newest first."""
        return self._loop.run(self._same.get_all(**which))

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Expiry = _KEPT,
        data: str | None = None,
    ) -> dict[str, str]:
        """Say a memory anew, or what goes with it; `data` is what mem0 1 called `text`."""
        return self._loop.run(self._same.update(memory_id, text, metadata, expiration_date, data))

    def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory; the journal keeps what it was."""
        return self._loop.run(self._same.delete(memory_id))

    def delete_all(
        self, user_id: Owner = None, agent_id: Owner = None, run_id: Owner = None
    ) -> dict[str, str]:
        """Delete all memories of somebody."""
        return self._loop.run(self._same.delete_all(user_id, agent_id, run_id))

    def history(self, memory_id: str) -> list[Json]:
        """What became of a memory, oldest first."""
        return self._loop.run(self._same.history(memory_id))

    def reset(self) -> None:
        """Delete every space that this has made, with all that is in them."""
        self._loop.run(self._same.reset())

    def close(self) -> None:
        """Let go of the database."""
        self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _of_note(fields: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {name: value for name, value in {**fields, **more}.items() if value is not None}


def _short(name: str) -> str:
    kind = name.partition(":")[0]
    return f"{kind}:{hashlib.blake2b(name.encode(), digest_size=20).hexdigest()}"


def _warn_of(config: Mapping[str, Any]) -> None:
    if config:
        _log.warning(
            "mem0's configuration is not used (%s): set Bethink's own settings instead.", ", ".join(config)
        )
