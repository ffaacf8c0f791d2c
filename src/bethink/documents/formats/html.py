"""Web pages: headings, paragraphs, lists and tables, without menus and scripts. Nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from bethink.documents.blocks import Block, is_table, row_of
from bethink.documents.formats import Told, decoded

_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)
_LEFT_OUT = {
    "script", "style", "noscript", "template", "nav", "svg", "head", "iframe", "object", "button", "select",
    "form", "dialog",
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section",
    "summary", "ul",
}  # fmt: skip
DEEPEST = 400  # elements in one another


def html(path: Path, told: Told) -> Iterator[Block]:
    """A page, with its title and what it says of its author."""
    data = path.read_bytes()
    yield from of_page(text_of(data), told)


def text_of(data: bytes) -> str:
    """The text of a page in the encoding that it names."""
    if found := _CHARSET.search(data[:4096]):
        try:
            return data.decode(found[1].decode("ascii"))
        except (LookupError, ValueError):
            pass  # it names one that it does not have
    return decoded(data)


def of_page(text: str, told: Told) -> Iterator[Block]:
    """The blocks of a page's text."""
    page = LexborHTMLParser(text)
    if (title := page.css_first("title")) is not None and title.text().strip():
        told.metadata.setdefault("title", " ".join(title.text().split()))
    for meta in page.css("meta[name]"):
        name, value = str(meta.attributes.get("name", "")).lower(), meta.attributes.get("content")
        if name in ("author", "date", "description") and value:
            told.metadata.setdefault(name, " ".join(value.split()))
    if page.body is not None:
        walk = _Walk()
        yield from walk.blocks(page.body, 0)
        yield from walk.paragraph()


class _Walk:
    """Goes through the elements of a page, and keeps the words that no block has yet."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._lead = ""

    def paragraph(self) -> Iterator[Block]:
        """What was kept so far, as a paragraph."""
        if text := self._taken():
            yield Block(self._lead + text)
            self._lead = ""

    def _taken(self) -> str:
        lines = "".join(self._words).split("\v")
        self._words.clear()
        return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))

    def blocks(self, element: LexborNode, depth: int) -> Iterator[Block]:
        """The blocks within an element."""
        child = element.child
        while child is not None:
            yield from self._of(child, depth)
            child = child.next

    def _of(self, node: LexborNode, depth: int) -> Iterator[Block]:
        tag = node.tag or ""
        if node.is_text_node:
            self._words.append(node.text_content or "")
        elif tag in _LEFT_OUT or depth > DEEPEST:
            return
        elif tag == "br":
            self._words.append("\v")
        elif tag in _HEADINGS:
            yield from self.paragraph()
            yield Block(" ".join(node.text(separator=" ").split()), "heading", _HEADINGS[tag])
        elif tag == "pre":
            yield from self.paragraph()
            yield Block(node.text())
        elif tag == "table":
            yield from self.paragraph()
            yield from self._table(node, depth)
        elif tag in _BLOCKS:
            yield from self.paragraph()
            self._lead = "- " if tag == "li" else ""
            yield from self.blocks(node, depth + 1)
            yield from self.paragraph()
            self._lead = ""
        else:
            yield from self.blocks(node, depth + 1)

    def _table(self, table: LexborNode, depth: int) -> Iterator[Block]:
        """A table's rows; one that only places texts is read as these."""
        if table.css_first("table table") is not None:
            for cell in table.css("td, th"):
                if cell.css_first("table") is None:
                    yield from self.blocks(cell, depth + 1)
                    yield from self.paragraph()
            return
        rows = [[cell.text(separator=" ") for cell in row.css("td, th")] for row in table.css("tr")]
        if not is_table(rows):
            for cell in table.css("td, th"):
                yield from self.blocks(cell, depth + 1)
                yield from self.paragraph()
            return
        for number, cells in enumerate(rows):
            yield Block(row_of(cells), "row" if number else "header")
