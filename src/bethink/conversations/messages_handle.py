"""The façade's part about messages: what was said, one message at a time."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import Unpack

from bethink.clock import now
from bethink.conversations import messages as changes
from bethink.conversations.search import search
from bethink.core import Core, Handle
from bethink.recall.gather import AccessLog
from bethink.records import Layer, Message, Record, Space
from bethink.shapes.fields import check_name, check_page, checked, checked_reason
from bethink.shapes.inputs import MessageChange, MessageQuery, MessageSearch
from bethink.shapes.keywords import MessageChanges, MessageFilters, MessageSearchOptions
from bethink.shapes.outcomes import MessageDetail, MessageList, MessageResults
from bethink.shapes.rights import Cursor, place_of
from bethink.store import messages
from bethink.store.filters import MessageFilter


class _Place(Record):
    cursor: Cursor | None = None


class AsyncMessages:
    """The messages of a space: what was said, word for word."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def of(
        self, session: str, *, after: int = 0, limit: int = 100, secrets: bool = False
    ) -> builtins.list[Message]:
        """The messages of a conversation in order, beginning after a position.

        Secrets in them are masked; with `secrets` they are as they were said, which the journal notes.
        """
        core, space = await self._space.inside.here()
        check_name(session, "session")
        check_page(limit, after, "after")
        found = await core.driver.read(messages.of_session, space.id, session, after, limit)
        return await self._space.inside.shown(found, secrets=secrets)

    async def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        original: bool = False,
        secrets: bool = False,
        **filters: Unpack[MessageFilters],
    ) -> MessageList:
        """Messages of all conversations, newest first; `cursor` is the `next_cursor` of the page before.

        An archived one says how it begins; with `original` all that was said.
        """
        core, space = await self._space.inside.here()
        check_page(limit)
        place = checked(_Place, {"cursor": cursor}).cursor
        before = place_of(place) if place else None
        chosen = await _chosen(core, space, filters)
        page = await core.driver.read(changes.list_page, space.id, chosen, limit, before, original)
        page.items = await self._space.inside.shown(page.items, secrets=secrets)
        return page

    async def count(self, **filters: Unpack[MessageFilters]) -> int:
        """How many messages there are, or how many of them the filters choose."""
        core, space = await self._space.inside.here()
        return await core.driver.read(messages.count, space.id, await _chosen(core, space, filters))

    async def search(self, query: str, **options: Unpack[MessageSearchOptions]) -> MessageResults:
        """Messages that answer a query, best first: `await memory.messages.search("boiler", limit=5)`.

        Where fewer than `least` do, summaries are searched too, and `fallback` says so: with one, all come
        newest first. Without a query, what was said in the time from `since` to `until`.
        """
        core, space = await self._space.inside.here()
        found = await search(core, space, checked(MessageSearch, {"query": query, **options}))
        core.part(AccessLog).note(found.hits)
        if options.get("secrets"):
            await self._space.inside.shown(found.hits, secrets=True)
        return found

    async def get(self, message_id: str, *, original: bool = False, secrets: bool = False) -> MessageDetail:
        """One message by its id, which counts as a use of it; an archived one in short, or its `original`."""
        core, space = await self._space.inside.here()
        found = await core.driver.read(changes.detail, space, message_id, original=original)
        core.part(AccessLog).count([(space.id, Layer.MESSAGE, message_id)])
        return await self._space.inside.shown(found, secrets=secrets)

    async def update(self, message_id: str, **fields: Unpack[MessageChanges]) -> Message:
        """Change who said it, what it is worth, whether it is pinned or archived; the rest stays.

        What was taken from it is read again when somebody else said it.
        """
        core, space = await self._space.inside.here()
        (asked,) = core.secrecy.to_store([checked(MessageChange, fields)])
        style = core.settings.index.text_form
        changed = await core.driver.write(
            changes.change, space, message_id, asked, now(), self._space.inside.actor, style
        )
        await core.changed("message", space, session_id=changed.session_id)
        return await self._space.inside.shown(changed)

    async def pin(self, message_id: str, pinned: bool = True) -> Message:
        """Pin a message, so that it ranks higher and is never archived by itself; or unpin it."""
        return await self.update(message_id, pinned=pinned)

    async def archive(self, message_id: str, archived: bool = True) -> Message:
        """Archive a message: it is kept, and no longer found by a recall. Or take it out of the archive."""
        return await self.update(message_id, archived=archived)

    async def forget(self, *message_ids: str, reason: str | None = None) -> builtins.list[Message]:
        """Delete messages, and what was taken from them alone; the journal keeps what they were."""
        core, space = await self._space.inside.here()
        why, style = checked_reason(reason), core.settings.index.text_form
        gone = []
        for message_id in dict.fromkeys(message_ids):
            gone.append(
                await core.driver.write(
                    changes.forget, space, message_id, now(), self._space.inside.actor, style, reason=why
                )
            )
            await core.changed("message", space)
        return await self._space.inside.shown(gone)


async def _chosen(core: Core, space: Space, filters: MessageFilters) -> MessageFilter:
    """What filters choose; of what is not archived, without what is over the retention time."""
    query = checked(MessageQuery, filters)
    chosen = MessageFilter(**{name: getattr(query, name) for name in MessageQuery.model_fields})
    if chosen.archived is not False:
        return chosen
    return replace(chosen, kept_since=await core.options.kept_since(space, now()))
