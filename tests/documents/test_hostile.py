"""Files that mean harm: refused or bounded, each with a state that says why; what is next is read as ever."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import xlsxwriter

from bethink.documents.blocks import Unreadable
from bethink.documents.formats import MOST_MEMBERS
from bethink.documents.parsing import Parsing
from bethink.documents.split import Piece
from bethink.documents.worker import MOST_NOTES
from bethink.settings import DocumentSettings
from tests import opened
from tests.documents import writers

Read = Callable[..., tuple[list[Piece], Parsing]]
MB = 1 << 20

BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "' + b"ha" * 1000 + b'">'
    b'<!ENTITY b "' + b"&a;" * 1000 + b'"><!ENTITY c "' + b"&b;" * 1000 + b'">'
    b'<!ENTITY d "' + b"&c;" * 1000 + b'">]>'
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY d SYSTEM "file:///etc/passwd">]>'
WORDS = (
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
    b"<w:t>Leave &d;</w:t></w:r></w:p></w:body></w:document>"
)
PACKAGE = b"<package><metadata><title>&d;</title></metadata><manifest/><spine/></package>"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a file in a process of its own, with little memory and time."""

    def reading(name: str, data: bytes, **limits: float) -> tuple[list[Piece], Parsing]:
        path = tmp_path / "file"
        path.write_bytes(data)
        parsing = Parsing(path, name, DocumentSettings.model_validate({"parse_seconds": 10} | limits))
        return parsing.take(1_000_000), parsing

    return reading


def cells_far_apart() -> bytes:
    """A workbook whose two cells span more cells than any memory holds."""
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
        "</sheetData></worksheet>"
    )
    return writers.changed(writers.xlsx_bytes(), {"xl/worksheets/sheet1.xml": sheet.encode()})


def repeated_rows() -> bytes:
    """A sheet of OpenDocument that says of one row that it comes a thousand million times."""
    content = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
        '<table:table table:name="a"><table:table-row table:number-rows-repeated="1000000000">'
        '<table:table-cell office:value-type="string" table:number-columns-repeated="1000">'
        "<text:p>ha</text:p></table:table-cell></table:table-row></table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    return writers.changed(writers.ods_bytes(), {"content.xml": content.encode()})


def book(package: bytes) -> bytes:
    container = b'<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'
    return writers.zipped({"META-INF/container.xml": container, "a.opf": package})


def locked_book() -> bytes:
    package = (
        b'<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        b'<spine><itemref idref="a"/></spine></package>'
    )
    locks = b'<encryption><EncryptedData><CipherReference URI="a.xhtml"/></EncryptedData></encryption>'
    return writers.changed(book(package), {"META-INF/encryption.xml": locks, "a.xhtml": b"\x93\x12"})


REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "an archive that unpacks to a thousand times its size": (
        "a.docx", lambda: writers.zipped({"word/document.xml": b"\0" * (64 * MB)}), "unpacks to far more"
    ),
    "an archive of too many files": (
        "a.xlsx",
        lambda: writers.zipped({f"{n}": b"" for n in range(MOST_MEMBERS + 1)}),
        "unpacks to far more",
    ),
    "cells far apart": ("a.xlsx", cells_far_apart, "takes more memory|damaged"),
    "rows said to come again": ("a.ods", repeated_rows, "takes more memory|longer than|damaged|more text"),
    "an encrypted PDF": ("a.pdf", lambda: writers.pdf_bytes(["Leave"], password="x"), "It is encrypted"),
    "a PDF cut in half": ("a.pdf", lambda: writers.pdf_bytes(["Leave"] * 20)[:2000], "damaged or cut off"),
    "an encrypted workbook": (
        "a.xlsx",
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"),
        "It is encrypted",
    ),
    "a program that says it is a PDF": ("a.pdf", lambda: b"\x7fELF\2\1\1\0" + b"\0" * 90, "holds no text"),
    "any archive": ("a.docx", lambda: writers.zipped({"../../etc/passwd": b"root"}), "It is an archive"),
    "a book that locks its pages": ("a.epub", locked_book, "protected against copying"),
    "pages deeper than any": ("a.html", lambda: b"<div>" * 200_000, "no text|longer than"),
}  # fmt: skip
LIMITS = {"pages deeper than any": {"parse_seconds": 2}}  # it takes as long as it may


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_within_the_limits(read: Read, case: str) -> None:
    name, made, why = REFUSED[case]
    data = made()
    with pytest.raises(Unreadable) as refused:
        read(name, data, **LIMITS.get(case, {}))
    assert re.search(why, str(refused.value)), refused.value


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", writers.changed(writers.docx_bytes(), {"word/document.xml": BOMB + WORDS})),
        ("a.docx", writers.changed(writers.docx_bytes(), {"word/document.xml": OUTSIDE + WORDS})),
        ("a.epub", book(BOMB + PACKAGE)),
        ("a.epub", book(OUTSIDE + PACKAGE)),
    ],
)
def test_entities_are_not_unfolded(read: Read, name: str, data: bytes) -> None:
    try:
        pieces, parsing = read(name, data)
    except Unreadable:
        return
    told = "".join(piece.text for piece in pieces) + str(parsing.metadata)
    assert "hahaha" not in told
    assert "root:" not in told


