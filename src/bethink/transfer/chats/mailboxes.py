"""The mails of a file by their places in it, so that a mailbox of any size is never in memory."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

from bethink.transfer.chats.sources import Source

LONGEST_MAIL = 100_000_000  # bytes; a longer one is read only so far
LONGEST_HEAD = 1_000_000
_FROM = re.compile(rb"From (?:\S+ .*\d\d?:\d\d.*|\S+@\S+\s*)$")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_FIELD = re.compile(rb"[!-9;-~]+:")
_HEADERS = re.compile(rb"^(?:From|Date|Received|Message-ID|Return-Path):", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mail begins and ends."""

    start: int
    end: int


class Box:
    """One mbox file, or one with a single mail."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        stream.seek(0)
        self._is_mbox = stream.read(5) == b"From "

    def places(self) -> Iterator[Place]:
        """Where each mail stands."""
        self._stream.seek(0)
        start = 0 if not self._is_mbox else None
        place, blank = 0, True
        while line := self._stream.readline(LONGEST_HEAD):
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
    with ExitStack() as stack:
        if not source.is_zip:
            if not is_mail(source.start()):
                raise source.refused("line 1", "begins neither an mbox file nor a mail.")
            yield [Box(stack.enter_context(source.opened()))]
            return
        found = []
        for member in members:
            kept = cast(BinaryIO, stack.enter_context(tempfile.TemporaryFile()))
            with source.opened(member) as stream:
                shutil.copyfileobj(stream, kept)
            found.append(Box(kept))
        yield found


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
