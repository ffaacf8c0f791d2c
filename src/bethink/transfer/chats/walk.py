"""JSON taken from a stream piece by piece: only the value that is asked for is ever in memory.

A walker stands before a value: `load` reads it, `skip` passes over it, `items` and `names` go into it, and
whoever goes in takes every value by one of these before the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

from bethink.errors import InvalidInput
from bethink.transfer.bounds import DEEPEST, MOST_PARTS, SPLIT

CHUNK_BYTES = 1 << 18
LONGEST_VALUE = 32_000_000  # bytes of one value that has to be in memory as a whole
_BLANKS = re.compile(rb"[ \t\r\n]*+")
# A string to its end, or to the end of what was read (the group is empty then); or a bracket.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[\[\]{}]', re.DOTALL)
_PLAIN_END = re.compile(rb"[\s,\]}]")


class File(Protocol):
    """What says where in a file something is wrong."""

    def refused_at(self, byte: int, member: str | None, problem: str, *, too_large: bool) -> InvalidInput: ...


class Walker:
    """Where the reading of one JSON document has come to."""

    def __init__(self, stream: BinaryIO, file: File, member: str | None = None, *, start: int = 0) -> None:
        """Stand before the value at the stream's place, which is the byte `start` of the file."""
        self._stream, self._file, self._member = stream, file, member
        self._buffer, self._at, self._gone, self._ended = b"", 0, start, False
        if self._peek() == b"\xef":
            self._at += 3  # a byte order mark

    @property
    def place(self) -> int:
        """The byte of the file at which the next value begins."""
        self._peek()
        return self._gone + self._at

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
            blanks = _BLANKS.match(self._buffer, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._more():
                return b""

    def _extent(self, *, keep: bool) -> tuple[int, int]:
        """Where the next value begins and ends; unless it is kept, what was passed is let go of."""
        if self._peek() not in (b"{", b"[", b'"'):
            end = self._plain_end()  # first, for reading on moves the place
            return self._at, end
        place, depth, parts = self._at, 0, 0
        while True:
            for token in _TOKEN.finditer(self._buffer, place):
                mark = token[0]
                if mark[:1] == b'"':
                    if not token[1]:
                        place = token.start() if keep else self._shorten(token)
                        break
                    parts += 1
                else:
                    opens = mark in b"{["
                    depth, parts = depth + (1 if opens else -1), parts + opens
                place = token.end()
                if depth <= 0:
                    return self._at, place
                if depth > DEEPEST or (keep and parts > MOST_PARTS):
                    raise self._too_much(depth)
            if not keep:
                self._at = place
            else:
                self._check_length()
            ahead = place - self._at
            if not self._more():
                raise self._refused(
                    "is not valid JSON: the file ends in the middle of a value; it is not whole.", place
                )
            place = self._at + ahead

    def _shorten(self, unfinished: re.Match[bytes]) -> int:
        """Let go of a text that is passed over, but for its opening mark; where that now stands."""
        left = b'"' + self._buffer[unfinished.end() :]  # perhaps a backslash whose other half is to come
        self._gone += len(self._buffer) - len(left)
        self._buffer, self._at = left, 0
        return 0

    def _plain_end(self) -> int:
        """Where a number, or true, false, null, ends."""
        while not (end := _PLAIN_END.search(self._buffer, self._at)):
            self._check_length()
            if not self._more():
                return len(self._buffer)
        return end.start()

    def _check_length(self) -> None:
        if len(self._buffer) - self._at > LONGEST_VALUE:
            problem = f"one value is larger than {LONGEST_VALUE:,} bytes; {SPLIT}."
            raise self._refused(problem, self._at, too_large=True)

    def _too_much(self, depth: int) -> Exception:
        if depth > DEEPEST:
            return self._refused(
                f"is nested more than {DEEPEST} deep; make it flatter.", self._at, too_large=True
            )
        problem = f"one value holds more than {MOST_PARTS:,} texts, lists and objects; {SPLIT}."
        return self._refused(problem, self._at, too_large=True)

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

    def _refused(self, problem: str, place: int, *, too_large: bool = False) -> Exception:
        return self._file.refused_at(self._gone + max(place, 0), self._member, problem, too_large=too_large)
