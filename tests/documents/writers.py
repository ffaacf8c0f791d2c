"""Files of each format, made by the libraries that programs make them with."""

from __future__ import annotations

import gc
import io
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import mkepub
import numbers_parser
import snappy
import xlsxwriter
import xlwt
from numbers_parser.generated.TSPArchiveMessages_pb2 import ArchiveInfo
from numbers_parser.generated.TSWPArchives_pb2 import StorageArchive
from odf import dc
from odf import table as odf_table
from odf import text as odf_text
from odf.opendocument import OpenDocumentSpreadsheet
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
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


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def form_bytes() -> bytes:
    """A Word document as offices make them: fields, tracked changes, a text box, notes, merged cells."""
    said = """
      <w:sdt><w:sdtContent><w:p><w:r><w:t>Leave begins on 3 May.</w:t></w:r></w:p></w:sdtContent></w:sdt>
      <w:p><w:r><w:t xml:space="preserve">It lasts </w:t></w:r>
        <w:del><w:r><w:delText>ten</w:delText></w:r></w:del>
        <w:moveFrom><w:r><w:t>moved away</w:t></w:r></w:moveFrom>
        <w:ins><w:r><w:t>twelve</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> days.</w:t></w:r>
        <w:r><w:footnoteReference w:id="7"/></w:r></w:p>
      <w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><w:txbxContent><w:p><w:r>
        <w:t>Ask the office first.</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice>
        <mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>Ask the office first.</w:t></w:r></w:p>
        </w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Who</w:t></w:r></w:p></w:tc>
        <w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>When</w:t></w:r></w:p></w:tc></w:tr>
        <w:sdt><w:sdtContent><w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>
        <w:p><w:r><w:t>Anna</w:t></w:r></w:p></w:tc><w:sdt><w:sdtContent><w:tc><w:p><w:r><w:t>May</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt>
        <w:tc><w:p><w:r><w:t>twelve days</w:t></w:r></w:p></w:tc></w:tr></w:sdtContent></w:sdt>
        <w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p><w:r><w:t>July</w:t></w:r></w:p></w:tc>
        <w:tc><w:p><w:r><w:t>a week</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
    """
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    whole = f'<w:document xmlns:w="{_W}" xmlns:mc="{mc}"><w:body>{said}</w:body></w:document>'
    notes = (
        f'<w:footnotes xmlns:w="{_W}"><w:footnote w:id="7"><w:p><w:r><w:t>Weekends are not counted.'
        "</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    data = docx_bytes()
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    link = f'<Relationship Id="rIdN" Type="{office}" Target="footnotes.xml"/></Relationships>'.encode()
    kind = (
        b'<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument'
        b'.wordprocessingml.footnotes+xml"/></Types>'
    )
    links, types = "word/_rels/document.xml.rels", "[Content_Types].xml"
    return changed(
        data,
        {
            "word/document.xml": whole.encode(),
            "word/footnotes.xml": notes.encode(),
            links: member(data, links).replace(b"</Relationships>", link),
            types: member(data, types).replace(b"</Types>", kind),
        },
    )


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


def pptx_bytes() -> bytes:
    """A presentation: a slide of points, one with a table and a chart, one with a group; notes; scripts."""
    show = Presentation()
    show.core_properties.title, show.core_properties.author = "Handbook", "Anna Gray"
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "Leave"
    first.placeholders[1].text = "Everybody has thirty days of leave a year.\nAsk the office first"
    first.notes_slide.notes_text_frame.text = "Say that it is paid."
    second = show.slides.add_slide(show.slide_layouts[5])
    second.shapes.title.text = "Kinds of leave"
    table = second.shapes.add_table(len(TABLE), 2, 0, 0, Inches(4), Inches(2)).table
    for row, cells in enumerate(TABLE):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    chart: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    chart.categories = ["2025", "2026"]
    chart.add_series("Days taken", (21, 24.5))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(3), Inches(4), Inches(3), chart)
    third = show.slides.add_slide(show.slide_layouts[6])
    group = third.shapes.add_group_shape()
    for text in (ARABIC, CHINESE, CYRILLIC):
        group.shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame.text = text
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


PRICES: list[list[Any]] = [
    ["Name", "Price", "Since"],
    ["Tea", 4.5, date(2025, 3, 9)],
    ["Кофе", 3, date(2026, 1, 2)],
]
STAFF: list[list[Any]] = [["Name", "Office"], ["Ana", "Lisbon"], ["陈伟", "上海"], [ARABIC, "دبي"]]


