"""Blocks of text that somebody hands over, told by shape: between tags or rules, mails, letters. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

Span = tuple[int, int]

_TAG = re.compile(
    r"(?<!\w)(?:<(?P<close>/?)(?P<name>[^\W\d_][\w.:-]{0,60})(?P<rest>\s[^<>]{0,500})?(?P<empty>/?)>"
    r"|\[(?P<bb_close>/?)(?P<bb>quote|code|text|document|email|mail|spoiler)(?:=[^\[\]\n]{0,80})?\])",
    re.IGNORECASE,
)
# Marks inside a sentence of one's own, and what some clients put around what the user typed.
_NO_WRAPPER = re.compile(
    r"(?:b|i|u|s|em|strong|small|mark|sub|sup|kbd|br|hr|img|wbr|input/?|https?|mailto"
    r"|user[_.-]?(?:query|message|request|prompt|question))$",
    re.IGNORECASE,
)
# Without an end, these hold the rest of the text wherever they stand; other names only at a line's start.
_HOLDS_TEXT = re.compile(
    r"(?:doc|docs|documents?|contexts?|attachments?|files?|e-?mails?|mail|articles?|text|input|sources?|quotes?"
    r"|blockquote|transcripts?|paste[ds]?|examples?|content|passages?|data|messages?|letter|page|pages|notes?|body"
    r"|excerpt|snippet|draft|essay|post|report|résumé|resume|cv|dokumente?|anhang|kontext|brief|datei|zitat|beispiel"
    r"|texto|documentos?|contexto|adjunto|correo|archivo|cita|ejemplo|texte|contexte|courriel|pièce|fichier"
    r"|citation|exemple|文档|文本|文章|邮件|附件|内容|引用|例子)$",
    re.IGNORECASE,
)
_TRIPLE = re.compile(r"\"\"\"|'''|```|“““|”””")
_STROKE = r"[-*=_~\"'#—–+<>]"
_RULE = re.compile(
    rf"[ \t]{{0,3}}({_STROKE})(?:[ \t]?\1){{2,}}+"
    rf"(?:[ \t]*[^\W_][^\n]{{0,60}}?[ \t]*{_STROKE}{{3}})?[-*=_~\"'#—–+<> \t\r]*$"
)
# A rule with a title, such as `=== notes.txt ===`, or a line such as `BEGIN TEXT`: a text follows.
_TITLED = re.compile(
    rf"[ \t]{{0,3}}{_STROKE}{{3,}}+[ \t]*[^\W_][^\n]{{0,60}}?[ \t]*{_STROKE}{{3}}[-*=_~\"'#—–+<> \t\r]*$"
    r"|[\[(*#]{0,4}(?:BEGIN|START)(?: OF)? [A-Z][A-Z ]{1,40}[\])*#:]{0,4}[ \t\r]*$"
)
_ENDED = re.compile(r"[\[(*#]{0,4}END(?: OF)?(?: [A-Z][A-Z ]{1,40})?[\])*#:]{0,4}[ \t\r]*$")
_FRONT_MATTER = re.compile(r"[\w -]{1,40}:|[ \t]*- |[ \t]*$")
_HEADERS = (
    r"from|to|cc|bcc|subject|date|sent|reply-to|received"
    r"|von|an|betreff|gesendet|datum|kopie|antwort an"
    r"|de|para|asunto|enviado(?: el)?|fecha"
    r"|à|a|objet|envoyé(?: le)?"
    r"|发件人|收件人|主题|日期|时间|发送时间|抄送|寄件者|收件者|主旨|寄件人|發件人|副本"
)
_HEADER = re.compile(
    rf"[ \t>]{{0,4}}\*{{0,2}}(?:{_HEADERS})\*{{0,2}}[ \t]?[:：]\*{{0,2}}(?=[ \t\r]|[^\x00-\x7f]|$)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"[ \t>]{0,4}\*{0,2}(?:subject|betreff|asunto|objet|主题|主旨)\*{0,2}[ \t]?[:：]", re.IGNORECASE
)
_FORWARDED = re.compile(
    r"[ \t]*(?:begin forwarded message|(?:on|am|le|el|在) ?[^\n]{5,200}"
    r"(?:wrote|schrieb|a écrit|escribió|写道)[^\n]{0,80}[:：][ \t\r]*$"
    r"|-{2,}[ \t]*(?:original message|forwarded message|ursprüngliche nachricht"
    r"|weitergeleitete nachricht|mensaje original|mensaje reenviado|message d'origine|message original"
    r"|message transféré|原始邮件|转发邮件|转发的邮件|原始郵件|轉寄郵件))",
    re.IGNORECASE,
)
_SALUTATION = re.compile(
    r"[ \t]*(?:dear|to whom it may concern|sehr geehrte[rn]?|liebe[rs]?|estimad[oa]s?|querid[oa]s?|chère?s?"
    r"|monsieur|madame|尊敬的|亲爱的|敬爱的)(?! (?:assistant|ai|chatgpt|claude|gpt|bot|assistent))"
    r"\b[^\n.!?]{0,80}[,:，：!]?[ \t\r]*$",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"[ \t]*(?:yours|sincerely|best regards|kind regards|warm regards|regards|best wishes|respectfully"
    r"|mit freundlichen|freundliche grüße|viele grüße|liebe grüße|beste grüße|atentamente|saludos|un saludo"
    r"|un abrazo|cordialmente|cordialement|bien à vous|veuillez agréer|salutations|此致|敬上|祝好|敬礼)",
    re.IGNORECASE,
)
_INDENT = 40  # characters before a tag that still begins its line


def tagged(text: str) -> list[Span]:
    """What stands between tags of one name, with the tags; from an unclosed one to the end."""
    marks = list(_TAG.finditer(text))
    closing = {_name(mark) for mark in marks if _is_close(mark)}
    spans: list[Span] = []
    start, name, depth = 0, "", 0
    for mark in marks:
        if depth:
            if _name(mark) == name and not mark["empty"]:
                depth += -1 if _is_close(mark) else 1
                if not depth:
                    spans.append((start, mark.end()))
        elif not _is_close(mark) and not mark["empty"] and _wraps(text, mark, closing):
            start, name, depth = mark.start(), _name(mark), 1
    if depth:
        spans.append((start, len(text)))
    return spans


def _name(mark: re.Match[str]) -> str:
    return (mark["name"] or f"[{mark['bb']}").casefold()


def _is_close(mark: re.Match[str]) -> bool:
    return bool(mark["close"] or mark["bb_close"])


def _wraps(text: str, mark: re.Match[str], closing: set[str]) -> bool:
    name = _name(mark)
    if _NO_WRAPPER.match(name) or (mark["rest"] or "").rstrip().endswith("/"):
        return False
    if name in closing:
        return True
    before = text[max(0, mark.start() - _INDENT) : mark.start()]
    at_line_start = not before.rpartition("\n")[2].strip()
    return _HOLDS_TEXT.match(name) is not None or (at_line_start and "@" not in (mark["rest"] or ""))


def tripled(text: str) -> list[Span]:
    """What stands between triple quotation marks; from a last one without a partner to the end."""
    marks = [found.span() for found in _TRIPLE.finditer(text)]
    spans = [(start, end) for (start, _), (_, end) in zip(marks[::2], marks[1::2], strict=False)]
    return [*spans, (marks[-1][0], len(text))] if len(marks) % 2 else spans


def ruled(text: str) -> list[Span]:
    """From the first to the last of several lines that are nothing but a rule, such as `---`.

    A single one is left alone: which side of it is handed over depends on what is asked. But a rule with a
    title stands above its text, and `BEGIN TEXT` up to `END TEXT`.
    """
    lines = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    rules = [place for place, line in enumerate(lines) if _RULE.match(line.rstrip("\n"))]
    if len(rules) < 2:
        first = next((place for place, line in enumerate(lines) if _TITLED.match(line)), None)
        if first is None:
            return []
        ended = (place for place in range(first + 1, len(lines)) if _ENDED.match(lines[place]))
        return [(starts[first], starts[next(ended, len(lines) - 1) + 1])]
    first, last = rules[0], rules[-1]
    opens_text = not text[: starts[first]].strip()
    if len(rules) == 2 and opens_text and all(map(_FRONT_MATTER.match, lines[first + 1 : last])):
        return [(0, len(text))]
    return [(starts[first], starts[last + 1])]


def mailed(text: str) -> list[Span]:
    """From the head of a mail to the end; a letter from its salutation to who signs it."""
    lines = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    heads = [place for place in range(len(lines)) if _is_head(lines, place)]
    if heads:
        return [(starts[heads[0]], len(text))]
    return [(starts[first], starts[last + 1]) for first, last in _letters(lines)]


def _is_head(lines: Sequence[str], place: int) -> bool:
    line = lines[place]
    if _SUBJECT.match(line) or _FORWARDED.match(line):
        return True
    return place + 1 < len(lines) and bool(_HEADER.match(line) and _HEADER.match(lines[place + 1]))


def _letters(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last line of each letter; the name below the sign-off belongs to it."""
    first = None
    for place, line in enumerate(lines):
        if first is None:
            first = place if _SALUTATION.match(line) else None
        elif _SIGN_OFF.match(line):
            last = place + 1
            while last < len(lines) - 1 and not lines[last].strip():
                last += 1
            yield first, min(last, len(lines) - 1)
            first = None
