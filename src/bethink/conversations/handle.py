"""The façade's part about conversations that their callers send whole each time, as chat clients do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bethink.clock import now
from bethink.conversations.follow import answered, follow, is_new, locate
from bethink.core import Handle
from bethink.shapes.fields import check_name
from bethink.shapes.inputs import MessageDraft, checked_all
from bethink.shapes.keywords import MessageInput
from bethink.shapes.limits import check_sizes
from bethink.shapes.outcomes import Observed


class AsyncConversations:
    """Conversations that are sent whole each time; what was said before is known again by its words."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def follow(
        self,
        session: str,
        messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]],
        *,
        whole: bool = True,
    ) -> Observed:
        """Take in a conversation so far: what is new of it is stored, what was said anew is replaced.

        Not `whole`, the messages only go on with what is stored, whatever they say.
        """
        engine, space = await self._space.inside.here()
        drafts = checked_all(MessageDraft, messages, "messages")
        check_name(session, "session")
        check_sizes(engine.settings.limits, count=len(drafts), texts=[draft.content for draft in drafts])
        style, actor = engine.settings.index.document, self._space.inside.actor
        seen = await engine.driver.write(follow, space, session, drafts, now(), actor, style, whole=whole)
        await engine.changed("message", space, session_id=session)
        return seen

    async def locate(
        self, opening: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> str:
        """The session that a conversation goes on with; `opening` names all that begin like it."""
        engine, space = await self._space.inside.here()
        check_name(opening, "opening")
        drafts = checked_all(MessageDraft, messages, "messages")
        if await engine.driver.peek(is_new, space, opening):
            return opening
        return await engine.driver.read(locate, space, opening, drafts)

    async def answered(self, answer_id: str) -> str | None:
        """The session in which an answer was given, by the id that its host gave it."""
        engine, space = await self._space.inside.here()
        check_name(answer_id, "answer_id")
        return await engine.driver.read(answered, space, answer_id)
