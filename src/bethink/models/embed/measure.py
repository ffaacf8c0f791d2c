"""Opening a model whose vectors' length only the model itself knows."""

from __future__ import annotations

from typing import Protocol, TypeVar


class _Measurable(Protocol):
    async def measure(self) -> None: ...

    async def close(self) -> None: ...


_Opened = TypeVar("_Opened", bound=_Measurable)


async def measured(embedder: _Opened) -> _Opened:
    """The embedder once it knows its dimensions; if it cannot learn them, it is closed again."""
    try:
        await embedder.measure()
    except BaseException:
        await embedder.close()
        raise
    return embedder
