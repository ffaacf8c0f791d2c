"""A session of the OpenAI Agents SDK in a space: the conversation is kept, and remembered from.

    session = BethinkSession(memory, "chat-1")
    result = await Runner.run(agent, "Hi, I'm Anna.", session=session)

Needs `pip install 'bethink[openai-agents]'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

try:
    from agents.memory import SessionABC, SessionSettings
except ModuleNotFoundError as error:
    raise ImportError("The session needs a package: pip install 'bethink[openai-agents]'") from error

from bethink.integrations.calling import Calls
from bethink.integrations.history import History, said_in
from bethink.records import Json

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

    from bethink.memory import AsyncSpace
    from bethink.sync import Space

PLATFORM = "openai-agents"


class BethinkSession(SessionABC):
    """Keeps the items of a conversation in a session of a space."""

    def __init__(
        self,
        space: AsyncSpace | Space,
        session_id: str,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._calls = Calls(space)
        self._history = History(self._calls, session_id, PLATFORM)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items so far, or the newest of them, in their order."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return cast("list[TResponseInputItem]", await self._calls.do(self._history.items(limit)))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store what was said and done."""
        given = cast("list[Json]", [dict(item) for item in items])
        await self._calls.do(self._history.add([(*said_in(item), item) for item in given]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item away."""
        return cast("TResponseInputItem | None", await self._calls.do(self._history.pop()))

    async def clear_session(self) -> None:
        """Forget the whole conversation."""
        await self._calls.do(self._history.clear())
