"""The user's own words in a message: what was pasted, quoted, injected or generated is masked. Pure.

Masking never moves a character, so a place in the masked text is the same place in the message.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence

from bethink.extraction.patterns.handed import Span, mailed, ruled, tagged, tripled

MOST_BYTES = 64 * 1024
MASK = "¤"

# Where text of ours begins and ends; nothing between may ever be taken for the user's words.
INJECTED_HEADINGS = ("Relevant Memory", "What I remember about the user")
INJECTED = re.compile(
    rf"^[ \t]*#{{1,6}}[ \t]+(?:{'|'.join(INJECTED_HEADINGS)})\b|<!--[ \t]*BETHINK_"
    r"|</?bethink[\w-]*+[^<>\n]{0,200}+>",
    re.IGNORECASE | re.MULTILINE,
)
_INJECTED_TAG = re.compile(r"<(/?)(bethink[\w-]*+)[^<>\n]{0,200}+>", re.IGNORECASE)
_INJECTED_COMMENT = re.compile(r"<!--[ \t]*+BETHINK_", re.IGNORECASE)
_INJECTED_HEADING = re.compile(rf"^[ \t]*#{{1,6}}[ \t]+(?:{'|'.join(INJECTED_HEADINGS)})\b", re.IGNORECASE)

_FENCE = re.compile(r"^[ \t]{0,3}(```+|~~~+)", re.MULTILINE)
MACHINE_LINE = re.compile(
    r"[ \t]*+(?:"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d"  # 2024-03-11 09:14
    r"|\[?\d\d:\d\d:\d\d[\].,; ]"
    r"|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE)\b[\]:\s]"
    r"|Traceback \(most recent|File \"[^\"]{1,300}\", line \d|at [\w$.<>]{1,200}\(|Caused by: "
    r"|Exception in thread"
    r"|\w[\w.]{0,100}(?:Error|Exception)(?::|$)"
    r"|goroutine \d+ \[|npm (?:ERR!|WARN)|[$#] \w|>>> |[{}\[\]][,;]?[ \t]*$"
    r"|\"[\w $.@-]{1,80}\"[ \t]*:|\{[ \t]*\"|\[[ \t]*\{|<\?xml|<!DOCTYPE"
    r"|<[a-z][\w-]{0,30}(?: [\w-]{1,40}=\"[^\"]{0,200}\"){0,20} ?/?>"
    r"|\[?(?:tool|function)[_ -]?(?:call|result|use|output)\b|[+-]{3} [ab]/|@@ -\d|diff --git "
    r"|//[/!]? |/\*|(?:SYSTEM|ASSISTANT|System|Assistant)(?: (?:prompt|message|note|PROMPT|MESSAGE|NOTE))?: "
    r")"
)
# Code by its indentation (a nested list is not code), quoted mail, and what machines write.
_PASTED_LINE = re.compile(
    rf"(?: {{4}}|\t)[ \t]*+(?![-*•+–] |\d+[.)] )\S|[ \t]*+(?:>|\|[ \t])|{MACHINE_LINE.pattern}"
)
_SPEAKER = re.compile(
    r"[ \t]*+(?:\*\*)?(?:[A-ZÀ-ÖØ-Þ][\w.'-]{1,20}(?: [A-ZÀ-ÖØ-Þ][\w.'-]{1,20})?"
    r"|(?i:user|assistant|human|ai|bot|system|q|a))(?:\*\*)?:(?:\*\*)?[ \t]+\S"
)
_PAIRS = {
    '"': '"', "“": "”", "„": "“”", "«": "»", "‹": "›", "「": "」", "『": "』", "《": "》", "‘": "’", "'": "'",
}  # fmt: skip
# A straight or single mark opens only before a word and not after one: it may be an apostrophe.
_OPENING = re.compile(r"(?<!\w)\"(?=\S)|(?<![^\s(\[{:,—-])['‘](?=\S)|[“„«‹「『《]")
_CLOSING = {
    mark: re.compile(rf"[{closers}](?!\w)" if mark in "'‘" else rf"[{closers}]")
    for mark, closers in _PAIRS.items()
}
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")
_LONGEST_QUOTE = 2000
_BREAKS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_UNBROKEN = re.compile(f"[^{_BREAKS}]+")


def tail(text: str) -> int:
    """Where the last 64 KiB of a text begin: at a line if there is one near, else at a word."""
    if len(text) * 4 <= MOST_BYTES or len(encoded := text.encode(errors="surrogatepass")) <= MOST_BYTES:
        return 0
    start = len(text) - len(encoded[-MOST_BYTES:].decode(errors="ignore"))
    for boundary in ("\n", " "):
        found = text.find(boundary, start, start + 1000)
        if found >= 0:
            return found + 1
    return start


def mask(text: str) -> str:
    """The text with everything masked that is not the user's own statement; line breaks stay."""
    text = _mask_blocks(text)
    for handed_over in (tagged, tripled, mailed, ruled):
        text = hide(text, handed_over(text))
    return _mask_quotes(_mask_lines(text))


