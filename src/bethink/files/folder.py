"""SOUL.md and MEMORY.md of each space, as files that people can read and edit.

The database is the truth and the files mirror it. A copy of each file as it was when the two last agreed is
kept in `.agreed`; from it, the file and the database, one can tell who changed what since.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Hashable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import AsyncFileLock, Timeout

from bethink.clock import now
from bethink.errors import BethinkError, NotFound, StoreError
from bethink.files.folder_names import AGREED, folder_name, is_of_another, make_room, mark_of, unmarked
from bethink.files.reconcile import MEMORY, SOUL, Merged, OnDisk, merge
from bethink.records import Space
from bethink.settings.private import FILE_MODE, make_private_folder
from bethink.shapes.fields import is_storable
from bethink.shapes.outcomes import FilesSynced
from bethink.store import Driver, spaces
from bethink.text.secrets import Secrecy

ACTOR = "file"
LONGEST_FILE = 1_000_000  # bytes
TRIES = 3  # when a file is edited in the very moment
LOCK_SECONDS, LOCK_PAUSE = 30.0, 0.01  # how long another process is waited for, and between two looks
_log = logging.getLogger(__name__)


class SpaceFiles:
    """The files of the spaces of one database, in one folder; without a folder there are none."""

    def __init__(self, driver: Driver, folder: Path | None, secrecy: Secrecy) -> None:
        self._driver, self._root, self._secrecy = driver, folder, secrecy
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._seen: dict[str, Any] = {}
        self._problems: dict[str, list[str]] = {}

    def folder(self, space: Space) -> Path | None:
        """Where a space's files are."""
        return self._root / folder_name(space.id, space.name) if self._root else None

    async def folder_now(self, space: Space) -> Path | None:
        """Where its files are, whatever it is called by now."""
        try:
            return self.folder(await self._driver.peek(spaces.get, space.id))
        except NotFound:
            return None

    async def refresh(self, space: Space, *known: Hashable) -> tuple[bool, list[str]]:
        """Take in edits and write changes, if there are any; whether there were edits, and what is wrong.

        `known` is all that the files depend on: while it and the files are as they were, nothing is done.
        """
        folder = self.folder(space)
        if folder is None:
            return False, []
        state = (await asyncio.to_thread(_stamps, folder), *known)
        if self._seen.get(space.id) == state:
            return False, self._problems.get(space.id, [])
        done = await self.sync(space)
        if not done.problems:
            self._seen[space.id] = (await asyncio.to_thread(_stamps, folder), *state[1:])
        return bool(done.read), done.problems

    async def sync(self, space: Space, actor: str = ACTOR) -> FilesSynced:
        """Bring the files of a space and the database together; what could not be done is in the outcome."""
        folder = self.folder(space)
        if folder is None:
            return FilesSynced()
        try:
            done = await self._sync(space, folder, actor)
        except (OSError, UnicodeDecodeError, StoreError) as error:
            done = FilesSynced(problems=[_explained(error, folder)])
        self._problems[space.id] = done.problems
        for problem in (*done.problems, *done.conflicts):
            _log.warning("The files of space %s: %s", space.id, problem.partition(":")[0])
        return done

    @asynccontextmanager
    async def alone(self, *whose: Space) -> AsyncIterator[None]:
        """Within, nobody else touches the folders of these spaces, of whichever process.

        Two that wrote in turns could take what the other has just added for deleted by hand. To rename a
        space, name it as it is and as it will be: nobody then writes to where its files were, or finds there
        what is not theirs.
        """
        folders = sorted({folder for space in whose if (folder := self.folder(space))})
        async with AsyncExitStack() as held:
            for folder in folders:
                await held.enter_async_context(self._locks[folder.name])
            for folder in folders:
                await _lock(folder, held)
            try:
                yield
            finally:
                await asyncio.to_thread(_unlock_nothing, folders)

    async def move(self, before: Space, after: Space) -> None:
        """Let the files follow a space to its new name; call it within `alone`."""
        old, new = self.folder(before), self.folder(after)
        if old is None or new is None or old == new:
            return
        try:
            await asyncio.to_thread(_move, old, new, after.id)
        except OSError as error:
            raise StoreError(f"The files cannot be moved. {_explained(error, old)}") from None

    async def remove(self, space: Space) -> list[str]:
        """Delete the files of a space; the names of those that could not be. Call it within `alone`."""
        folder = self.folder(space)
        return await asyncio.to_thread(_delete, folder, space.id) if folder else []

    async def _sync(self, space: Space, folder: Path, actor: str) -> FilesSynced:
        for _ in range(TRIES):
            async with self.alone(space):
                try:
                    current = await self._driver.peek(spaces.get, space.id)
                except NotFound:  # its folder, if there is one, is another's by now
                    return FilesSynced()
                where = self.folder(current) or folder
                if where == folder:
                    return await self._agree(current, folder, actor)
            space, folder = current, where  # it has another name by now
        return FilesSynced(problems=["the space was renamed all the while; the next turn tries again"])

    async def _agree(self, space: Space, folder: Path, actor: str) -> FilesSynced:
        everything = FilesSynced()
        await asyncio.to_thread(make_room, folder, space.id)
        for _ in range(TRIES):
            disk = await asyncio.to_thread(_read, folder)
            moment = now()
            merged = await self._driver.write(merge, space, disk, moment, actor, self._secrecy)
            _add(everything, merged.done)
            settled, written, kept = await asyncio.to_thread(_write, folder, disk, merged, moment)
            everything.written = list(dict.fromkeys([*everything.written, *written]))
            everything.kept += kept
            if settled:
                await asyncio.to_thread(_mark, folder, space.id)
                return everything
        everything.problems.append("the files were edited all the while; the next turn tries again")
        return everything


