"""A mail's own words, without what it quotes. Pure."""

from __future__ import annotations

import re

_ATTRIBUTION = re.compile(
    r"^(?:On .{5,200} wrote:|Am .{5,200} schrieb .{0,200}:|Le .{5,200} a écrit\s?:|El .{5,200} escribió:"
    r"|Il .{5,200} ha scritto:|Em .{5,200} escreveu:|Op .{5,200} schreef .{0,200}:|在\s?.{5,200}写道[:：]"
    r"|.{5,200}於.{5,100}寫道[:：]|\d{4}年.{5,200}[:：])\s*$",
    re.MULTILINE | re.DOTALL,
)
_FORWARDED = re.compile(
    r"^[^\S\n]*+-{2,}+\s*+(?:Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado"
    r"|Messaggio inoltrato|转发的邮件|轉寄郵件)\s*-{2,}|^Begin forwarded message:",
    re.MULTILINE | re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"^[^\S\n]*+-{2,}+\s*+(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original"
    r"|Messaggio originale|原始邮件|原始郵件)\s*-{2,}"
    r"|^_{10,}\s*$"
    r"|^\*?(?:From|Von|De|Da|发件人)\*?[:：].*\n(?:.*\n){0,2}?\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Fecha|发送时间)\*?\s?[:：]",
    re.MULTILINE | re.IGNORECASE,
)
_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)
_BLANKS = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_SPREAD = 400  # characters that the line which introduces a quotation may have, with those it is wrapped into


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
        if back := _attribution(kept):
            del kept[-back:]
    while kept and not kept[-1].strip():
        kept.pop()
    if back := _attribution(kept):  # of a quotation that some programs leave without marks, only this is left
        del kept[-back:]
    return "\n".join(kept)


def _attribution(lines: list[str]) -> int:
    """How many of the last lines introduce a quotation: one, or up to three if it is wrapped; or none."""
    for back in range(1, 4):
        last = lines[-back:]
        if sum(map(len, last)) <= _SPREAD and _ATTRIBUTION.fullmatch("\n".join(filter(str.strip, last))):
            return len(last)
    return 0