def hide(text: str, spans: Sequence[Span]) -> str:
    """The text with some pieces of it masked, in place; line breaks stay."""
    parts, place = [], 0
    for start, end in spans:
        parts += [text[place:start], _UNBROKEN.sub(lambda run: MASK * len(run[0]), text[start:end])]
        place = end
    return "".join([*parts, text[place:]]) if parts else text


def has_injected(text: str) -> bool:
    """Whether the text holds something that memory itself put into a prompt."""
    return INJECTED.search(text) is not None


def own_words(text: str) -> str:
    """The text without what memory injected."""
    if not has_injected(text):
        return text
    masker = _Injected()
    kept = [line for line in text.splitlines(keepends=True) if not masker.takes(line)]
    return _without_comments("".join(kept)).strip()


def _without_comments(text: str) -> str:
    """The text without comments of ours that end on the line on which they begin."""
    kept, place, end, line_end = [], 0, 0, 0
    for found in _INJECTED_COMMENT.finditer(text):
        # Each is looked for again only when it has been passed, so that the text is gone through once.
        end = text.find("-->", found.end()) if 0 <= end < found.end() else end
        line_end = text.find("\n", found.end()) if 0 <= line_end < found.end() else line_end
        if end >= 0 and not 0 <= line_end < end and found.start() >= place:
            kept.append(text[place : found.start()])
            place = end + len("-->")
    return "".join([*kept, text[place:]])


def _mask_blocks(text: str) -> str:
    """Mask injected text and what stands between code fences, line by line."""
    blocks: list[Callable[[str], bool]] = []  # each remembers what it has seen, so it is shown every line
    if has_injected(text):
        blocks.append(_Injected().takes)
    if _FENCE.search(text):
        blocks.append(_Fence().takes)
    if not blocks:
        return text
    shown = ((line, [takes(line) for takes in blocks]) for line in text.splitlines(keepends=True))
    return "".join(_hide(line) if any(taken) else line for line, taken in shown)


def _mask_lines(text: str) -> str:
    """Mask whole lines: code by its indentation, quoted mail, logs and data, pasted transcripts."""
    lines = text.splitlines(keepends=True)
    is_transcript = sum(1 for line in lines if _SPEAKER.match(line) and not _is_bullet(line)) >= 2
    return "".join(
        _hide(line) if _PASTED_LINE.match(line) or (is_transcript and _SPEAKER.match(line)) else line
        for line in lines
    )


def _is_bullet(line: str) -> bool:
    return line.lstrip()[:1] in "-*•+–"


def _hide(line: str) -> str:
    body = line.rstrip(_BREAKS)
    return MASK * len(body) + line[len(body) :]


class _Fence:
    """Lines between code fences, and the fences."""

    def __init__(self) -> None:
        self._open = ""

    def takes(self, line: str) -> bool:
        found = _FENCE.match(line)
        if self._open:
            if found and found[1].startswith(self._open):
                self._open = ""
            return True
        if found:
            self._open = found[1]
        return bool(found)


class _Injected:
    """Injected blocks: between our tags, or from a heading of ours to the first blank line after its text."""

    def __init__(self) -> None:
        self._depth = 0
        self._under_heading = False
        self._has_text = False

    def takes(self, line: str) -> bool:
        opened = 0
        for closing, _ in _INJECTED_TAG.findall(line):
            self._depth = max(0, self._depth + (-1 if closing else 1))
            opened += 1
        if opened or self._depth:
            return True
        if _INJECTED_HEADING.match(line):
            self._under_heading, self._has_text = True, False
            return True
        if self._under_heading:
            if line.strip():
                self._has_text = True
            elif self._has_text:
                self._under_heading = False
            return self._under_heading
        return False


def _mask_quotes(text: str) -> str:
    """Mask the inside of quotation marks. A mark without its partner in the same paragraph is only a mark."""
    closings = {
        mark: [found.start() for found in _CLOSING[mark].finditer(text)] for mark in set(text) & set(_PAIRS)
    }
    if not closings:
        return text
    paragraphs = [found.start() for found in _PARAGRAPH.finditer(text)]
    characters = list(text)
    place = 0
    for found in _OPENING.finditer(text):
        start = found.start()
        if start < place:
            continue
        end = _first_after(closings[found[0]], start)
        if not start < end <= min(start + _LONGEST_QUOTE, _first_after(paragraphs, start)):
            continue
        for inside in range(start + 1, end):
            if text[inside] not in _BREAKS:
                characters[inside] = " " if text[inside].isspace() else MASK
        place = end + 1
    return "".join(characters)


def _first_after(places: list[int], place: int) -> int:
    """The first of the sorted places after this one, or one beyond any text."""
    index = bisect_right(places, place)
    return places[index] if index < len(places) else sys.maxsize
