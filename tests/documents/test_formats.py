"""Each format as it is really written: its text, its tables and its structure come out again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bethink.documents.blocks import Unreadable
from bethink.documents.parsing import Parsing
from bethink.documents.split import Piece
from bethink.settings import DocumentSettings
from tests.documents import writers
from tests.documents.writers import ARABIC, CHINESE, CYRILLIC

Read = Callable[..., tuple[list[Piece], Parsing]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a file in a process of its own."""

    def reading(name: str, data: bytes, **limits: float) -> tuple[list[Piece], Parsing]:
        path = tmp_path / "file"
        path.write_bytes(data)
        parsing = Parsing(path, name, DocumentSettings.model_validate(limits))
        return parsing.take(1_000_000), parsing

    return reading


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("handbook.docx", writers.docx_bytes()),
        ("handbook.html", writers.html_bytes()),
        ("handbook.md", writers.MARKDOWN.encode()),
    ],
)
def test_headings_lists_tables_and_scripts(read: Read, name: str, data: bytes) -> None:
    pieces, parsing = read(name, data)
    text = "\n".join(piece.text for piece in pieces)
    flat = " ".join(text.split())
    assert "Everybody has thirty days of leave a year." in flat
    assert "- Ask the office first" in text
    assert "Name | Days\nSick leave | 30\nParental leave | 180\n" in text
    assert all(said in text for said in (ARABIC, CHINESE, CYRILLIC))
    assert "Leave > Kinds of leave" in {piece.title for piece in pieces}
    assert parsing.metadata["title"] == "Handbook"
    assert parsing.metadata["author"] == "Anna Gray"
    assert parsing.kind == name.rpartition(".")[2]
    assert "steal" not in text
    assert "Home About" not in text


def test_a_pdf_has_pages_an_outline_and_words_that_were_torn_apart(read: Read) -> None:
    pages = [
        "Leave\nEverybody has thirty days of leave. Whoever wants exam-\nples of it asks the office." * 3,
        f"Pay\nIt comes on the last day.\n{CHINESE}",
    ]
    pieces, parsing = read("handbook.pdf", writers.pdf_bytes(pages, outline=["Leave", "Pay"]))
    text = "".join(piece.text[piece.repeated :] for piece in pieces)
    assert "wants examples of it" in " ".join(text.split())
    assert CHINESE in text
    assert [(piece.title, piece.page) for piece in pieces] == [("Leave", 1), ("Pay", 2)]
    assert parsing.metadata["pages"] == 2
    assert parsing.metadata["title"] == "Handbook"


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_rows_of_values_keep_their_columns(read: Read, sign: str) -> None:
    lines = [sign.join(cells) for cells in (*writers.TABLE, ["Unterwegs: Köln", "2"])]
    pieces, parsing = read("leave.csv", "\r\n".join(lines).encode("cp1252"))
    assert pieces[0].text == ("Name | Days\nSick leave | 30\nParental leave | 180\nUnterwegs: Köln | 2\n")
    assert parsing.metadata["rows"] == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_of_any_encoding(read: Read, encoding: str) -> None:
    pieces, _ = read("note.txt", f"{CYRILLIC}\r\n\r\n{ARABIC}".encode(encoding))
    assert pieces[0].text == f"{CYRILLIC}\n\n{ARABIC}\n\n"


def test_what_a_file_is_counts_more_than_its_name(read: Read) -> None:
    pieces, parsing = read("handbook.txt", writers.docx_bytes())
    assert parsing.kind == "docx"
    assert any("Sick leave | 30" in piece.text for piece in pieces)


WHY = {
    "an encrypted PDF": ("a.pdf", writers.pdf_bytes(["Leave"], password="secret"), "It is encrypted"),
    "half a PDF": ("a.pdf", writers.pdf_bytes(["Leave"])[:300], "damaged or cut off"),
    "half a Word document": ("a.docx", writers.docx_bytes()[:9000], "damaged or cut off"),
    "a program": ("a.exe", b"MZ\x90\0\3\0\0\0", "holds no text"),
    "pictures of pages": ("a.pdf", writers.pdf_bytes(["", ""]), "no text layer"),
    "a text that says it is a PDF": ("a.pdf", b"just words", "but it is none"),
}


@pytest.mark.parametrize("case", WHY)
def test_it_is_said_why_a_file_cannot_be_read(read: Read, case: str) -> None:
    name, data, why = WHY[case]
    with pytest.raises(Unreadable, match=why):
        read(name, data)


def test_reading_takes_no_more_than_it_may(read: Read) -> None:
    with pytest.raises(Unreadable, match="holds more text than the 1,000 characters"):
        read("long.txt", b"word " * 1000, max_characters=1000)
    with pytest.raises(Unreadable, match=r"longer than the 0\.05 seconds of documents.parse_seconds"):
        read("long.txt", b"word " * 1000, parse_seconds=0.05)
