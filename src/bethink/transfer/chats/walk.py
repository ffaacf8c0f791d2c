"""JSON taken from a stream piece by piece: only the value that is asked for is ever in memory.

A walker stands before a value: `load` reads it, `skip` passes over it, `items` and `names` go into it, and
whoever goes in takes every value by one of these before the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from bethink.transfer.chats.sources import Source

CHUNK_BYTES = 1 << 18
LONGEST_VALUE = 256_000_000  # bytes of one value that has to be in memory as a whole
_SPACE = b" \t\r\n"
# A string to its end, or to the end of what was read (the group is empty then); or a bracket.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[\[\]{}]', re.DOTALL)
_PLAIN_END = re.compile(rb"[\s,\]}]")


class Walker:
    """Where the reading of one JSON document has come to."""

    def __init__(self, stream: BinaryIO, source: Source, member: str | None = None) -> None:
        self._stream, self._source, self._member = stream, source, member
        self._buffer, self._at, self._gone, self._ended = b"", 0, 0, False
        if self._peek() == b"\xef":
            self._at += 3  # a byte order mark

    def kind(self) -> str:
        """What the next value begins with: {, [, a quote or another character; nothing at the end."""
        return self._peek().decode("latin-1")

    def load(self) -> Any:
        """The next value, whole."""
        start, end = self._extent(keep=True)
        raw = self._buffer[start:end]
        self._at = end
        try:
            return json.loads(raw.decode())
        except UnicodeDecodeError as error:
            raise self._refused("is not UTF-8.", start + error.start) from None
        except json.JSONDecodeError as error:
            place = start + len(error.doc[: error.pos].encode())
            raise self._refused(f"is not valid JSON: {error.msg}.", place) from None
        except (RecursionError, ValueError) as error:
            raise self._refused(f"cannot be read as JSON: {error}.", start) from None

    def skip(self) -> None:
        """Pass over the next value."""
        _, self._at = self._extent(keep=False)

    def items(self) -> Iterator[None]:
        """Stand before each item of a list in turn."""
        yield from (None for _ in self._inside(b"[", b"]"))

    def names(self) -> Iterator[str]:
        """Stand before each value of an object in turn, and give its name."""
        for _ in self._inside(b"{", b"}"):
            name = self.load()
            self._take(b":")
            yield str(name)

    def finish(self) -> None:
        """Make sure that nothing comes after the document."""
        if self._peek():
            raise self._refused("there is more after the end of the JSON document.", self._at)

    def refused(self, problem: str) -> Exception:
        """What is wrong with the value just passed, or about to be."""
        return self._refused(problem, self._at)

    def _inside(self, opening: bytes, closing: bytes) -> Iterator[None]:
        self._take(opening)
        if self._peek() == closing:
            self._at += 1
            return
        while True:
            yield
            if self._peek() == closing:
                self._at += 1
                return
            self._take(b",")

    def _take(self, mark: bytes) -> None:
        if (found := self._peek()) != mark:
            wanted, seen = mark.decode(), found.decode("latin-1")
            told = f"there is {seen!r} where {wanted!r} should be" if found else "the file ends too soon"
            raise self._refused(f"is not valid JSON: {told}.", self._at)
        self._at += 1

    def _peek(self) -> bytes:
        while True:
            while self._at < len(self._buffer):
                mark = self._buffer[self._at : self._at + 1]
                if mark not in _SPACE:
                    return mark
                self._at += 1
            if not self._more():
                return b""

    def _extent(self, *, keep: bool) -> tuple[int, int]:
        """Where the next value begins and ends; unless it is kept, what was passed is let go of."""
        if self._peek() not in (b"{", b"[", b'"'):
            end = self._plain_end()  # first, for reading on moves the place
            return self._at, end
        place, depth = self._at, 0
        while True:
            for token in _TOKEN.finditer(self._buffer, place):
                mark = token[0]
                if mark[:1] == b'"':
                    if not token[1]:
                        place = token.start()
                        break
                else:
                    depth += 1 if mark in b"{[" else -1
                place = token.end()
                if depth <= 0:
                    return self._at, place
            if not keep:
                self._at = place
            elif len(self._buffer) - self._at > LONGEST_VALUE:
                raise self._refused(f"one value is larger than {LONGEST_VALUE:,} bytes.", self._at)
            ahead = place - self._at
            if not self._more():
                raise self._refused("the file ends in the middle of a value; it is not whole.", place)
            place = self._at + ahead

    def _plain_end(self) -> int:
        """Where a number, or true, false, null, ends."""
        while not (end := _PLAIN_END.search(self._buffer, self._at)):
            if not self._more():
                return len(self._buffer)
        return end.start()

    def _more(self) -> bool:
        """Read on and let go of what was passed: as much again as is kept, so that a long value is not looked
        through too often.
        """
        if self._ended:
            return False
        kept = self._buffer[self._at :]
        piece = self._stream.read(max(CHUNK_BYTES, len(kept)))
        self._ended = not piece
        if piece:
            self._gone += self._at
            self._buffer, self._at = kept + piece, 0
        return bool(piece)

    def _refused(self, problem: str, place: int) -> Exception:
        where = f"{self._member}, byte" if self._member else "byte"
        return self._source.refused(f"{where} {self._gone + max(place, 0):,}", problem)
