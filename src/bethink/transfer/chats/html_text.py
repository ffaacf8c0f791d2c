"""An HTML body as plain text, in one pass however broken it is. Pure.

Not by `html.parser`, which takes time quadratic in the length of some bodies.
"""

from __future__ import annotations

import html
import re
from collections import Counter

_TAG = re.compile(r"(/?)([a-z][^\s/>]*+)", re.IGNORECASE)
_CLASS = re.compile(r"\bclass\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_CITE = re.compile(r"\b(?:type\s*+=\s*+[\"']?cite\b|cite\s*+=)", re.IGNORECASE)
_BLANKS = re.compile(r"\n[ \t]*+\n(?:[ \t]*+\n)++")
_BLOCKS = frozenset(
    ("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote",
     "pre", "hr", "section", "article")
)  # fmt: skip
_UNSHOWN = frozenset(("script", "style", "head", "title", "template"))
_VOID = frozenset(
    ("br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr")
)
_QUOTES = ("gmail_quote", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote")


def text_of_html(body: str) -> str:
    """An HTML body as plain text, without what it quotes."""
    reader = _Reader()
    place = 0
    while (start := body.find("<", place)) >= 0:
        reader.text(body[place:start])
        place = _after(body, start, reader)
    reader.text(body[place:])
    lines = [" ".join(line.split()) for line in "".join(reader.parts).split("\n")]
    return _BLANKS.sub("\n\n", "\n".join(lines)).strip()


def unescaped(text: str) -> str:
    """A text with its character references as characters; as it is, if one is no number that Python reads."""
    try:
        return html.unescape(text)
    except ValueError:
        return text


def _after(body: str, start: int, reader: _Reader) -> int:
    """Where the text goes on after what begins with this mark: a tag, a comment, or just the mark."""
    is_comment = body.startswith("<!--", start)
    end = reader.find(body, "-->" if is_comment else ">", start)
    if is_comment and end >= 0:
        return end + 3
    following = body.find("<", start + 1, end) if end >= 0 else -1
    if end < 0 or (following >= 0 and not is_comment):
        reader.text("<")  # a mark that begins no tag
        return start + 1
    if found := _TAG.match(body, start + 1, end):
        reader.tag(found[2].lower(), body[found.end() : end], closes=bool(found[1]))
    elif body[start + 1 : start + 2] not in ("!", "?", "/"):
        reader.text("<")
        return start + 1
    return end + 1


class _Reader:
    """Collects the words; what is hidden or quoted is passed over, by how deep it stands."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._passing: list[str] = []  # the elements within the one that is passed over
        self._open: Counter[str] = Counter()  # how many of each
        self._ends: dict[str, int] = {}  # where each mark comes next, so that none is looked for twice

    def find(self, body: str, mark: str, start: int) -> int:
        """Where a mark comes next; -1 when it comes no more."""
        known = self._ends.get(mark, 0)
        if 0 <= known < start or mark not in self._ends:
            known = self._ends[mark] = body.find(mark, start)
        return known

    def text(self, words: str) -> None:
        if words and not self._passing:
            self.parts.append(unescaped(words).replace("\n", " "))

    def tag(self, name: str, attributes: str, *, closes: bool) -> None:
        if closes:
            self._close(name)
        elif name in _VOID:
            if name in _BLOCKS and not self._passing:
                self.parts.append("\n")
        elif self._passing or name in _UNSHOWN or _quotes(name, attributes):
            if not attributes.endswith("/"):
                self._passing.append(name)
                self._open[name] += 1
        elif name in _BLOCKS:
            self.parts.append("\n")

    def _close(self, name: str) -> None:
        if not self._passing:
            self.parts += ["\n"] * (name in _BLOCKS)
            return
        while self._open[name]:
            closed = self._passing.pop()  # what was never closed ends here too
            self._open[closed] -= 1
            if closed == name:
                return


def _quotes(name: str, attributes: str) -> bool:
    found = _CLASS.search(attributes)
    classes = next((part for part in found.groups() if part), "") if found else ""
    is_cited = name == "blockquote" and _CITE.search(attributes) is not None
    return is_cited or any(quote in classes for quote in _QUOTES)
