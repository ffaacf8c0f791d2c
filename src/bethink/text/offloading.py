"""Work on long texts beside the event loop, so that other requests are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def beside(is_long: bool, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do some work: in a thread if it `is_long`, else right away, for a thread has its price."""
    return await asyncio.to_thread(work, *args, **kwargs) if is_long else work(*args, **kwargs)
