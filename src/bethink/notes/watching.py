"""Takes in notes as they change, while a server runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import aclosing, suppress
from pathlib import Path

from bethink.core import Core
from bethink.documents.watch import changes
from bethink.errors import BethinkError, InvalidInput
from bethink.files.folder import SpaceFiles
from bethink.notes.folder import NOTES
from bethink.notes.syncing import Notes
from bethink.settings.private import make_private_folder
from bethink.store import spaces

_log = logging.getLogger(__name__)


class Watching:
    """Watches the folder with the folders of all spaces."""

    def __init__(self, core: Core) -> None:
        self._core, self._root = core, core.settings.files_folder
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Watch from now on, in the background."""
        if self._root is not None and self._task is None:
            self._task = asyncio.create_task(self._watch(self._root))

    async def close(self) -> None:
        """Watch no more."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _watch(self, root: Path) -> None:
        try:
            make_private_folder(root)
            async with aclosing(changes([root])) as seen:
                async for paths in seen:
                    await self._take_in(root, paths)
        except (InvalidInput, OSError) as error:
            why = getattr(error, "message", None) or error
            _log.warning("Notes are not watched, and are looked at when they are asked for: %s", why)

    async def _take_in(self, root: Path, paths: Iterable[Path]) -> None:
        """Look at the notes of the spaces whose files these are; at all where none is named."""
        parts = [path.relative_to(root).parts for path in paths]
        changed = {part[0] for part in parts if part[1:2] == (NOTES,)}
        if parts and not changed:
            return
        files, notes = self._core.part(SpaceFiles), self._core.part(Notes)
        for space in await self._core.driver.read(spaces.list_all):
            folder = files.folder(space)
            if folder is None or (changed and folder.name not in changed) or not (folder / NOTES).is_dir():
                continue
            try:
                await notes.sync(space)
            except BethinkError as error:
                _log.warning("The notes of space %s: %s", space.id, error.message)
