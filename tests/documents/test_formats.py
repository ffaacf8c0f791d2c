"""Each format as it is really written: its text, its tables and its structure come out again."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
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


def test_a_form_of_word_is_read_whole(read: Read) -> None:
    pieces, _ = read("form.docx", writers.form_bytes())
    text = "\n".join(piece.text for piece in pieces)
    assert "Leave begins on 3 May." in text
    assert "It lasts twelve days.[1]\n\n[1] Weekends are not counted.\n" in text
    assert text.count("Ask the office first.") == 1
    assert "moved away" not in text
    assert "Who | When |\nAnna | May | twelve days\nAnna | July | a week\n" in text


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


def test_values_of_json_are_lines_headings_and_tables(read: Read) -> None:
    value = {
        "title": "Наши люди",
        "tags": ["harbour", "budget"],
        "people": [{"name": "Anna", "role": "captain"}, {"name": ARABIC, "age": 40}],
        "plan": {"until": "May", "steps": [["one"], {"two": CHINESE}]},
        "empty": None,
    }
    pieces, parsing = read("notes.json", json.dumps(value).encode())
    text = "\n".join(piece.text for piece in pieces)
    assert "title: Наши люди\ntags: harbour, budget\nempty:" in text
    assert f"name | role | age\nAnna | captain |\n{ARABIC} |  | 40\n" in text
    assert f"two: {CHINESE}" in text
    assert "# plan\n\nuntil: May\n\n## steps\n" in text
    assert "people" in {piece.title for piece in pieces}
    assert (parsing.kind, parsing.metadata["title"]) == ("json", "Наши люди")
    assert read("broken.json", b'{"name": ')[0][0].text.strip() == '{"name":'
    deep = "[" * 100_000 + '"far down"' + "]" * 100_000
    with pytest.raises(Unreadable, match="nested deeper"):
        read("deep.json", deep.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_of_any_encoding(read: Read, encoding: str) -> None:
    pieces, _ = read("note.txt", f"{CYRILLIC}\r\n\r\n{ARABIC}".encode(encoding))
    assert pieces[0].text == f"{CYRILLIC}\n\n{ARABIC}\n\n"


def test_what_a_file_is_counts_more_than_its_name(read: Read) -> None:
    pieces, parsing = read("handbook.txt", writers.docx_bytes())
    assert parsing.kind == "docx"
    assert any("Sick leave | 30" in piece.text for piece in pieces)


def test_slides_have_their_points_tables_charts_and_notes(read: Read) -> None:
    pieces, parsing = read("handbook.pptx", writers.pptx_bytes())
    text = "".join(piece.text for piece in pieces)
    assert "- Everybody has thirty days of leave a year.\n- Ask the office first\n" in text
    assert "Say that it is paid." in text
    assert "Name | Days\nSick leave | 30\nParental leave | 180\n" in text
    assert "| Days taken\n2025 | 21\n2026 | 24.5\n" in text
    assert all(said in text for said in (ARABIC, CHINESE, CYRILLIC))
    places = {(piece.title, piece.part, piece.page) for piece in pieces}
    assert {("Leave", "slide", 1), ("Kinds of leave", "slide", 2)} <= places
    assert parsing.metadata | {"title": "Handbook", "author": "Anna Gray", "slides": 3} == parsing.metadata


@pytest.mark.parametrize("kind", ["xlsx", "xls", "ods", "numbers"])
def test_sheets_have_their_tables(read: Read, tmp_path: Path, kind: str) -> None:
    made: dict[str, Callable[[], bytes]] = {
        "xlsx": writers.xlsx_bytes, "xls": writers.xls_bytes, "ods": writers.ods_bytes,
        "numbers": lambda: writers.numbers_bytes(tmp_path),
    }  # fmt: skip
    pieces, parsing = read(f"prices.{kind}", made[kind]())
    text = "\n".join(piece.text for piece in pieces)
    assert "Name | Price | Since\nTea | 4.5 | 2025-03-09\nКофе | 3 | 2026-01-02\n" in text
    assert f"Name | Office\nAna | Lisbon\n陈伟 | 上海\n{ARABIC} | دبي\n" in text
    assert {(one.part, one.page, one.sheet) for one in pieces} == {
        ("sheet", 1, "Prices"),
        ("sheet", 2, "Staff"),
    }
    assert parsing.metadata["sheets"] == 2
    assert parsing.kind == kind


def test_a_sheet_has_titles_sums_and_several_tables(read: Read) -> None:
    pieces, parsing = read("prices.xlsx", writers.xlsx_bytes())
    text = "\n".join(piece.text for piece in pieces)
    assert "All prices in euros\n" in text
    assert "| 7.5 |" in text  # what a formula comes to, not the formula
    assert "City | Rooms\nPorto | 12\n" in text
    assert parsing.metadata["author"] == "Anna Gray"


def test_a_book_has_chapters(read: Read, tmp_path: Path) -> None:
    pieces, parsing = read("handbook.epub", writers.epub_bytes(tmp_path))
    text = "".join(piece.text for piece in pieces)
    assert "Everybody has thirty days of leave a year." in text
    assert "Name | Days\nSick leave | 30\nParental leave | 180\n" in text
    assert all(said in text for said in (ARABIC, CHINESE, CYRILLIC))
    assert "steal" not in text
    assert "Leave > Kinds of leave" in {piece.title for piece in pieces}
    assert {piece.part for piece in pieces} == {"chapter"}
    assert len({piece.page for piece in pieces}) >= 2
    assert parsing.metadata | {"title": "Handbook", "author": "Anna Gray"} == parsing.metadata


@pytest.mark.parametrize("html", [False, True])
def test_a_mail_says_who_wrote_what_and_when(read: Read, html: bool) -> None:
    pieces, parsing = read("leave.eml", writers.eml_bytes(html=html))
    text = "".join(piece.text for piece in pieces)
    assert "From: Anna Gray <anna@example.com>\nTo: all@example.com\n" in text
    assert "thirty days" in text
    assert ARABIC in text
    assert CHINESE in text
    assert parsing.metadata["title"] == "Отпуск: leave"
    assert parsing.metadata["date"] == "2026-03-09"
    assert parsing.notes == ["What is attached was not read: tarif.pdf."]


@pytest.mark.parametrize("name", ["letter.pages", "talk.key"])
def test_pages_and_keynote_by_their_preview(read: Read, name: str) -> None:
    pieces, parsing = read(name, writers.pages_bytes(writers.pdf_bytes(["Thirty days of leave."])))
    assert "Thirty days of leave." in pieces[0].text
    assert (pieces[0].part, pieces[0].page) == ("page", 1)
    assert parsing.kind == name.rpartition(".")[2]


def test_pages_and_keynote_without_a_preview_by_their_own_text(read: Read) -> None:
    parts = {
        "Slide-12": ["Last slide"], "Slide-2": [f"Leave\u2028{ARABIC}\n{CHINESE}\ufffc"],
        "TemplateSlide-1": ["Click to edit"], "Document": ["Everybody has thirty days. " * 4000],
    }  # fmt: skip
    for name in ("talk.key", "letter.pages"):
        pieces, parsing = read(name, writers.iwork_bytes(parts))
        text = "".join(piece.text[piece.repeated :] for piece in pieces)
        assert text.index("thirty days") < text.index(CHINESE) < text.index("Last slide")
        assert f"Leave\n\n{ARABIC}\n\n{CHINESE}\n" in text
        assert "Click to edit" not in text
        assert "On every page" not in text
        assert parsing.kind == name.rpartition(".")[2]
        assert "without pages" in parsing.notes[0]


READER = """
class RapidOCR:
    def __init__(self, **options):
        pass

    def __call__(self, image):
        assert image.ndim == 3
        box = [[0, 0], [1, 0], [1, 1], [0, 1]]
        return [[box, "Thirty days", "0.99"], [box, "smudge", "0.1"]], [0.1]
