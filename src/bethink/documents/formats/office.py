"""Documents of Word. Macros are not run, and nothing that they refer to is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from docx.opc.constants import CONTENT_TYPE
from docx.opc.part import PartFactory
from docx.package import Package
from docx.parts.document import DocumentPart
from docx.table import Table
from docx.text.paragraph import Paragraph

from bethink.documents.blocks import Block, is_table, row_of
from bethink.documents.formats import Told

_WITH_MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
_LEVEL = re.compile(r"heading (\d)", re.IGNORECASE)
PartFactory.part_type_for[_WITH_MACROS] = DocumentPart
PartFactory.part_type_for.setdefault(CONTENT_TYPE.WML_DOCUMENT_MAIN, DocumentPart)


def docx(path: Path, told: Told) -> Iterator[Block]:
    """The paragraphs and tables of a document, in order."""
    with path.open("rb") as file:
        part: Any = Package.open(file).main_document_part
    document = part.document
    if part.content_type == _WITH_MACROS:
        told.notes.append("Its macros were not run.")
    told.metadata |= properties(document.core_properties)
    for item in document.iter_inner_content():
        yield from _paragraph(item) if isinstance(item, Paragraph) else _table(item)


def properties(core: Any) -> dict[str, str]:
    """Title, author and dates, as Office keeps them."""
    told: dict[str, str] = {}
    for name, value in (
        ("title", core.title),
        ("author", core.author),
        ("subject", core.subject),
        ("created", core.created),
        ("modified", core.modified),
    ):
        if value:
            told[name] = value.date().isoformat() if isinstance(value, datetime) else str(value)
    return told


def _paragraph(paragraph: Paragraph) -> Iterator[Block]:
    style = str(getattr(paragraph.style, "name", "") or "")
    if found := _LEVEL.match(style):
        yield Block(paragraph.text, "heading", int(found[1]))
    elif style == "Title":
        yield Block(paragraph.text, "heading", 1)
    else:
        lead = "- " if style.startswith("List") else ""
        yield Block(lead + paragraph.text if paragraph.text.strip() else "")


def _table(table: Table) -> Iterator[Block]:
    rows = [[cell.text for cell in row.cells] for row in table.rows]
    if is_table(rows):
        for number, cells in enumerate(rows):
            yield Block(row_of(cells), "row" if number else "header")
    else:
        for cells in rows:
            for text in cells:
                yield Block(text)
