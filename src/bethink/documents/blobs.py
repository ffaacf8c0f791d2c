"""Keeps the files themselves, by their content's hash: in a folder, or where an fsspec URL says.

What is still being sent lies beside them in the folder of this machine, under the hash that was announced or
under a name of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bethink.clock import new_id
from bethink.errors import StoreError
from bethink.records import Space
from bethink.settings import Settings
from bethink.settings.private import FILE_MODE, make_private_folder
from bethink.settings.sections import expanded

CHUNK = 1 << 20
PART = ".part"
_HASH = re.compile(r"[0-9a-f]{64}")
STALE_SECONDS = 24 * 3600.0  # after which nobody goes on sending what was begun


class Blobs:
    """The files of every space; each has a folder of its own."""

    def __init__(self, folder: Path, store: str | None, *, passing: bool = False) -> None:
        self._folder, self._store, self._passing = folder, store, passing
        self._remote: Any = None
        self._root = ""

    async def close(self) -> None:
        """Let go of what is not to last."""
        if self._passing:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def begin(self, space: Space, name: str | None = None) -> Path:
        """Where to write what is being sent; goes on with what was sent under this name."""
        folder = self._folder / space.id
        make_private_folder(folder)
        path = folder / f"{name or f'new-{new_id()}'}{PART}"
        path.touch(FILE_MODE)
        return path

    def keep(self, space: Space, path: Path, content_hash: str) -> None:
        """Put a file that is complete in its place."""
        if not self._store:
            path.replace(self._local(space, content_hash))
            return
        remote = self._filesystem()
        with _explained(self._store):
            remote.makedirs(f"{self._root}/{space.id}", exist_ok=True)
            remote.put_file(str(path), self._there(space, content_hash))
        path.unlink()

    def has(self, space: Space, content_hash: str) -> bool:
        """Whether a file is kept."""
        if not self._store:
            return self._local(space, content_hash).is_file()
        with _explained(self._store):
            return bool(self._filesystem().exists(self._there(space, content_hash)))

    @asynccontextmanager
    async def at_hand(self, space: Space, content_hash: str) -> AsyncIterator[Path]:
        """A file as one of this machine, for a while."""
        if not self._store:
            yield self._local(space, content_hash)
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            await asyncio.to_thread(self._fetch, space, content_hash, path)
            yield path

    def _fetch(self, space: Space, content_hash: str, path: Path) -> None:
        remote = self._filesystem()
        with _explained(str(self._store)):
            remote.get_file(self._there(space, content_hash), str(path))

    def drop(self, space: Space, content_hash: str) -> None:
        """Delete a file, if it is there."""
        if not self._store:
            self._local(space, content_hash).unlink(missing_ok=True)
            return
        with _explained(self._store), suppress(FileNotFoundError):
            self._filesystem().rm_file(self._there(space, content_hash))

    def tidy(self, space: Space, gone: set[str]) -> None:
        """Delete these files of a space, and what nobody goes on sending."""
        for name in gone:
            self.drop(space, name)
        folder = self._folder / space.id
        for part in folder.glob(f"*{PART}") if folder.is_dir() else ():
            with suppress(FileNotFoundError):
                if time.time() - part.stat().st_mtime > STALE_SECONDS:
                    part.unlink()
        with suppress(OSError):  # it is not empty, or not there
            folder.rmdir()

    def names(self, space: Space) -> set[str]:
        """The hashes of the files of a space that are there."""
        if not self._store:
            folder = self._folder / space.id
            there = [path.name for path in folder.iterdir()] if folder.is_dir() else []
            return {name for name in there if not name.endswith(PART)}
        remote = self._filesystem()
        with _explained(self._store):
            place = f"{self._root}/{space.id}"
            listed = remote.ls(place, False) if remote.exists(place) else []
            return {str(one).rpartition("/")[2] for one in listed}

    def _local(self, space: Space, content_hash: str) -> Path:
        return self._folder / space.id / _name(content_hash)

    def _there(self, space: Space, content_hash: str) -> str:
        return f"{self._root}/{space.id}/{_name(content_hash)}"

    def _filesystem(self) -> Any:
        if self._remote is None:
            try:
                from fsspec.core import url_to_fs
            except ImportError as error:
                raise StoreError(
                    "documents.store needs the extra: pip install 'bethink[documents]'."
                ) from error
            with _explained(str(self._store)):
                self._remote, self._root = url_to_fs(self._store)
        return self._remote


def _name(content_hash: str) -> str:
    """The name of a file. What an archive calls a hash may be a path, and must lead nowhere."""
    if _HASH.fullmatch(content_hash):
        return content_hash
    return hashlib.sha256(content_hash.encode()).hexdigest()


@contextmanager
def _explained(store: str) -> Iterator[None]:
    """What goes wrong at another place, in the words of ours."""
    try:
        yield
    except (OSError, ImportError, ValueError) as error:
        raise StoreError(
            f"The store of documents {store.partition('?')[0]} does not answer: {error}."
        ) from error


def copy_into(source: IO[bytes], target: Path, most: int) -> int | None:
    """Add what a file holds to another; how long that is now, or None when it is longer than `most`."""
    with target.open("ab") as file:
        size = file.tell()
        while chunk := source.read(CHUNK):
            size += len(chunk)
            if size > most:
                return None
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return size


def hash_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_blobs(settings: Settings) -> Blobs:
    """The store that the settings name; that of a database in memory lasts as long as it does."""
    chosen = settings.documents.store
    if chosen and "://" not in chosen:
        return Blobs(expanded(Path(chosen)), None)
    if settings.url is None or "://" in settings.url:
        return Blobs(settings.home / "documents", chosen)
    if settings.url == ":memory:":
        return Blobs(Path(tempfile.mkdtemp(prefix="bethink-")), chosen, passing=True)
    return Blobs(Path(f"{settings.url}.documents"), chosen)
