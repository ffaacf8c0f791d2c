"""A file to import, or a zip archive of files, opened as often as need be."""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, tzinfo
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from bethink.errors import InvalidInput, TooLarge
from bethink.shapes.rights import DateOrder
from bethink.transfer.bounds import (
    FREELY_UNPACKED,
    MOST_MEMBERS,
    SPLIT,
    UNPACKED_BYTES,
    UNPACKED_TIMES,
)
from bethink.transfer.stopping import Stop

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
START_BYTES = 65_536


class Source:
    """A file, what it is called, and what had to be left out of it."""

    def __init__(
        self,
        stream: BinaryIO,
        name: str | None = None,
        *,
        zone: tzinfo = UTC,
        date_order: DateOrder | None = None,
        stop: Stop | None = None,
    ) -> None:
        self.stop = stop or Stop()
        self._stream = stream = self.stop.watched(stream)
        self.zone, self.date_order = zone, date_order  # for times that are written without their offset
        self.name = PurePosixPath((name or "").replace("\\", "/")).name or "the file"
        self.has_name = bool(name)
        self.left_out: Counter[str] = Counter()
        self._opened: zipfile.ZipFile | None = None
        self._members: list[str] | None = None
        self._unpacked: dict[str, int] = {}
        stream.seek(0)
        self.is_zip = stream.read(4) in (_ZIP, _EMPTY_ZIP)

    @property
    def stem(self) -> str:
        """The file's name without its ending; nothing when it has no name."""
        return PurePosixPath(self.name).stem if self.has_name else ""

    @property
    def members(self) -> list[str]:
        """The files in the archive, in the order of their names; none in a plain file."""
        if self._members is None:
            self._members = sorted(self._names()) if self.is_zip else []
        return self._members

    @contextmanager
    def opened(self, member: str | None = None) -> Iterator[BinaryIO]:
        """The file from its beginning, or one of the archive."""
        if member is None:
            self._stream.seek(0)
            yield self._stream
            return
        with self._undamaged(member):
            self._check_unpacked(member)
            try:
                inside = self._archive().open(member)
            except (RuntimeError, NotImplementedError) as error:  # what zipfile says of passwords and methods
                raise self.refused(member, f"cannot be unpacked: {error}.") from None
            with inside:
                yield cast(BinaryIO, inside)

    def start(self, member: str | None = None) -> bytes:
        """The first bytes, without a byte order mark."""
        with self.opened(member) as stream:
            return stream.read(START_BYTES).removeprefix(b"\xef\xbb\xbf")

    def refused(self, place: str, problem: str) -> InvalidInput:
        """What is wrong with the file, and where."""
        return InvalidInput(f"{self.name}: {place}: {problem}", field="file")

    def too_large(self, place: str, problem: str) -> TooLarge:
        """Which limit the file is over, and where."""
        return TooLarge(f"{self.name}: {place}: {problem}", field="file")

    def refused_at(self, byte: int, member: str | None, problem: str, *, too_large: bool) -> InvalidInput:
        """What is wrong at a byte of the file, or of a file of the archive."""
        place = f"{member}, byte {byte:,}" if member else f"byte {byte:,}"
        return self.too_large(place, problem) if too_large else self.refused(place, problem)

    def _check_unpacked(self, member: str) -> None:
        """Refuse a file that would unpack to too much. It unpacks to no more than the archive says of it."""
        info = self._archive().getinfo(member)
        if info.file_size > max(FREELY_UNPACKED, UNPACKED_TIMES * info.compress_size):
            raise self.too_large(
                member,
                f"unpacks to {info.file_size:,} bytes, more than {UNPACKED_TIMES} times its packed size;"
                " unpack it and import the file itself.",
            )
        self._unpacked[member] = info.file_size
        if sum(self._unpacked.values()) > UNPACKED_BYTES:
            raise self.too_large("the archive", f"unpacks to more than {UNPACKED_BYTES:,} bytes; {SPLIT}.")

    def _archive(self) -> zipfile.ZipFile:
        """The archive, whose list of files is read only once."""
        if self._opened is None:
            with self._undamaged("the list of files"):
                opened = zipfile.ZipFile(self._stream)
            if len(opened.filelist) > MOST_MEMBERS:
                raise self.too_large("the archive", f"holds more than {MOST_MEMBERS:,} files; {SPLIT}.")
            self._opened = opened
        return self._opened

    def _names(self) -> list[str]:
        names = self._archive().namelist()
        return [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]

    @contextmanager
    def _undamaged(self, place: str) -> Iterator[None]:
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise self.refused(place, f"the archive is damaged: {error}.") from None
