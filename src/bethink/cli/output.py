"""What a command prints: results to standard output, everything else to standard error.

People at a terminal get colour, tables and wrapped text. A pipe gets plain lines, one record each, never
wrapped. With `--json` the result is one JSON value.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

# Text from elsewhere must not steer the terminal: escape sequences would let a memory rewrite the screen.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Column:
    """A column of a table. Only running text wraps; what one copies, such as an id, never does."""

    title: str
    wraps: bool = False
    right: bool = False
    style: str = ""


class Output:
    """Where a command's words go."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    @property
    def rich(self) -> bool:
        """Is a person looking at the results?"""
        return not self.json and sys.stdout.isatty()

    @property
    def lively(self) -> bool:
        """May progress be drawn on standard error?"""
        return sys.stderr.isatty()

    @cached_property
    def console(self) -> Console:
        """The terminal that shows the results."""
        return _console(stderr=False)

    @cached_property
    def progress_console(self) -> Console:
        """The terminal that shows progress."""
        return _console(stderr=True)

    def data(self, value: Any) -> None:
        """The result as JSON. Records are written in camelCase, as everywhere outside Python."""
        plain_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
        print(json.dumps(_plain(value), indent=2, ensure_ascii=plain_ascii))

    def line(self, *parts: tuple[str, str] | str) -> None:
        """A line of the result, of pieces that may have a style: `("stored", "green")`."""
        pieces = [(part, "") if isinstance(part, str) else part for part in parts]
        if not self.rich:
            print(clean("".join(text for text, _ in pieces)))
            return
        from rich.text import Text

        self.console.print(Text.assemble(*[(clean(text), style) for text, style in pieces]), soft_wrap=True)

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """A table; its last column should be the one that wraps."""
        cells = [[clean(cell) for cell in row] for row in rows]
        if self.rich:
            self._rich_table(columns, cells)
            return
        from rich.cells import cell_len, set_cell_size

        titled = [[column.title for column in columns], *([flat(cell) for cell in row] for row in cells)]
        widths = [max(cell_len(row[place]) for row in titled) for place in range(len(columns))]
        for row in titled:
            padded = (set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(padded).rstrip())

    def note(self, text: str) -> None:
        """A hint, beside the result."""
        self._aside("", text, "dim")

    def warn(self, text: str) -> None:
        """Something works less well than it should."""
        self._aside("warning: ", text, "yellow")

    def error(self, text: str) -> None:
        """Something failed: one line."""
        self._aside("error: ", text, "bold red")

    def _aside(self, label: str, text: str, style: str) -> None:
        sys.stdout.flush()  # so that what was printed before is also seen before
        text = flat(clean(text))
        if not self.lively:
            print(label + text, file=sys.stderr)
            return
        from rich.text import Text

        body = Text.assemble((label, style), text) if label else Text(text, style)
        self.progress_console.print(body)

    def _rich_table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        from rich.cells import cell_len
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for place, column in enumerate(columns):
            whole = max((cell_len(row[place]) for row in rows), default=0)
            table.add_column(
                column.title,
                style=column.style,
                justify="right" if column.right else "left",
                no_wrap=not column.wraps,
                min_width=None if column.wraps else whole,
                overflow="fold",
            )
        for row in rows:
            table.add_row(*map(Text, row))
        self.console.print(table)


def clean(text: str) -> str:
    """The text without characters that would steer the terminal."""
    return _CONTROLS.sub("�", text)


def flat(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def clipped(text: str, chars: int) -> str:
    """The text on one line, cut with an ellipsis after so many characters."""
    line = flat(text)
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def counted(count: int, noun: str, many: str | None = None) -> str:
    """A number of things: `1 hit`, `1,200 hits`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(mode="json", by_alias=True)
