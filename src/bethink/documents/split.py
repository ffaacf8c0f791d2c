"""Splits a text into passages, at headings, paragraphs and sentences. Pure; reads no further than it must.

>>> [piece.text for piece in split([Block("Tea", "heading", 1), Block("Anna likes it.")])]
['# Tea\\n\\nAnna likes it.\\n\\n']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bethink.documents.blocks import DEEPEST, TOP, Block
from bethink.index.describe import between_sequences

TARGET, OVERLAP = 1000, 200  # characters, as those are counted that a piece repeats
ENOUGH = 200  # characters of a section that are a piece of their own; a shorter one goes on with the next
LONGEST_HEADER = 300  # characters of a table's header that every piece of the table repeats
LONGEST_TITLE = 400
_ENDS = (
    re.compile(r"\n\n+"),
    re.compile(r"\n"),
    re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？｡।؟۔]+\s*"),
    re.compile(r"[;:,、，；：]\s*| \| "),
    re.compile(r"\s+"),
)
_STARTS = (re.compile(r"\n+"), _ENDS[2], re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage: the characters `first` to `last` of the text, after the header that it repeats."""

    text: str
    repeated: int
    first: int
    last: int
    title: str | None
    part: str | None
    page: int | None
    last_page: int | None
    sheet: str | None


class _Unit(NamedTuple):
    """What is never torn apart: at most a sentence or some, a row, a heading."""

    text: str
    block: Block
    title: str | None


@dataclass
class _Open:
    """The piece that is being filled."""

    first: int
    units: list[_Unit] = field(default_factory=list)
    size: int = 0
    body: int = 0  # characters that are no headings, and were not in the piece before
    header: str = ""

    def add(self, unit: _Unit, *, again: bool = False) -> None:
        self.units.append(unit)
        self.size += len(unit.text)
        self.body += 0 if again or unit.block.kind == "heading" else len(unit.text)


def split(blocks: Iterable[Block], target: int = TARGET, overlap: int = OVERLAP) -> Iterator[Piece]:
    """The passages of a text, in order: together they are the whole text, each but few a little longer."""
    piece = _Open(0)
    header, path = "", list[tuple[int, str]]()
    before: Block | None = None
    for block in blocks:
        if not (text := block.text.strip()):
            continue
        block = Block(text, *block[1:])
        if _is_apart(before, block):
            yield from _closed(piece)
            piece, header = _Open(_end(piece)), ""
        if block.kind == "heading":
            path = [*((level, name) for level, name in path if level < block.level), (block.level, text)]
        if block.kind != "row":
            header = text[:LONGEST_HEADER] if block.kind == "header" else ""
        for unit in _units(block, _title(path), target - overlap):
            if _is_full(piece, unit, target):
                yield from _closed(piece)
                piece = _next(piece, unit, overlap)
            if not piece.units and unit.block.kind == "row" and header:
                piece.header = f"{header}\n"
                piece.size += len(piece.header)
            piece.add(unit)
        before = block
    yield from _closed(piece)


def _is_apart(before: Block | None, block: Block) -> bool:
    """Whether a piece must end: between two slides, sheets, chapters, or tables."""
    if before is None:
        return False
    if block.kind == "header" or (before.kind in ("row", "header") and block.kind == "text"):
        return True
    moved = (before.part, before.sheet) != (block.part, block.sheet)
    return moved or (before.page != block.page and block.part not in (None, "page"))


def _is_full(piece: _Open, unit: _Unit, target: int) -> bool:
    if not piece.units:
        return False
    if unit.block.kind == "heading" and piece.body >= ENOUGH:
        return True
    return piece.size + len(unit.text) > target


def _end(piece: _Open) -> int:
    return piece.first + sum(len(unit.text) for unit in piece.units)


def _next(piece: _Open, unit: _Unit, overlap: int) -> _Open:
    """A new piece; where a text goes on in it, it begins with the end of the one before."""
    end = _end(piece)
    if unit.block.kind != "text" or piece.units[-1].block.kind != "text":
        return _Open(end)
    text = "".join(one.text for one in piece.units)
    tail = _tail(text, overlap)
    opened = _Open(end - len(tail))
    if tail:
        opened.add(_Unit(tail, *piece.units[-1][1:]), again=True)
    return opened


def _tail(text: str, overlap: int) -> str:
    """The last lines or sentences that are at most so long, or at least words; nothing of one long word."""
    start = len(text) - overlap
    for kind in _STARTS:
        for found in kind.finditer(text, max(start, 0)):
            if found.end() < len(text.rstrip()):
                return text[found.end() :]
    return ""


def _units(block: Block, title: str | None, longest: int) -> Iterator[_Unit]:
    mark = "#" * max(TOP, min(block.level, DEEPEST)) + " " if block.kind == "heading" else ""
    end = "\n" if block.kind in ("row", "header") else "\n\n"
    for part in _parts(f"{mark}{block.text}{end}", longest, _ENDS):
        yield _Unit(part, block, title)


def _parts(text: str, longest: int, ends: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """The text in parts that are not too long, cut where most is at an end."""
    if len(text) <= longest:
        yield text
        return
    if not ends:
        while text:
            place = between_sequences(text, longest) if len(text) > longest else len(text)
            yield text[:place]
            text = text[place:]
        return
    start = place = 0
    for found in [*(match.end() for match in ends[0].finditer(text)), len(text)]:
        if found - start > longest and place > start:
            yield from _parts(text[start:place], longest, ends[1:])
            start = place
        place = found
    if start < len(text):
        yield from _parts(text[start:], longest, ends[1:])


def _closed(piece: _Open) -> Iterator[Piece]:
    """The piece as it is now, if there is anything in it."""
    if not piece.units:
        return
    own = next((unit for unit in piece.units if unit.block.kind != "heading"), piece.units[-1])
    text = piece.header + "".join(unit.text for unit in piece.units)
    pages = [unit.block.page for unit in piece.units if unit.block.page is not None]
    yield Piece(
        text=text,
        repeated=len(piece.header),
        first=piece.first,
        last=_end(piece),
        title=own.title,
        part=own.block.part,
        page=pages[0] if pages else None,
        last_page=pages[-1] if pages else None,
        sheet=own.block.sheet,
    )


def _title(path: Sequence[tuple[int, str]]) -> str | None:
    told = " > ".join(" ".join(name.split()) for _, name in path)
    if not told:
        return None
    return told if len(told) <= LONGEST_TITLE else told[: LONGEST_TITLE - 1].rstrip() + "…"
