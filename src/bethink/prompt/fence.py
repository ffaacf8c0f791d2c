"""Makes text from memory unable to be anything but data in a prompt. Pure.

Everything remembered stands in one line that begins with a dash or a quotation mark, between an opening and a
closing tag. It can hold no line break, and no "<" that could begin a tag or a comment.
"""

from __future__ import annotations

import re

BOUNDARY = "<!-- BETHINK_CACHE_BOUNDARY -->"

_INVISIBLE = "\u200b-\u200d\u2060"
# Marks that reorder what is shown, hide text in tags, or split a word without being seen.
_UNWANTED = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff\u200b\u2060\U000e0000-\U000e007f]")
_TAG_START = re.compile(
    rf"[<＜﹤〈](?=[{_INVISIBLE}]*+[a-z]|[\s{_INVISIBLE}]*+(?:[/／!！?？]|bethink))", re.IGNORECASE
)
_OURS = re.compile(
    rf"[<＜﹤〈](?=[\s{_INVISIBLE}]*+(?:(?:[/／][\s{_INVISIBLE}]*+)?bethink|[!！]--\s*+bethink_))",
    re.IGNORECASE,
)
_WOVEN = ("bethink-memory", "bethink-recall")
_WOVEN_START = re.compile(rf"<({'|'.join(_WOVEN)})>")
_LINE_ENDS = re.compile(r"\n*+")
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # spaces, line ends, control characters


def one_line(text: str) -> str:
    """The text as data: in one line, with nothing that could begin a tag."""
    if text.isascii() and text.isprintable() and "<" not in text and "  " not in text:
        return text.strip()  # as most are
    return _TAG_START.sub("&lt;", _BREAKS.sub(" ", _UNWANTED.sub("", text)).strip())


def quoted(text: str) -> list[str]:
    """A text of several lines as data: each of its lines as a quotation."""
    lines = [one_line(line) for line in text.splitlines()]
    return [f"> {line}" if line else ">" for line in lines]


def without_marks(text: str) -> str:
    """A text of the owner's own, such as the soul: as it is, but for the marks that only we may write."""
    return _OURS.sub("&lt;", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def without_woven(text: str) -> str:
    """A text without the parts of it that are memory which we wove in, should someone send it back."""
    if "<bethink-" not in text:
        return text
    last = {name: text.rfind(f"</{name}>") for name in _WOVEN}  # so that no tag is looked for in vain
    kept, place = [], 0
    for tag in _WOVEN_START.finditer(text):
        if place <= tag.start() < last[tag[1]]:
            kept.append(text[place : tag.start()])
            end = text.index(f"</{tag[1]}>", tag.end()) + len(f"</{tag[1]}>")
            place = found.end() if (found := _LINE_ENDS.match(text, end)) else end
    return "".join([*kept, text[place:]])
