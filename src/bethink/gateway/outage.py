"""When the database does not answer: nobody waits for it long, and conversations go on without memory."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bethink.access import Principal
from bethink.errors import Damaged, StoreError

_log = logging.getLogger(__name__)

PATIENCE_SECONDS = 1.0  # a database that has not answered by then is down
PAUSE_SECONDS = 5.0  # for so long nobody asks it again; then one request does
KEY_SECONDS = 24 * 3600.0  # for so long a key that the database knew opens the gateway while it is down
MOST_KEYS = 10_000  # the one unused for longest goes first

T = TypeVar("T")


class DatabaseDown(StoreError):
    """The database does not answer."""


class Database:
    """Asks the database with little patience, and remembers for some seconds that it did not answer."""

    def __init__(self) -> None:
        self._ask_again_at = 0.0
        self._is_down = False

    async def ask(self, question: Callable[[], Awaitable[T]]) -> T:
        """What the database answers. Raises `DatabaseDown` at once while it is known to be down."""
        if time.monotonic() < self._ask_again_at:
            raise DatabaseDown
        if self._is_down:  # this one looks whether it is back, and the others need not wait with it
            self._ask_again_at = time.monotonic() + PATIENCE_SECONDS
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                answer = await question()
        except Damaged:
            raise  # one record cannot be read; the database answers
        except (StoreError, TimeoutError) as error:
            self._note_down(str(error) or f"no answer within {PATIENCE_SECONDS:g} s")
            raise DatabaseDown from error
        self._note_up()
        return answer

    def _note_down(self, reason: str) -> None:
        self._ask_again_at = time.monotonic() + PAUSE_SECONDS
        if not self._is_down:
            _log.error("The database is down, and conversations go on without memory: %s", reason)
        self._is_down = True

    def _note_up(self) -> None:
        self._ask_again_at = 0.0
        if self._is_down:
            _log.warning("The database is back, and conversations have memory again")
        self._is_down = False


class KnownKeys:
    """The keys that the database knew when it was last asked; by their hashes, as it has them."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Principal, float]] = OrderedDict()

    def keep(self, key_hash: str, principal: Principal) -> None:
        """Remember whose key it is."""
        self._known[key_hash] = (principal, time.monotonic())
        self._known.move_to_end(key_hash)
        while len(self._known) > MOST_KEYS:
            self._known.popitem(last=False)

    def drop(self, key_hash: str) -> None:
        """Forget a key that the database does not know any more."""
        self._known.pop(key_hash, None)

    def find(self, key_hash: str) -> Principal | None:
        """Whose key it was when the database last said so; None when that is long ago, or it never did."""
        principal, at = self._known.get(key_hash, (None, 0.0))
        return principal if time.monotonic() - at <= KEY_SECONDS else None
