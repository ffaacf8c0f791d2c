"""What a space does with memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.memories import revise
from bethink.memories.listing import forget_together, list_page, listed, search_page
from bethink.memories.remember import remember, turns
from bethink.records import Memory
from bethink.shapes.fields import check_page, check_sizes, checked, checked_all, checked_reason
from bethink.shapes.inputs import MemoryChange, MemoryDraft
from bethink.shapes.keywords import MemoryChanges, MemoryFields, MemoryFilters, MemoryInput
from bethink.shapes.outcomes import (
    Forgotten,
    MemoryPage,
    Remembered,
)
from bethink.store import memories


class Remembering(Handle):
    """What a space does with memories."""

    async def remember(self, content: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory: `await memory.remember("Anna is allergic to peanuts", tags=["health"])`.

        The outcome says what happened: `stored`; `merged` into the memory that its key names; or `duplicate`.
        """
        return (await self.remember_many([checked(MemoryDraft, {"content": content, **fields})]))[0]

    async def remember_many(
        self, drafts: Sequence[MemoryInput | MemoryDraft | Mapping[str, Any]]
    ) -> list[Remembered]:
        """Store many memories in one transaction; one outcome each, in order.

        For example `await memory.remember_many([{"content": "Likes tea"}, {"content": "Has a cat"}])`.
        """
        core, space = await self.inside.here()
        found = core.secrecy.to_store(checked_all(MemoryDraft, drafts, "memories"))
        check_sizes(core.settings.limits, count=len(found), texts=[draft.content for draft in found])
        outcomes = await core.driver.write_in_turn(
            turns(space, found), remember, space, found, now(), self.inside.actor
        )
        await core.changed("memory", space)
        return await self.inside.shown(outcomes)

    async def get(self, memory_id: str, *, secrets: bool = False) -> Memory:
        """One memory by its id; with `secrets`, with those in it, which the journal notes."""
        core, space = await self.inside.here()
        memory = await core.driver.read(revise.get, space, memory_id)
        return await self.inside.shown(memory, secrets=secrets)

    async def update(
        self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory:
        """Change what is given of a memory; metadata is merged one level deep. The journal keeps `reason`."""
        core, space = await self.inside.here()
        (change,) = core.secrecy.to_store([checked(MemoryChange, changes)])
        check_sizes(core.settings.limits, texts=[change.content or ""])
        why = checked_reason(reason)
        changed = await core.driver.write(
            revise.update, space, memory_id, change, now(), self.inside.actor, reason=why
        )
        await core.changed("memory", space)
        return await self.inside.shown(changed)

    async def pin(self, memory_id: str, pinned: bool = True) -> Memory:
        """Pin a memory, so that it ranks higher and does not age; or unpin it."""
        return await self.update(memory_id, pinned=pinned)

    async def replace(
        self, memory_id: str, content: str, *, reason: str | None = None, **fields: Unpack[MemoryFields]
    ) -> Memory:
        """Make a memory what this says; a field that is left out has its default again.

        Only when it was observed stays, if nothing else is said.
        """
        core, space = await self.inside.here()
        draft, why = checked(MemoryDraft, {"content": content, **fields}), checked_reason(reason)
        check_sizes(core.settings.limits, texts=[draft.content])
        (draft,) = core.secrecy.to_store([draft])
        changed = await core.driver.write(
            revise.replace, space, memory_id, draft, now(), self.inside.actor, reason=why
        )
        await core.changed("memory", space)
        return await self.inside.shown(changed)

    async def forget(self, *memory_ids: str, reason: str | None = None) -> list[Memory]:
        """Delete memories, from the index too; what they were is returned and kept in the journal."""
        core, space = await self.inside.here()
        why = checked_reason(reason)
        gone = await core.driver.write(revise.forget, space, memory_ids, now(), self.inside.actor, reason=why)
        return await self.inside.shown(gone)

    async def forget_many(
        self, *, dry_run: bool = False, reason: str | None = None, **filters: Unpack[MemoryFilters]
    ) -> Forgotten:
        """Delete all memories that the filters choose; at least one is needed.

        With `dry_run` the answer only says how many that would be, with a sample.
        """
        core, space = await self.inside.here()
        gone = await forget_together(core, space, self.inside.actor, filters, dry_run, reason)
        return await self.inside.shown(gone)

    async def list(
        self, *, limit: int = 50, offset: int = 0, secrets: bool = False, **filters: Unpack[MemoryFilters]
    ) -> list[Memory]:
        """Memories, newest first. A filter list that is empty matches nothing.

        With `secrets`, with those in them, which the journal notes.
        """
        core, space = await self.inside.here()
        wanted = await listed(core, space, filters)
        check_page(limit, offset)
        found = await core.driver.read(memories.page, space.id, wanted, limit, offset)
        return await self.inside.shown(found, secrets=secrets)

    async def page(
        self,
        *,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        cursor: str | None = None,
        secrets: bool = False,
        **filters: Unpack[MemoryFilters],
    ) -> MemoryPage:
        """Memories, newest first, with how many there are.

        With a `query`, those that answer it, best first and 200 deep. `cursor` is the `next_cursor` of the
        page before: nothing comes twice, whatever is added meanwhile.
        """
        core, space = await self.inside.here()
        if query is not None:
            page = await search_page(core, space, query, limit, offset, cursor, filters)
        else:
            page = await list_page(core, space, limit, offset, cursor, filters)
        page.items = await self.inside.shown(page.items, secrets=secrets)
        return page

    async def count(self, **filters: Unpack[MemoryFilters]) -> int:
        """How many memories there are, or how many of them the filters choose."""
        core, space = await self.inside.here()
        return await core.driver.read(memories.count, space.id, await listed(core, space, filters))
