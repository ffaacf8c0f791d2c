"""Files of Apple's Numbers, Pages and Keynote."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told, opened_zip
from bethink.documents.formats.pdf import pdf

PREVIEW = "QuickLook/Preview.pdf"
MOST_PREVIEW = 512 << 20  # bytes


def numbers(path: Path, told: Told) -> Iterator[Block]:
    """The tables of each sheet of Numbers."""
    from numbers_parser import Document

    from bethink.documents.formats.sheets import in_sheet, shown

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


def preview(path: Path, told: Told) -> Iterator[Block]:
    """Pages and Keynote by the preview that they keep of themselves, which is a PDF."""
    with opened_zip(path) as archive, tempfile.TemporaryDirectory() as folder:
        if PREVIEW not in archive.namelist():
            raise Unreadable("It holds no preview that can be read: export it as a PDF, and add that.")
        if archive.getinfo(PREVIEW).file_size > MOST_PREVIEW:
            raise Unreadable("Its preview is far larger than any, and was not read.")
        shown = Path(folder) / "preview.pdf"
        shown.write_bytes(archive.read(PREVIEW))
        yield from pdf(shown, told)