def xlsx_bytes(path: str | None = None) -> bytes:
    """A workbook of two sheets: a title above a table, and a table with a gap, then another one."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(path or out, {"default_date_format": "yyyy-mm-dd"}) as book:
        book.set_properties({"title": "Handbook", "author": "Anna Gray"})
        prices = book.add_worksheet("Prices")
        prices.write(0, 0, "All prices in euros")
        for row, cells in enumerate(PRICES, 2):
            prices.write_row(row, 0, cells)
        prices.write_formula(6, 1, "=SUM(B4:B5)", None, 7.5)
        staff = book.add_worksheet("Staff")
        cities: list[list[Any]] = [["City", "Rooms"], ["Porto", 12]]
        for row, cells in enumerate([*STAFF[:2], [], *STAFF[2:], [], *cities]):
            staff.write_row(row, 0, cells)
    return out.getvalue()


def xls_bytes() -> bytes:
    """The same prices as Excel 97 wrote them."""
    book = xlwt.Workbook()
    prices, staff = book.add_sheet("Prices"), book.add_sheet("Staff")
    days = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for row, cells in enumerate(PRICES):
        for column, value in enumerate(cells):
            prices.write(row, column, value, *([days] if isinstance(value, date) else []))
    for row, cells in enumerate(STAFF):
        for column, value in enumerate(cells):
            staff.write(row, column, value)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def ods_bytes() -> bytes:
    """The same prices as OpenDocument."""
    book = OpenDocumentSpreadsheet()
    book.meta.addElement(dc.Title(text="Handbook"))
    for name, rows in (("Prices", PRICES), ("Staff", STAFF)):
        table = odf_table.Table(name=name)
        for cells in rows:
            row = odf_table.TableRow()
            for value in cells:
                row.addElement(_ods_cell(value))
            table.addElement(row)
        book.spreadsheet.addElement(table)
    out = io.BytesIO()
    book.write(out)
    return out.getvalue()


def _ods_cell(value: Any) -> Any:
    if isinstance(value, date):
        cell = odf_table.TableCell(valuetype="date", datevalue=value.isoformat())
    elif isinstance(value, int | float):
        cell = odf_table.TableCell(valuetype="float", value=value)
    else:
        cell = odf_table.TableCell(valuetype="string")
    cell.addElement(odf_text.P(text=str(value)))
    return cell


def numbers_bytes(folder: Path) -> bytes:
    """The same prices as Numbers of Apple keeps them."""
    book = numbers_parser.Document(sheet_name="Prices", num_rows=len(PRICES), num_cols=3)
    book.add_sheet("Staff", num_rows=len(STAFF), num_cols=2)
    for sheet, rows in zip(book.sheets, (PRICES, STAFF), strict=True):
        for row, cells in enumerate(rows):
            for column, value in enumerate(cells):
                when = isinstance(value, date)
                sheet.tables[0].write(row, column, datetime(*value.timetuple()[:3]) if when else value)
    path = folder / "made.numbers"
    book.save(path)
    return path.read_bytes()


def epub_bytes(folder: Path) -> bytes:
    """A book of two chapters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its folder to the collector
        data = _epub_bytes(folder / "made.epub")
        gc.collect()
    return data


def _epub_bytes(path: Path) -> bytes:
    book = mkepub.Book(title="Handbook", author="Anna Gray")
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for cells in TABLE)
    book.add_page(
        "Leave",
        "<h1>Leave</h1><p>Everybody has <b>thirty</b> days of leave a year.</p><script>steal()</script>"
        f"<h2>Kinds of leave</h2><ul><li>Ask the office first</li></ul><table>{rows}</table>",
    )
    book.add_page("Scripts", f"<h1>Scripts</h1><p>{ARABIC}</p><p>{CHINESE}</p><p>{CYRILLIC}</p>")
    book.save(str(path))
    return path.read_bytes()


def eml_bytes(*, html: bool = False) -> bytes:
    """A mail with a file attached, in plain text or as a page."""
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Отпуск: leave", "Anna Gray <anna@example.com>"
    mail["To"] = "all@example.com"
    mail["Date"] = datetime(2026, 3, 9, 12, tzinfo=UTC)
    if html:
        mail.set_content(html_bytes().decode(), subtype="html")
    else:
        mail.set_content(f"Everybody has thirty days of leave a year.\n\n{ARABIC}\n\n{CHINESE}\n")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="tarif.pdf")
    return mail.as_bytes()


def pages_bytes(preview: bytes | None) -> bytes:
    """A document of Pages, as far as it is read: the preview that it keeps of itself."""
    return zipped({"Index/Document.iwa": b"\0"} | ({"QuickLook/Preview.pdf": preview} if preview else {}))


def iwork_bytes(parts: Mapping[str, Sequence[str]]) -> bytes:
    """A file of Pages or Keynote without a preview: what is in each part, packed as those programs do it."""
    return zipped({f"Index/{name}.iwa": _iwa_bytes(texts) for name, texts in parts.items()})


def _iwa_bytes(texts: Sequence[str]) -> bytes:
    plain = b""
    for number, text in enumerate(texts, 1):
        storage = StorageArchive(text=[text], kind=StorageArchive.BODY)
        heading = StorageArchive(text=["On every page"], kind=StorageArchive.HEADER)
        messages = [storage.SerializePartialToString(), heading.SerializePartialToString(), b"\x08\x01"]
        info = ArchiveInfo(identifier=number)
        for kind, message in zip((2001, 2001, 11011), messages, strict=True):
            info.message_infos.add(type=kind, version=[1, 0, 5], length=len(message))
        packed = info.SerializeToString()
        plain += bytes([len(packed)]) + packed + b"".join(messages)
    chunks = [snappy.compress(plain[at : at + 65536]) for at in range(0, len(plain), 65536)]
    return b"".join(b"\0" + len(one).to_bytes(3, "little") + one for one in chunks)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def changed(data: bytes, files: Mapping[str, bytes]) -> bytes:
    """An archive with some of its files put in the place of others, or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return zipped({name: archive.read(name) for name in archive.namelist()} | dict(files))


def member(data: bytes, name: str) -> bytes:
    """One file of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)


def png_bytes(text: str = "Everybody has thirty days of leave") -> bytes:
    """A picture of a text."""
    image = Image.new("RGB", (1200, 120), "white")
    ImageDraw.Draw(image).text((20, 30), text, fill="black", font=ImageFont.load_default(48))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def scanned_bytes() -> bytes:
    """A PDF whose only page is a picture."""
    out = io.BytesIO()
    Image.open(io.BytesIO(png_bytes())).save(out, "PDF", resolution=150)
    return out.getvalue()
