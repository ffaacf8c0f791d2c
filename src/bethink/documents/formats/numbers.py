"""Spreadsheets of Apple's Numbers."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from numbers_parser import Document

from bethink.documents.blocks import Block
from bethink.documents.formats import Told
from bethink.documents.formats.sheets import in_sheet, shown


def numbers(path: Path, told: Told) -> Iterator[Block]:
    """The tables of each sheet."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = Path(folder) / "file.numbers"  # it reads nothing that is called otherwise
        named.symlink_to(path.resolve())
        sheets = Document(str(named)).sheets
        told.metadata["sheets"] = len(sheets)
        for number, sheet in enumerate(sheets, 1):
            for table in sheet.tables:
                rows = ([shown(cell) for cell in row] for row in table.iter_rows(values_only=True))
                for block in in_sheet(sheet.name, rows):
                    yield block.at("sheet", number, sheet.name)
