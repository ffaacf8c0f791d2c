"""What a parser makes of a file: blocks in the order in which they are read. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["text", "heading", "header", "row"]
CELLS = " | "  # between the cells of a row
TOP, DEEPEST = 1, 6  # levels of headings


class Block(NamedTuple):
    """A paragraph, a heading, or a row of a table, and where in the file it stands.

    `part` is what `page` counts: a page, a slide, a sheet, a chapter. `sheet` is what that is called.
    """

    text: str
    kind: Kind = "text"
    level: int = 0
    part: str | None = None
    page: int | None = None
    sheet: str | None = None

    def at(self, part: str, page: int, sheet: str | None = None) -> Block:
        """The same, on a page, a slide, a sheet or in a chapter."""
        return Block(self.text, self.kind, self.level, part, page, sheet)


class Unreadable(Exception):
    """A file that cannot be read; why, in words that are shown to who added it."""


def row_of(cells: list[str]) -> str:
    """A row of a table on one line; empty when every cell is."""
    flat = [" ".join(cell.split()) for cell in cells]
    return CELLS.join(flat).strip() if any(flat) else ""


def is_table(rows: list[list[str]]) -> bool:
    """Whether rows are a table at all, and not only a way to place a text."""
    return len(rows) > 1 and max(map(len, rows), default=0) > 1
