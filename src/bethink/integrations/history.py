"""A conversation as frameworks keep it: items of their own shape, which are messages here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.clock import new_id
from bethink.integrations.calling import Calls
from bethink.records import Json, Message
from bethink.shapes.weaving import text_of
from bethink.store import messages

_PAGE = 1000
_ROLES = ("user", "assistant", "system", "tool")


class History:
    """The items of a session. What was said in them is read, remembered and recalled like everything else."""

    def __init__(self, calls: Calls, session: str, platform: str) -> None:
        self._calls, self._session, self._platform = calls, session, platform

    async def items(self, limit: int | None = None) -> list[Json]:
        """All items, or the newest, in their order."""
        found = [self._item(message) for message in await self._messages()]
        return found if limit is None else found[max(len(found) - limit, 0) :]

    async def add(self, items: Sequence[tuple[str, str, Json]]) -> None:
        """Store items, each with its role and its text."""
        drafts = [
            {
                "id": new_id(),  # or one that repeats the last would not be taken in
                "role": role if role in _ROLES else "system" if role == "developer" else "tool",
                "content": text.strip() or f"[{item.get('type') or role}]",
                "platform": self._platform,
                "metadata": {self._platform: item},
            }
            for role, text, item in items
        ]
        if drafts:
            await self._calls.space.observe(self._session, drafts)

    async def pop(self) -> Json | None:
        """Take the last item away."""
        found = await self._messages()
        if not found:
            return None
        await self._calls.space.messages.forget(found[-1].id)
        return self._item(found[-1])

    async def clear(self) -> None:
        """Forget all items, and what was taken from them alone."""
        if found := await self._messages():
            await self._calls.space.messages.forget(*(message.id for message in found))

    async def _messages(self) -> list[Message]:
        """The messages with nothing in them masked: a framework hands them on, or writes them back."""
        core, space = await self._calls.space.inside.here()
        found: list[Message] = []
        while True:
            after = found[-1].position if found else 0
            page = await core.driver.read(messages.of_session, space.id, self._session, after, _PAGE)
            found += page
            if len(page) < _PAGE:
                return found

    def _item(self, message: Message) -> Json:
        """An item as it was given; what came into the session elsewhere, as a plain message."""
        kept = message.metadata.get(self._platform)
        return kept if isinstance(kept, dict) else {"role": message.role, "content": message.content}


def said_in(item: Json) -> tuple[str, str]:
    """The role and the text of an item of OpenAI's responses, or of a chat message."""
    role = item.get("role")
    if isinstance(role, str):
        return role, text_of(item.get("content"))
    for name in ("arguments", "output"):
        if name in item:
            value: Any = item[name]
            told = value if isinstance(value, str) else text_of(value)
            return "tool", f"{item.get('name') or item.get('type')}: {told}"
    return "tool", ""
