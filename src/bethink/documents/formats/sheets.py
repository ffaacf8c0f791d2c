"""Spreadsheets of Excel and OpenDocument, sheet by sheet: what the cells show, not how it is worked out."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from bethink.documents.blocks import Block, Unreadable, row_of
from bethink.documents.formats import Told
from bethink.documents.formats.xml import elements, parsed

_NAMED = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "created": "created",
    "date": "modified",
}
_ABOUT = ("docProps/core.xml", "meta.xml")  # of Excel, of OpenDocument


def sheets(path: Path, told: Told) -> Iterator[Block]:
    """The tables of each sheet, with the sheet's name above them."""
    try:
        book = CalamineWorkbook.from_path(str(path))
    except PasswordError as error:
        raise Unreadable("It is encrypted: save it without a password.") from error
    except CalamineError as error:
        raise Unreadable("The file is damaged or cut off: it is no whole spreadsheet.") from error
    told.metadata |= _about(path) | {"sheets": len(book.sheet_names)}
    for number, name in enumerate(book.sheet_names, 1):
        try:
            rows = book.get_sheet_by_name(name).iter_rows()
        except CalamineError:
            told.notes.append(f"Sheet {name} holds no cells, or is damaged, and was left out.")
            continue
        for block in in_sheet(name, ([shown(cell) for cell in row] for row in rows)):
            yield block.at("sheet", number, name)


def in_sheet(name: str, rows: Iterable[list[str]]) -> Iterator[Block]:
    """The name as a heading, then the tables; nothing of a sheet that is empty.

    A row of one cell outside of a table is a text. After an empty row the table goes on, but where names of
    columns follow: words, and a number under one of them.
    """
    named, in_table, gap = False, False, False
    for cells, below in pairwise(chain(rows, [[]])):
        if not (row := row_of(cells)):
            gap = True
            continue
        if not named:
            yield Block(name, "heading", 1)
            named = True
        several = sum(map(bool, cells)) > 1
        if gap and several and _names_columns(cells, below):
            in_table = False
        gap = False
        if in_table:
            yield Block(row, "row")
        elif several:
            in_table = True
            yield Block(row, "header")
        else:
            yield Block(row.strip("| "))


def _names_columns(cells: list[str], below: list[str]) -> bool:
    return not any(map(_is_number, cells)) and any(
        _is_number(under) for cell, under in zip(cells, below, strict=False) if cell
    )


def shown(value: Any) -> str:
    """A cell as a reader sees it."""
    if value is None or value == "":
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    return str(value)


def _is_number(cell: str) -> bool:
    return cell[:1].isdecimal() or (cell[:1] in "-+" and cell[1:2].isdecimal())


def _about(path: Path) -> dict[str, str]:
    """Title, author and dates, as the file keeps them beside the sheets."""
    told: dict[str, str] = {}
    if not zipfile.is_zipfile(path):
        return told  # of the old format, which calamine reads without them
    with zipfile.ZipFile(path) as archive:
        for name in {*_ABOUT} & {*archive.namelist()}:
            for tag, element in elements(parsed(archive.read(name))):
                if (to := _NAMED.get(tag)) and element.text:
                    text = " ".join(element.text.split())
                    told.setdefault(to, text[:10] if to in ("created", "modified") else text)
    return told
