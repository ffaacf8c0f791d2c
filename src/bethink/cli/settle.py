"""Give what was just written its vectors before the process ends, within reason."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING

from bethink.cli.output import Output
from bethink.cli.progress import progress_bar

if TYPE_CHECKING:
    from bethink.memory import AsyncBethink, AsyncSpace

LEAST_SECONDS = 60.0
SECONDS_PER_ENTRY = 0.25  # far more than a working source needs
SHOWN_FROM = 64  # entries; fewer are done before a progress bar could be read
_LOOK_SECONDS = 0.25


async def settle(memory: AsyncBethink, space: AsyncSpace, out: Output) -> None:
    """Wait for the vectors. A source that fails has warned already; one that hangs is not waited for."""
    settling = asyncio.ensure_future(memory.settle())
    await asyncio.wait({settling}, timeout=_LOOK_SECONDS)
    if not settling.done():
        await _watch(settling, space, out)
    if settling.done():
        await settling
        return
    settling.cancel()
    await asyncio.wait({settling})
    out.warn(
        "Everything is stored, but its vectors are slow to come and are left for later: the next recall, a"
        " running server or 'bethink reindex' makes them."
    )


async def _watch(settling: asyncio.Future[None], space: AsyncSpace, out: Output) -> None:
    waiting = (await space.stats()).awaiting_vectors
    clock = asyncio.get_running_loop().time
    deadline = clock() + LEAST_SECONDS + SECONDS_PER_ENTRY * waiting
    bar = progress_bar(out, "Making vectors", waiting) if waiting >= SHOWN_FROM and out.lively else None
    with bar or nullcontext() as show:
        while not settling.done() and clock() < deadline:
            await asyncio.wait({settling}, timeout=_LOOK_SECONDS)
            if show:
                show(waiting - (await space.stats()).awaiting_vectors, waiting, None)
