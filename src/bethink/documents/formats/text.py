"""Texts, Markdown, and tables of values with commas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bethink.documents.blocks import Block, row_of
from bethink.documents.formats import Told, decoded

_GAP = re.compile(r"\n[ \t]*\n\s*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.)(.*)$")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_RULE = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_ENTRY = re.compile(r"([A-Za-z_-]{1,40}):[ \t]*(.+)$")
SAMPLE = 64_000  # characters by which the delimiter of a table is told
LONGEST_CELL = 10_000_000


def plain(path: Path, _told: Told) -> Iterator[Block]:
    """A text, paragraph by paragraph."""
    yield from paragraphs(lines_of(path))


def lines_of(path: Path) -> str:
    """The text of a file, with the ends of lines as they usually are."""
    return decoded(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")


def paragraphs(text: str) -> Iterator[Block]:
    for part in _GAP.split(text):
        yield Block(part)


def markdown(path: Path, told: Told) -> Iterator[Block]:
    """Markdown: headings, tables, code and paragraphs; what stands before it between lines of dashes."""
    lines = lines_of(path).split("\n")
    if lines and lines[0].strip() == "---" and "---" in (rest := [line.strip() for line in lines[1:200]]):
        end = rest.index("---") + 1
        entries = (_ENTRY.match(line) for line in lines[1:end])
        told.metadata |= {one[1].lower(): one[2].strip("\"' ") for one in entries if one}
        lines = lines[end + 1 :]
    yield from of_markdown(lines)


def of_markdown(lines: Iterable[str]) -> Iterator[Block]:
    """The blocks of Markdown's lines."""
    kept: list[str] = []
    fenced, table = False, False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            if found := _HEADING.match(line):
                yield from _paragraph(kept)
                table = False
                yield Block(found[2] + found[3].rstrip(" \t#"), "heading", len(found[1]))
                continue
            if len(kept) == 1 and "|" in kept[0] and "|" in line and _RULE.match(line):
                yield Block(row_of(_cells(kept.pop())), "header")
                table = True
                continue
            if len(kept) == 1 and _UNDERLINE.match(line):
                yield Block(kept.pop().strip(), "heading", 1 if line.startswith("=") else 2)
                continue
            if table and "|" in line:
                yield Block(row_of(_cells(line)), "row")
                continue
            table = False
            if not line.strip():
                yield from _paragraph(kept)
                continue
        kept.append(line)
    yield from _paragraph(kept)


def _cells(line: str) -> list[str]:
    return line.strip().removeprefix("|").removesuffix("|").split("|")


def _paragraph(kept: list[str]) -> Iterator[Block]:
    if kept:
        yield Block("\n".join(kept))
    kept.clear()


def csv_rows(path: Path, told: Told) -> Iterator[Block]:
    """A table of values: its first row names the columns."""
    csv.field_size_limit(LONGEST_CELL)
    text = decoded(path.read_bytes())
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:SAMPLE], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    count = 0
    for cells in csv.reader(io.StringIO(text, newline=""), dialect):
        if row := row_of(cells):
            yield Block(row, "row" if count else "header")
            count += 1
    told.metadata["rows"] = max(count - 1, 0)
