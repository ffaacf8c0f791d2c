"""Documents of Word. Macros are not run, and nothing that they refer to is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.part import PartFactory
from docx.oxml.ns import qn
from docx.package import Package
from docx.parts.document import DocumentPart
from docx.text.paragraph import Paragraph

from bethink.documents.blocks import Block, is_table, row_of
from bethink.documents.formats import Told
from bethink.documents.formats.xml import parsed

_WITH_MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
_LEVEL = re.compile(r"heading (\d)", re.IGNORECASE)
PartFactory.part_type_for[_WITH_MACROS] = DocumentPart
PartFactory.part_type_for.setdefault(CONTENT_TYPE.WML_DOCUMENT_MAIN, DocumentPart)

_PARAGRAPH, _TABLE, _ROW, _CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_BOX = qn("w:txbxContent")
_LEFT_OUT = {  # what was deleted or moved away, what is said again for older programs, and forms
    qn("w:del"), qn("w:moveFrom"), "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    qn("w:pPr"), qn("w:rPr"), qn("w:sdtPr"),
}  # fmt: skip
_SIGNS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_NOTES = {
    qn("w:footnoteReference"): ("footnote", RELATIONSHIP_TYPE.FOOTNOTES),
    qn("w:endnoteReference"): ("endnote", RELATIONSHIP_TYPE.ENDNOTES),
}
MOST_COLUMNS = 1000  # that a cell may say it spans


def docx(path: Path, told: Told) -> Iterator[Block]:
    """The paragraphs and tables of a document, in order, each note behind the paragraph that it is of."""
    with path.open("rb") as file:
        part: Any = Package.open(file).main_document_part
    document = part.document
    if part.content_type == _WITH_MACROS:
        told.notes.append("Its macros were not run.")
    told.metadata |= properties(document.core_properties)
    yield from _Reading(part).blocks(document.element.body)


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


class _Reading:
    """Reads a document, also what stands in content controls, text boxes, notes and tracked insertions."""

    def __init__(self, part: Any) -> None:
        self._part = part
        self._notes = {tag: _notes_of(part, kind) for tag, (_, kind) in _NOTES.items()}
        self._told = 0  # notes so far

    def blocks(self, parent: Any) -> Iterator[Block]:
        """What is below an element, block by block."""
        for element in _within(parent, {_PARAGRAPH, _TABLE}):
            yield from self._paragraph(element) if element.tag == _PARAGRAPH else self._table(element)

    def _paragraph(self, element: Any) -> Iterator[Block]:
        boxes: list[Any] = []
        notes: list[str] = []
        text = "".join(self._words(element, boxes, notes))
        style = str(getattr(Paragraph(element, self._part).style, "name", "") or "")
        if found := _LEVEL.match(style):
            yield Block(text, "heading", int(found[1]))
        elif style == "Title":
            yield Block(text, "heading", 1)
        else:
            lead = "- " if style.startswith("List") else ""
            yield Block(lead + text if text.strip() else "")
        for box in boxes:
            yield from self.blocks(box)
        for note in notes:
            yield Block(note)

    def _words(self, parent: Any, boxes: list[Any], notes: list[str]) -> Iterator[str]:
        for element in parent:
            if element.tag == qn("w:t"):
                yield element.text or ""
            elif element.tag in _SIGNS:
                yield _SIGNS[element.tag]
            elif element.tag == _BOX:
                boxes.append(element)
            elif element.tag in _NOTES:
                if text := self._notes[element.tag].get(element.get(qn("w:id"), "")):
                    self._told += 1
                    notes.append(f"[{self._told}] {text}")
                    yield f"[{self._told}]"
            elif element.tag not in _LEFT_OUT:
                yield from self._words(element, boxes, notes)

    def _table(self, element: Any) -> Iterator[Block]:
        rows = list(self._rows(element))
        if is_table(rows):
            for number, cells in enumerate(rows):
                yield Block(row_of(cells), "row" if number else "header")
        else:
            for cells in rows:
                for text in cells:
                    yield Block(text)

    def _rows(self, table: Any) -> Iterator[list[str]]:
        """The cells of each row. One over several columns comes once; one over several rows in each."""
        above: list[str] = []
        for row in _within(table, {_ROW}):
            cells: list[str] = []
            for cell in _within(row, {_CELL}):
                text = "\n".join(block.text for block in self.blocks(cell) if block.text.strip())
                merged = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
                if merged is not None and merged.get(qn("w:val")) != "restart" and len(above) > len(cells):
                    text = above[len(cells)]
                span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
                wide = str(span.get(qn("w:val"), "")) if span is not None else ""
                blank = min(int(wide), MOST_COLUMNS) - 1 if wide.isdecimal() else 0
                cells += [text, *[""] * blank]
            yield cells
            above = cells


def _within(parent: Any, wanted: set[str]) -> Iterator[Any]:
    """The nearest elements of some kinds, also within content controls and what was inserted."""
    for element in parent:
        if element.tag in wanted:
            yield element
        elif element.tag not in _LEFT_OUT and element.tag not in (_PARAGRAPH, _TABLE):
            yield from _within(element, wanted)


def _notes_of(part: Any, kind: str) -> dict[str, str]:
    """The footnotes or endnotes of a document, by their ids."""
    found: dict[str, str] = {}
    for relation in part.rels.values():
        if relation.reltype == kind and not relation.is_external:
            for note in parsed(relation.target_part.blob):
                words: Iterable[Any] = note.iter(qn("w:t"))
                found[note.get(qn("w:id"), "")] = "".join(word.text or "" for word in words).strip()
    return found
