"""What changes in a folder is told as it happens, after one look at everything."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

from bethink.documents.watch import changes


async def test_everything_is_looked_at_first_also_where_something_changes_at_once(tmp_path: Path) -> None:
    async with aclosing(changes([tmp_path])) as seen:
        first = asyncio.ensure_future(anext(seen))
        while not first.done():
            await asyncio.to_thread((tmp_path / "note.md").write_text, "new")
            await asyncio.sleep(0.01)
        assert await first == set()
        assert await anext(seen) == {tmp_path / "note.md"}