async def _lock(folder: Path, held: AsyncExitStack) -> None:
    path = _lock_file(folder)
    try:
        await asyncio.to_thread(make_private_folder, path.parent)
    except OSError as error:
        if await asyncio.to_thread(folder.is_dir):
            raise StoreError(f"The files cannot be locked. {_explained(error, folder)}") from None
        return  # there are none, nor can there be: whoever tries to write one says so
    lock = AsyncFileLock(path, timeout=LOCK_SECONDS, mode=0o600, poll_interval=LOCK_PAUSE)
    try:
        await held.enter_async_context(lock)
    except Timeout:
        raise StoreError("another process is busy with the files of this space; try again") from None
    except OSError as error:
        raise StoreError(f"The files cannot be locked. {_explained(error, folder)}") from None


def _lock_file(folder: Path) -> Path:
    return folder.parent / ".locks" / folder.name


def _read(folder: Path) -> dict[str, OnDisk]:
    return {name: OnDisk(_text(folder / name), _text(folder / AGREED / name)) for name in (SOUL, MEMORY)}


def _text(path: Path) -> str | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(content) > LONGEST_FILE:
        raise StoreError(f"{path.name} is longer than {LONGEST_FILE:,} bytes; make it shorter.")
    text = content.decode("utf-8-sig").replace("\r\n", "\n")
    if not is_storable(text):
        raise StoreError(f"{path.name} holds NUL characters; remove them.")
    return text


def _write(
    folder: Path, disk: dict[str, OnDisk], merged: Merged, moment: datetime
) -> tuple[bool, list[str], list[str]]:
    """Write what changed; whether no one else has written meanwhile, what was written, what was put aside."""
    written: list[str] = []
    kept: list[str] = []
    for name, text in merged.texts.items():
        there = disk[name]
        if _text(folder / name) != there.text:
            return False, written, kept
        if name in merged.aside:
            aside = folder / f"{Path(name).stem}.conflict-{moment:%Y%m%dT%H%M%S}.md"
            _replace(aside, merged.aside[name])
            kept.append(aside.name)
        if text != there.text and (text or there.text is not None):
            _replace(folder / name, text)
            written.append(name)
        if text != there.base and (text or there.base is not None):
            _replace(folder / AGREED / name, text)
    return True, written, kept


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, readable by its owner only."""
    make_private_folder(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        os.chmod(temporary, FILE_MODE)  # whatever the umask took away
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mark(folder: Path, space_id: str) -> None:
    if unmarked(folder):
        _replace(mark_of(folder), f"{space_id}\n")


def _move(old: Path, new: Path, space_id: str) -> None:
    if old.is_dir() and not is_of_another(old, space_id):
        make_room(new, space_id)
        old.rename(new)


def _delete(folder: Path, space_id: str) -> list[str]:
    """Delete a folder; what is left in it."""
    with suppress(OSError):  # what cannot be read cannot be deleted either, and is in the answer
        if is_of_another(folder, space_id):
            return []
    shutil.rmtree(folder, ignore_errors=True)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _unlock_nothing(folders: Iterable[Path]) -> None:
    """Where there is no folder, leave no lock of its name either; call it while the locks are held."""
    for folder in folders:
        if not folder.exists():
            with suppress(OSError):
                _lock_file(folder).unlink()


def _stamps(folder: Path) -> tuple[Any, ...]:
    """What tells that a file has changed, without reading it."""
    return tuple(_stamp(folder / name) for name in (SOUL, MEMORY))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _add(everything: FilesSynced, done: FilesSynced) -> None:
    everything.read = list(dict.fromkeys([*everything.read, *done.read]))
    everything.facts_set += done.facts_set
    everything.facts_dropped += done.facts_dropped
    everything.conflicts += [text for text in done.conflicts if text not in everything.conflicts]
    everything.problems += [text for text in done.problems if text not in everything.problems]


def _explained(error: Exception, folder: Path) -> str:
    if isinstance(error, BethinkError):
        return error.message
    if isinstance(error, UnicodeDecodeError):
        return "a file is not UTF-8; save it as UTF-8"
    return f"{getattr(error, 'filename', None) or folder}: {getattr(error, 'strerror', None) or error}"
