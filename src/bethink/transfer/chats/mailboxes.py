"""The mails of a file by their places in it, so that a mailbox of any size is never in memory."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import SEEK_END
from typing import BinaryIO, cast

from bethink.transfer.chats.sources import Source

LONGEST_MAIL = 40_000_000  # bytes; a longer one is read only so far
LONGEST_HEAD = 1_000_000
_FROM = re.compile(rb"From (?:\S++ .*\d\d?:\d\d.*|[^\s@]++@\S++\s*+)$")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_FIELD = re.compile(rb"[!-9;-~]+:")
_HEADERS = re.compile(rb"^(?:From|Date|Received|Message-ID|Return-Path):", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mail begins and ends."""

    start: int
    end: int


class Box:
    """One mbox file, or one with a single mail: a stretch of a stream, which other boxes may share."""

    def __init__(self, stream: BinaryIO, whole: Place) -> None:
        self._stream, self._whole = stream, whole
        stream.seek(whole.start)
        self._is_mbox = stream.read(5) == b"From "

    def places(self) -> Iterator[Place]:
        """Where each mail stands."""
        self._stream.seek(self._whole.start)
        start = self._whole.start if not self._is_mbox else None
        place, blank = self._whole.start, True
        while line := self._stream.readline(min(LONGEST_HEAD, self._whole.end - place)):
            if self._is_mbox and blank and line.startswith(b"From ") and _FROM.match(line.rstrip()):
                if start is not None:
                    yield Place(start, place)
                start = place + len(line)
            place += len(line)
            blank = not line.strip()
        if start is not None and place > start:
            yield Place(start, place)

    def head(self, place: Place) -> bytes:
        """A mail's header."""
        back = self._stream.tell()
        raw = self._read(place, LONGEST_HEAD)
        self._stream.seek(back)
        ends = [end for end in (raw.find(b"\n\n"), raw.find(b"\r\n\r\n")) if end >= 0]
        return raw[: min(ends)] if ends else raw

    def whole(self, place: Place) -> bytes:
        """A mail with all its parts."""
        raw = self._read(place, LONGEST_MAIL)
        return _ESCAPED.sub(rb"\1", raw) if self._is_mbox else raw

    def _read(self, place: Place, limit: int) -> bytes:
        self._stream.seek(place.start)
        return self._stream.read(min(place.end - place.start, limit))


@contextmanager
def boxes(source: Source) -> Iterator[list[Box]]:
    """The mailboxes of a file; those of an archive are unpacked for as long as they are read."""
    members = mail_files(source)
    if source.is_zip and not members:
        raise source.refused("the archive", "has no mbox or eml file.")
    if not source.is_zip:
        if not is_mail(source.start()):
            raise source.refused("line 1", "begins neither an mbox file nor a mail.")
        with source.opened() as stream:
            yield [Box(stream, Place(0, stream.seek(0, SEEK_END)))]
        return
    with tempfile.TemporaryFile() as unpacked:  # one for all: a process may have only so many files open
        kept, places, start = source.stop.watched(cast(BinaryIO, unpacked)), [], 0
        for member in members:
            with source.opened(member) as stream:
                shutil.copyfileobj(stream, unpacked)
            places.append(Place(start, unpacked.tell()))
            start = unpacked.tell()
        yield [Box(kept, place) for place in places]


def mail_files(source: Source) -> list[str]:
    """The files of an archive that hold mail."""
    return [name for name in source.members if name.lower().endswith((".mbox", ".eml", "/mbox"))]


def is_mail(start: bytes) -> bool:
    """Whether a file begins as a mailbox or a mail does."""
    first = start.lstrip().partition(b"\n")[0]
    if first.startswith(b"From "):
        return _FROM.match(first.rstrip()) is not None
    head = re.split(rb"\r?\n\r?\n", start.lstrip(), maxsplit=1)[0]
    return _FIELD.match(first) is not None and len(_HEADERS.findall(head)) >= 2
