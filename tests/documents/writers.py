"""Files of each format, made by the libraries that programs make them with."""

from __future__ import annotations

import io
from collections.abc import Sequence

import docx
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

HEADER, *ROWS = TABLE = [["Name", "Days"], ["Sick leave", "30"], ["Parental leave", "180"]]
ARABIC = "يحق للموظف إجازة سنوية مدتها ثلاثون يوما"
CHINESE = "员工每年有三十天带薪假期。"
CYRILLIC = "Сотрудник имеет право на отпуск."


def docx_bytes() -> bytes:
    """A Word document with headings, a list, a table, and three scripts."""
    document = docx.Document()
    document.core_properties.title, document.core_properties.author = "Handbook", "Anna Gray"
    document.add_heading("Leave", 1)
    document.add_paragraph("Everybody has thirty days of leave a year.")
    document.add_heading("Kinds of leave", 2)
    document.add_paragraph("Ask the office first", style="List Bullet")
    table = document.add_table(rows=0, cols=2)
    for cells in TABLE:
        for cell, text in zip(table.add_row().cells, cells, strict=True):
            cell.text = text
    for text in (ARABIC, CHINESE, CYRILLIC):
        document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pdf_bytes(
    pages: Sequence[str], *, outline: Sequence[str] = (), password: str | None = None, title: str = "Handbook"
) -> bytes:
    """A PDF with a page for each text, and perhaps an outline with a title for each page."""
    out = io.BytesIO()
    canvas = Canvas(out, A4, encrypt=password)
    canvas.setTitle(title)
    canvas.setAuthor("Anna Gray")
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    for number, text in enumerate(pages):
        if number < len(outline):
            canvas.bookmarkPage(f"p{number}")
            canvas.addOutlineEntry(outline[number], f"p{number}", 0)
        for line, words in enumerate(text.split("\n")):
            canvas.setFont("Helvetica" if words.isascii() else "STSong-Light", 11)
            canvas.drawString(60, 780 - 16 * line, words)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def html_bytes() -> bytes:
    """A page with a menu, a script, headings, a list and a table."""
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for cells in ROWS)
    head = "".join(f"<th>{cell}</th>" for cell in HEADER)
    return (
        "<!doctype html><html><head><meta charset=utf-8><title>Handbook</title>"
        "<meta name=author content='Anna Gray'><script>steal()</script></head><body>"
        "<nav>Home About</nav><h1>Leave</h1><p>Everybody has <b>thirty</b> days<br>of leave a year.</p>"
        "<h2>Kinds of leave</h2><ul><li>Ask the office first</li></ul>"
        f"<table><tr>{head}</tr>{rows}</table><p>{ARABIC}</p><p>{CHINESE}</p><p>{CYRILLIC}</p>"
        "<img src='http://127.0.0.1:9/pixel.png'></body></html>"
    ).encode()


MARKDOWN = f"""---
title: Handbook
author: Anna Gray
---
# Leave

Everybody has thirty days
of leave a year.

Kinds of leave
--------------

- Ask the office first

| Name | Days |
|------|-----:|
| Sick leave | 30 |
| Parental leave | 180 |

{ARABIC}

{CHINESE}

{CYRILLIC}

```
# no heading
```
"""
