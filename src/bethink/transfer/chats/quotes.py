"""A mail's own words: without what it quotes, and an HTML body as plain text. Pure."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_ATTRIBUTION = re.compile(
    r"^(?:On .{5,200} wrote:|Am .{5,200} schrieb .{0,200}:|Le .{5,200} a écrit\s?:|El .{5,200} escribió:"
    r"|Il .{5,200} ha scritto:|Em .{5,200} escreveu:|Op .{5,200} schreef .{0,200}:|在\s?.{5,200}写道[:：]"
    r"|.{5,200}於.{5,100}寫道[:：]|\d{4}年.{5,200}[:：])\s*$",
    re.MULTILINE | re.DOTALL,
)
_FORWARDED = re.compile(
    r"^\s*-{2,}\s*(?:Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado"
    r"|Messaggio inoltrato|转发的邮件|轉寄郵件)\s*-{2,}|^Begin forwarded message:",
    re.MULTILINE | re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"^\s*-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original"
    r"|Messaggio originale|原始邮件|原始郵件)\s*-{2,}"
    r"|^_{10,}\s*$"
    r"|^\*?(?:From|Von|De|Da|发件人)\*?[:：].*\n(?:.*\n){0,2}?\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Fecha|发送时间)\*?\s?[:：]",
    re.MULTILINE | re.IGNORECASE,
)
_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)
_BLANKS = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_SPREAD = 200  # characters over which the line that introduces a quotation may be wrapped


def own_text(text: str) -> tuple[str, str]:
    """What the sender wrote, and what was forwarded below it."""
    text = text.replace("\r\n", "\n")
    forwarded = ""
    if found := _FORWARDED.search(text):
        text, forwarded = text[: found.start()], text[found.start() :]
    if found := _ORIGINAL.search(text):
        text = text[: found.start()]
    text = _without_quotations(text)
    if found := _SIGNATURE.search(text):
        text = text[: found.start()]
    return _BLANKS.sub("\n\n", text).strip(), forwarded.strip()


def _without_quotations(text: str) -> str:
    """The text without quoted lines, and without the line that introduces them."""
    kept: list[str] = []
    for line in text.split("\n"):
        if not line.startswith(">"):
            kept.append(line)
            continue
        for back in range(1, 4):  # it may be wrapped
            lead = "\n".join(part for part in kept[-back:] if part.strip())
            if len(lead) <= 2 * _SPREAD and _ATTRIBUTION.fullmatch(lead):
                del kept[-back:]
                break
    while kept and not kept[-1].strip():
        kept.pop()
    for back in range(1, 4):  # of a quotation that some programs leave without marks, only this is left
        if _ATTRIBUTION.fullmatch("\n".join(kept[-back:])):
            del kept[-back:]
            break
    return "\n".join(kept)


def text_of_html(html: str) -> str:
    """An HTML body as plain text, without what it quotes."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = [" ".join(line.split()) for line in "".join(reader.parts).split("\n")]
    return _BLANKS.sub("\n\n", "\n".join(lines)).strip()


class _Reader(HTMLParser):
    """Collects the words; what is hidden or quoted is passed over, by how deep it stands."""

    _BLOCKS = frozenset(
        ("p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote",
         "pre", "hr", "section", "article")
    )  # fmt: skip
    _UNSHOWN = frozenset(("script", "style", "head", "title", "template"))
    _VOID = frozenset(
        ("br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr")
    )
    _QUOTES = ("gmail_quote", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._passing: list[str] = []  # the elements within the one that is passed over

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._VOID:
            if tag in self._BLOCKS and not self._passing:
                self.parts.append("\n")
            return
        values = dict(attrs)
        classes = values.get("class") or ""
        quoted = any(name in classes for name in self._QUOTES) or (
            tag == "blockquote" and (values.get("type") == "cite" or "cite" in values)
        )
        if self._passing or quoted or tag in self._UNSHOWN:
            self._passing.append(tag)
        elif tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._passing:
            if tag in self._passing:
                while self._passing.pop() != tag:
                    continue  # what was never closed ends here too
        elif tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._passing:
            self.parts.append(data.replace("\n", " "))
