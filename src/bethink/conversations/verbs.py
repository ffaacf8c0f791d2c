"""What a space does with conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from bethink.clock import new_id, now
from bethink.conversations.begin import begin
from bethink.conversations.ingest import ingest
from bethink.conversations.observe import observe
from bethink.core import Handle
from bethink.records import Session
from bethink.shapes.fields import check_name, check_page, check_sizes, checked, checked_all
from bethink.shapes.ingest import Ingested, IngestMapping
from bethink.shapes.inputs import MessageDraft, SessionDraft
from bethink.shapes.keywords import MessageInput, SessionFields
from bethink.shapes.outcomes import Observed
from bethink.store import sessions


class Conversing(Handle):
    """What a space does with conversations."""

    async def begin(self, session: str | None = None, **fields: Unpack[SessionFields]) -> Session:
        """Begin a conversation, or change what is told of one; without a name it is given one.

        Observing messages begins a conversation too.
        """
        core, space = await self.inside.here()
        name = new_id() if session is None else session
        check_name(name, "session")
        (draft,) = core.secrecy.to_store([checked(SessionDraft, fields)])
        begun, _ = await core.driver.write(begin, space, name, draft, now(), self.inside.actor)
        await core.changed("session", space, session_id=name)
        return await self.inside.shown(begun)

    async def observe(
        self, session: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> Observed:
        """Take in messages of a conversation: `[{"role": "user", "content": "…"}, …]`.

        They are durable when this returns. OpenAI's and Anthropic's shapes are taken as they are.
        One with an `id` is taken in once, however often it comes; so are those without that repeat what the
        session ends with, as when a call is made twice or a conversation is handed in whole each time.
        """
        core, space = await self.inside.here()
        drafts = core.secrecy.to_store(checked_all(MessageDraft, messages, "messages"))
        check_name(session, "session")
        check_sizes(core.settings.limits, count=len(drafts), texts=[draft.content for draft in drafts])
        style = core.settings.index.text_form
        seen = await core.driver.write(observe, space, session, drafts, now(), self.inside.actor, style)
        await core.changed("message", space, session_id=session)
        return seen

    async def ingest(
        self,
        platform: str,
        payload: Any,
        *,
        mapping: IngestMapping | Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> Ingested:
        """Take in messages as another program posts them, in a shape of its own.

        `mapping` says where in it what is; left out, the one that the option `ingest` has for the platform
        does. A message is taken in once under its id. A dry run shows what would be observed.
        """
        core, space = await self.inside.here()
        read = None if mapping is None else checked(IngestMapping, mapping)
        return await ingest(core, space, platform, payload, read, self.inside.actor, dry_run=dry_run)

    async def sessions(self, limit: int = 50) -> list[Session]:
        """Conversations, the most recently active first."""
        core, space = await self.inside.here()
        check_page(limit)
        return await self.inside.shown(await core.driver.read(sessions.newest, space.id, limit))
