"""Where in a JSON file something stands: by its line, which people can look up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from bethink.errors import InvalidInput, TooLarge
from bethink.transfer.bounds import MOST_PARTS, has_too_many_parts
from bethink.transfer.chats.walk import CHUNK_BYTES, Walker

LONGEST_LINE = 16_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a file: the byte where it begins, and its path from the outermost value."""

    stream: BinaryIO
    start: int
    path: tuple[str, ...]


class View:
    """A stream read from some byte on, beside others who read it."""

    def __init__(self, stream: BinaryIO, start: int) -> None:
        self._stream, self._at = stream, start

    def read(self, size: int) -> bytes:
        self._stream.seek(self._at)
        piece = self._stream.read(size)
        self._at += len(piece)
        return piece


class Lines:
    """A file whose places are named by their lines."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def refused_at(
        self,
        byte: int,
        member: str | None,  # noqa: ARG002  (a file of its own has no members)
        problem: str,
        *,
        too_large: bool,
    ) -> InvalidInput:
        """What is wrong at a byte."""
        line = line_of(self._stream, byte)
        kind = TooLarge if too_large else InvalidInput
        return kind(f"line {line}: {problem}", field=f"line {line}")


def walker_at(stream: BinaryIO, start: int = 0) -> Walker:
    """A walker that stands before the value at a byte; others may read the stream beside it."""
    return Walker(cast(BinaryIO, View(stream, start)), Lines(stream), start=start)


def line_of(stream: BinaryIO, byte: int) -> int:
    """The number of the line on which a byte stands."""
    view, left, line = View(stream, 0), byte, 1
    while left > 0 and (piece := view.read(min(left, CHUNK_BYTES))):
        line += piece.count(b"\n")
        left -= len(piece)
    return line


def lines_of(stream: BinaryIO) -> Iterator[tuple[Place, Any]]:
    """The values of JSON Lines, each with its place; its path is its number."""
    stream.seek(0)
    at, line, number = 0, 0, 0
    while raw := stream.readline(LONGEST_LINE + 1):
        line += 1
        if len(raw) > LONGEST_LINE:
            problem = f"line {line}: is longer than {LONGEST_LINE:,} bytes; shorten it."
            raise TooLarge(problem, field=f"line {line}")
        start, at = at, at + len(raw)
        if raw.strip():
            yield Place(stream, start, (str(number),)), _parsed(line, raw)
            number += 1


def _parsed(line: int, raw: bytes) -> Any:
    if has_too_many_parts(raw):
        problem = f"line {line}: holds more than {MOST_PARTS:,} texts, lists and objects; make it simpler."
        raise TooLarge(problem, field=f"line {line}")
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput(f"line {line}: is not UTF-8.", field=f"line {line}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"line {line}: is not valid JSON: {error}.", field=f"line {line}") from None


def refused(place: Place, error: InvalidInput) -> InvalidInput:
    """What is wrong with a value, with its line and its path."""
    line, where = line_of(place.stream, place.start), ".".join(place.path)
    message = f"line {line}: {where}{'.' if error.field else ': '}{error.message}"
    kind = TooLarge if isinstance(error, TooLarge) else InvalidInput
    return kind(message, field=f"line {line}.{where}" + (f".{error.field}" if error.field else ""))
