"""Files of each format from a writer's documents, by the libraries that programs write them with."""

from __future__ import annotations

import csv
import html
import io
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import mkepub
import xlsxwriter
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

FOLDER = Path(__file__).parents[1] / "data" / "documents"
Blocks = list[dict[str, Any]]
WIDE = 0x2E80  # from here on a font of Chinese is wanted


@dataclass(frozen=True)
class Question:
    """What somebody asks, and the words that answer it."""

    ask: str
    document: str
    passage: str


@dataclass(frozen=True)
class Made:
    """A writer's document as a file."""

    name: str
    file: str
    data: bytes


def questions(writer: str) -> list[Question]:
    """A writer's questions."""
    lines = (FOLDER / writer / "questions.jsonl").read_text("utf-8").splitlines()
    return [Question(**json.loads(line)) for line in lines if line.strip()]


def documents(writer: str) -> Iterator[Made]:
    """A writer's documents."""
    for path in sorted((FOLDER / writer).glob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        data = _WRITERS[document["format"]](document)
        yield Made(document["name"], f"{document['name']}.{document['format']}", data)


def _docx(document: dict[str, Any]) -> bytes:
    made: Any = docx.Document()
    made.core_properties.title, made.core_properties.author = document["title"], document["author"]
    for block in document["blocks"]:
        if "heading" in block:
            made.add_heading(block["text"], min(block["heading"], 9))
        elif "text" in block:
            made.add_paragraph(block["text"])
        elif "table" in block:
            table = made.add_table(rows=0, cols=max(map(len, block["table"])))
            for cells in block["table"]:
                for cell, text in zip(table.add_row().cells, cells, strict=False):
                    cell.text = str(text)
        else:
            made.add_page_break()
    return _saved(made)


def _pdf(document: dict[str, Any]) -> bytes:
    out, styles = io.BytesIO(), getSampleStyleSheet()
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    wide = any(ord(sign) >= WIDE for sign in json.dumps(document["blocks"], ensure_ascii=False))
    if wide:
        for style in styles.byName.values():
            style.fontName, style.wordWrap = "STSong-Light", "CJK"
    parts: list[Any] = []
    for block in document["blocks"]:
        if "heading" in block:
            parts.append(Paragraph(html.escape(block["text"]), styles[f"Heading{min(block['heading'], 6)}"]))
        elif "text" in block:
            parts.append(Paragraph(html.escape(block["text"]), styles["Normal"]))
        elif "table" in block:
            style = styles["Normal"]
            rows = [[Paragraph(html.escape(str(cell)), style) for cell in row] for row in block["table"]]
            parts.append(Table(rows))
        else:
            parts.append(PageBreak())
    SimpleDocTemplate(out, title=document["title"], author=document["author"]).build(parts)
    return out.getvalue()


def _pptx(document: dict[str, Any]) -> bytes:
    show = Presentation()
    for blocks in _split(document["blocks"]):
        slide = show.slides.add_slide(show.slide_layouts[5])
        headings = [block["text"] for block in blocks if "heading" in block]
        slide.shapes.title.text = " – ".join(headings)
        for block in blocks:
            if "table" in block:
                rows = block["table"]
                size = len(rows), max(map(len, rows)), 0, 0, Inches(9), Inches(4)
                table = slide.shapes.add_table(*size).table
                for row, cells in enumerate(rows):
                    for column, text in enumerate(cells):
                        table.cell(row, column).text = str(text)
            elif "heading" not in block:
                box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(8), Inches(4))
                box.text_frame.text = block["text"]
    return _saved(show)


def _xlsx(document: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        for number, blocks in enumerate(_split(document["blocks"]), 1):
            named = next((block["text"] for block in blocks if "heading" in block), f"Sheet{number}")
            sheet = book.add_worksheet("".join(sign for sign in named if sign not in "[]:*?/\\'")[:31])
            row = 0
            for block in blocks:
                if "table" in block:
                    for cells in block["table"]:
                        sheet.write_row(row, 0, [str(cell) for cell in cells])
                        row += 1
                elif "heading" not in block:
                    sheet.write(row, 0, block["text"])
                    row += 1
                row += "table" in block
    return out.getvalue()


def _csv(document: dict[str, Any]) -> bytes:
    out = io.StringIO(newline="")
    for block in document["blocks"]:
        csv.writer(out).writerows(block.get("table", []))
    return out.getvalue().encode()


def _lines(document: dict[str, Any], *, marks: bool) -> str:
    parts = []
    for block in document["blocks"]:
        if "heading" in block:
            parts.append("#" * block["heading"] * marks + " " * marks + block["text"])
        elif "text" in block:
            parts.append(block["text"])
        elif "table" in block:
            rows = [f"| {' | '.join(map(str, row))} |" for row in block["table"]]
            rule = "|".join(["---"] * len(block["table"][0]))
            parts.append("\n".join([rows[0], *([f"|{rule}|"] if marks else []), *rows[1:]]))
    return "\n\n".join(parts)


def _page(blocks: Blocks) -> str:
    parts = []
    for block in blocks:
        if "heading" in block:
            parts.append(f"<h{block['heading']}>{html.escape(block['text'])}</h{block['heading']}>")
        elif "text" in block:
            parts.append(f"<p>{html.escape(block['text'])}</p>")
        elif "table" in block:
            cells = ["".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in block["table"]]
            parts.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>")
    return "\n".join(parts)


def _html(document: dict[str, Any]) -> bytes:
    head = f"<meta charset=utf-8><title>{html.escape(document['title'])}</title>"
    return f"<!doctype html><html><head>{head}</head><body>{_page(document['blocks'])}</body></html>".encode()


def _epub(document: dict[str, Any]) -> bytes:
    book = mkepub.Book(title=document["title"], author=document["author"])
    for number, blocks in enumerate(_split(document["blocks"]), 1):
        book.add_page(f"Part {number}", _page(blocks))
    with tempfile.TemporaryDirectory() as folder:
        book.save(f"{folder}/book.epub")
        return Path(folder, "book.epub").read_bytes()


def _eml(document: dict[str, Any]) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = document["title"], document["author"].replace(",", " ")
    mail.set_content(_lines(document, marks=False))
    return mail.as_bytes()


def _split(blocks: Blocks) -> Iterator[Blocks]:
    """The blocks of each slide, sheet or chapter."""
    held: Blocks = []
    for block in blocks:
        if "page" in block:
            yield held
            held = []
        else:
            held.append(block)
    yield held


def _saved(made: Any) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


_WRITERS = {
    "csv": _csv,
    "docx": _docx,
    "eml": _eml,
    "epub": _epub,
    "html": _html,
    "md": lambda document: _lines(document, marks=True).encode(),
    "pdf": _pdf,
    "pptx": _pptx,
    "txt": lambda document: _lines(document, marks=False).encode(),
    "xlsx": _xlsx,
}
