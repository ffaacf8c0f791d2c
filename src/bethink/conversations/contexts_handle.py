"""The façade's part about contexts: texts that are given to conversations."""

from __future__ import annotations

from typing import Unpack

from bethink.clock import now
from bethink.conversations import contexts as changes
from bethink.core import Handle
from bethink.records import Context
from bethink.shapes.fields import check_name, check_sizes, checked
from bethink.shapes.inputs import ContextChange, ContextDraft
from bethink.shapes.keywords import ContextChanges
from bethink.store import contexts


class AsyncContexts:
    """The contexts of a space. What stands in one is not remembered again from a conversation."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def add(self, name: str, content: str) -> Context:
        """Store a context."""
        core, space = await self._space.inside.here()
        draft = checked(ContextDraft, {"name": name, "content": content})
        check_sizes(core.settings.limits, texts=[draft.content])
        (draft,) = core.secrecy.to_store([draft])
        added = await core.driver.write(changes.add, space, draft, now(), self._space.inside.actor)
        return await self._space.inside.shown(added)

    async def list(self, *, session: str | None = None) -> list[Context]:
        """Every context, or those given to a session."""
        core, space = await self._space.inside.here()
        if session is None:
            return await self._space.inside.shown(await core.driver.read(contexts.list_all, space.id))
        check_name(session, "session")
        found = await core.driver.read(changes.of_session, space.id, session)
        return await self._space.inside.shown(found)

    async def get(self, context_id: str, *, secrets: bool = False) -> Context:
        """One context by its id; with `secrets`, with those in it, which the journal notes."""
        core, space = await self._space.inside.here()
        found = await core.driver.read(changes.get, space, context_id)
        return await self._space.inside.shown(found, secrets=secrets)

    async def update(self, context_id: str, **fields: Unpack[ContextChanges]) -> Context:
        """Change what is given of it; the rest stays."""
        core, space = await self._space.inside.here()
        (change,) = core.secrecy.to_store([checked(ContextChange, fields)])
        check_sizes(core.settings.limits, texts=[change.content or ""])
        changed = await core.driver.write(
            changes.change, space, context_id, change, now(), self._space.inside.actor
        )
        return await self._space.inside.shown(changed)

    async def remove(self, context_id: str) -> Context:
        """Delete it, and take it from every session."""
        core, space = await self._space.inside.here()
        gone = await core.driver.write(changes.remove, space, context_id, now(), self._space.inside.actor)
        return await self._space.inside.shown(gone)
