"""A space as frameworks use it, which call it with `await` and without, often in turns."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from bethink.errors import BethinkError
from bethink.sync.mirror import Mirror, loop_of, original_of

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.sync import Space

T = TypeVar("T")


class Calls:
    """Calls of a space: `AsyncBethink` or one of its spaces, or for calls without `await` too, `Bethink`."""

    def __init__(self, space: AsyncSpace | Space) -> None:
        mirrored = isinstance(space, Mirror)
        self._loop = loop_of(space) if mirrored else None  # type: ignore[arg-type]
        self.space: AsyncSpace = original_of(space) if mirrored else space  # type: ignore[arg-type, assignment]

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work for a caller that does not await it."""
        if self._loop is None:
            work.close()
            raise BethinkError("This is called without await, so it needs Bethink rather than AsyncBethink.")
        return self._loop.run(work)

    async def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work for a caller that awaits it."""
        return await (asyncio.to_thread(self._loop.run, work) if self._loop else work)
