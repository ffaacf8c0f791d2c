"""Says what changes in folders and files, as it happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from bethink.errors import InvalidInput

LOOK_MS = 1000  # how often it says that nothing changed


async def changes(paths: Sequence[str | Path]) -> AsyncGenerator[set[Path], None]:
    """What changed in them since the last time; first, once it began to look, nothing."""
    try:
        from watchfiles import awatch
    except ImportError:
        raise InvalidInput(
            "watch: needs the extra: pip install 'bethink[documents]'.", field="watch"
        ) from None
    began = False
    async for seen in awatch(*paths, rust_timeout=LOOK_MS, yield_on_timeout=True):
        if not began:  # whoever looks at everything now misses nothing, whatever is seen already
            began = True
            yield set()
        if seen:
            yield {Path(path) for _, path in seen}