def test_nothing_that_a_file_refers_to_is_looked_up(read: Read) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        at = f"http://127.0.0.1:{listening.getsockname()[1]}"
        page = f"<html><link rel=stylesheet href='{at}/a.css'><body>Leave<img src='{at}/a.png'></body></html>"
        assert read("a.html", page.encode())[0][0].text == "Leave\n\n"
        outside = f'<?xml version="1.0"?><!DOCTYPE a SYSTEM "{at}/a.dtd">'.encode()
        words = WORDS.replace(b"&d;", b"")
        document = writers.changed(writers.docx_bytes(), {"word/document.xml": outside + words})
        assert "Leave" in read("a.docx", document)[0][0].text
        with pytest.raises(TimeoutError):
            listening.accept()


def test_a_file_of_which_much_is_damaged_tells_of_some(read: Read) -> None:
    out = BytesIO()
    with xlsxwriter.Workbook(out) as book:
        for number in range(60):
            book.add_worksheet(f"Sheet {number}").write(0, 0, "Leave")
    broken = {f"xl/worksheets/sheet{number}.xml": b"<broken" for number in range(2, 61)}
    pieces, parsing = read("a.xlsx", writers.changed(out.getvalue(), broken))
    assert "Leave" in pieces[0].text
    assert len(parsing.notes) == MOST_NOTES + 1
    assert parsing.notes[-1] == "And 39 more of this kind."


def test_macros_are_not_run_and_that_is_said(read: Read) -> None:
    for name, data, main in (
        ("a.docm", writers.docx_bytes(), b"application/vnd.ms-word.document.macroEnabled.main+xml"),
        ("a.pptm", writers.pptx_bytes(), b"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"),
    ):
        plain = rb"application/vnd.openxmlformats-officedocument.\w+.(document|presentation).main\+xml"
        types = re.sub(plain, main, writers.member(data, "[Content_Types].xml"))
        pieces, parsing = read(name, writers.changed(data, {"[Content_Types].xml": types}))
        assert any("thirty days" in piece.text for piece in pieces)
        assert parsing.notes == ["Its macros were not run."]


def test_ten_thousand_pages_are_read_and_more_text_than_the_limit_is_not(read: Read) -> None:
    data = writers.pdf_bytes([f"Page {number} of the rules" for number in range(10_000)])
    pieces, parsing = read("a.pdf", data, parse_seconds=120)
    assert parsing.metadata["pages"] == 10_000
    assert pieces[-1].last_page == 10_000
    with pytest.raises(Unreadable, match="holds more text than the 50,000 characters"):
        read("a.pdf", data, max_characters=50_000)


async def test_a_file_that_ends_its_reader_leaves_the_others_alone(home: opened.Home) -> None:
    async with home.memory() as memory:
        bad = await memory.documents.add(cells_far_apart(), "../../far.xlsx")
        good = await memory.documents.add(b"# Leave\n\nThirty days a year.", "leave.md")
        assert (await memory.documents.wait(bad.document.id)).status == "failed"
        seen = await memory.documents.get(bad.document.id)
        assert seen.name == "far.xlsx"
        assert seen.problem
        assert (await memory.documents.wait(good.document.id)).status == "ready"
        assert (await memory.documents.search("how many days of leave?")).hits