"""


@pytest.mark.parametrize(
    ("name", "data"), [("page.png", writers.png_bytes()), ("page.pdf", writers.scanned_bytes())]
)
def test_pictures_are_read_where_something_is_installed_that_reads_them(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes
) -> None:
    (tmp_path / "rapidocr_onnxruntime.py").write_text(READER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    pieces, _ = read(name, data)
    assert [piece.text.strip() for piece in pieces] == ["Thirty days"]


@pytest.mark.skipif(find_spec("rapidocr_onnxruntime") is None, reason="bethink[ocr] is not installed")
@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_pictures_are_read_by_the_package_itself(read: Read, kind: str) -> None:
    data = writers.png_bytes() if kind == "png" else writers.scanned_bytes()
    pieces, parsing = read(f"page.{kind}", data)
    text = " ".join(piece.text for piece in pieces)
    assert "thirty days of leave" in text.lower()
    assert parsing.kind == ("picture" if kind == "png" else "pdf")


WHY = {
    "an encrypted PDF": ("a.pdf", writers.pdf_bytes(["Leave"], password="secret"), "It is encrypted"),
    "half a PDF": ("a.pdf", writers.pdf_bytes(["Leave"])[:300], "damaged or cut off"),
    "half a Word document": ("a.docx", writers.docx_bytes()[:9000], "damaged or cut off"),
    "a program": ("a.exe", b"MZ\x90\0\3\0\0\0", "holds no text"),
    "pictures of pages": ("a.pdf", writers.pdf_bytes(["", ""]), "no text layer"),
    "a scanned page": ("a.pdf", writers.scanned_bytes(), "no text layer.*bethink.ocr"),
    "a picture": ("a.jpg", writers.png_bytes(), "It is a picture.*bethink.ocr"),
    "half a presentation": ("a.pptx", writers.pptx_bytes()[:9000], "damaged or cut off"),
    "half a workbook": ("a.xlsx", writers.xlsx_bytes()[:3000], "damaged or cut off"),
    "half an old workbook": ("a.xls", writers.xls_bytes()[:1500], "damaged or cut off|old Office"),
    "a page of Pages without preview": ("a.pages", writers.pages_bytes(None), "export it as a PDF"),
    "a text that says it is a mail": ("a.eml", b"just words", "but it is no mail"),
    "a text that says it is a PDF": ("a.pdf", b"just words", "but it is none"),
}


@pytest.mark.parametrize("case", WHY)
def test_it_is_said_why_a_file_cannot_be_read(read: Read, case: str) -> None:
    name, data, why = WHY[case]
    with pytest.raises(Unreadable, match=why):
        read(name, data)


@pytest.mark.parametrize(
    ("name", "data", "library", "extra"),
    [
        ("a.docx", writers.docx_bytes(), "docx", "documents"),
        ("a.pdf", writers.pdf_bytes(["Leave"]), "pypdfium2", "documents"),
        ("a.html", writers.html_bytes(), "selectolax", "documents"),
        ("a.xlsx", writers.xlsx_bytes(), "python_calamine", "documents"),
        ("a.pages", writers.iwork_bytes({"Document": ["Leave"]}), "numbers_parser", "numbers"),
        ("a.numbers", writers.zipped({"Index/Document.iwa": b""}), "numbers_parser", "numbers"),
    ],
)
def test_a_missing_extra_is_named(
    read: Read,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: bytes,
    library: str,
    extra: str,
) -> None:
    (tmp_path / f"{library}.py").write_text(f"raise ModuleNotFoundError(name={library!r})")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(Unreadable, match=rf"pip install 'bethink\[{extra}\]'"):
        read(name, data)


def test_reading_takes_no_more_than_it_may(read: Read) -> None:
    with pytest.raises(Unreadable, match="holds more text than the 1,000 characters"):
        read("long.txt", b"word " * 1000, max_characters=1000)
    with pytest.raises(Unreadable, match=r"longer than the 0\.001 seconds of documents.parse_seconds"):
        read("long.txt", b"word " * 1000, parse_seconds=0.001)
