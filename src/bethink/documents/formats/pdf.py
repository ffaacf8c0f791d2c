"""PDF files, page by page, with the headings of their outline. Nothing that is in them is run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pypdfium2

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told
from bethink.documents.formats.pictures import can_read, text_in

# A word that goes on in the next line: where the reader sees it, it puts U+FFFE in place of the hyphen.
_HYPHEN = re.compile(r"\ufffe\n?|(?<=[^\W\d_])[-\u00ad]\n(?=[^\W\d_A-Z])")
_GAP = re.compile(r"\n[ \t]*\n\s*")
_FIELDS = {
    "Title": "title", "Author": "author", "Subject": "subject", "CreationDate": "created",
    "ModDate": "modified",
}  # fmt: skip
_INSTALL = " To have them read: pip install 'bethink[ocr]'."
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
MOST_HEADINGS = 10_000
SCALE = 2  # of a page that is a picture: 144 dots an inch


def pdf(path: Path, told: Told) -> Iterator[Block]:
    """The text of each page."""
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unreadable("It is encrypted: save it without a password.") from error
        raise Unreadable("The file is damaged or cut off: it is no whole PDF.") from error
    told.metadata |= _metadata(document)
    headings = _outline(document)
    empty = 0
    for number in range(len(document)):
        text = _text(document, number, told)
        empty += not text.strip()
        yield from _page(text, headings[number], number + 1)
    if empty and empty == len(document):
        raise Unreadable(f"It has no text layer: its pages are pictures.{'' if can_read() else _INSTALL}")
    if empty:
        told.notes.append(f"{empty} of {len(document)} pages have no text layer.")


def _text(document: pypdfium2.PdfDocument, number: int, told: Told) -> str:
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        told.notes.append(f"Page {number + 1} is damaged and was left out.")
        return ""
    try:
        whole = page.get_textpage()
        text = whole.get_text_range()
        whole.close()
        if not text.strip() and can_read():
            text = text_in(page.render(scale=SCALE).to_pil())
    finally:
        page.close()
    return _HYPHEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))


def _page(text: str, headings: list[tuple[int, str]], page: int) -> Iterator[Block]:
    """The paragraphs of a page; a heading of the outline where its line is, or at the top."""
    waiting = {_plain(title): (level, title) for level, title in headings}
    lines = text.split("\n")
    there = {_plain(line) for line in lines} & waiting.keys()
    for level, title in (one for name, one in waiting.items() if name not in there):
        yield Block(title, "heading", level, "page", page)
    kept: list[str] = []
    for line in lines:
        found = waiting.pop(_plain(line), None) if _plain(line) in there else None
        if found:
            yield from _paragraphs(kept, page)
            yield Block(found[1], "heading", found[0], "page", page)
        else:
            kept.append(line)
    yield from _paragraphs(kept, page)


def _paragraphs(lines: list[str], page: int) -> Iterator[Block]:
    for part in _GAP.split("\n".join(lines)):
        yield Block(part, part="page", page=page)
    lines.clear()


def _plain(line: str) -> str:
    return " ".join(line.split()).casefold()


def _outline(document: pypdfium2.PdfDocument) -> defaultdict[int, list[tuple[int, str]]]:
    """The titles of the outline, by the page to which they lead."""
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for count, mark in enumerate(document.get_toc(max_depth=6)):
        target = mark.get_dest()
        title = " ".join((mark.get_title() or "").split())
        if count < MOST_HEADINGS and target is not None and title:
            found[target.get_index()].append((mark.level + 1, title))
    return found


def _metadata(document: pypdfium2.PdfDocument) -> dict[str, str | int]:
    told = document.get_metadata_dict(skip_empty=True)
    named: dict[str, str | int] = {to: told[name] for name, to in _FIELDS.items() if told.get(name)}
    for name in ("created", "modified"):
        if date := _DATE.match(str(named.get(name, ""))):
            named[name] = "-".join(date.groups())
    return {**named, "pages": len(document)}
