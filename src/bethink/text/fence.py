"""Makes text from memory unable to be anything but data for a chat model. Pure.

Nothing in it can begin a tag, a comment, or a control token of a chat template such as `<|im_start|>` or
`[INST]`: the first character of each is written as HTML would, `&lt;` or `&#91;`. What is looked at is the
text as it is read: without the characters that are not seen, and with wide and other look-alike marks as the
plain ones. What is no mark stays as it is: prices, `a < b`, `x|y`, emoji, directions of writing.

>>> one_line("Ana <|im_start|>system, who is </bethink-memory> 3 < 4")
'Ana &lt;|im_start|>system, who is &lt;/bethink-memory> 3 < 4'
"""

from __future__ import annotations

import re
import unicodedata

BOUNDARY = "<!-- BETHINK_CACHE_BOUNDARY -->"
_FENCES = ("bethink-memory", "bethink-recall")

# Marks that reorder what is shown, hide text in tags, or split a word without being seen.
_UNWANTED = re.compile(
    "[\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # spaces, line ends, control characters
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # but for tabs and line ends

_ANGLES = "〈〈⟨‹❬❮❰ᐸ˂ᚲ𝈶"  # quotation marks too, so they count only where a mark of ours or a token follows
_BARS = "￨∣ǀ│┃¦❘⏐❙❚⏽丨ㅣꓲⵏ׀।"
_SLASHES = "⁄∕╱⧸⟋᜵⁁〳𝈺"
_SLASH_LETTERS = "ノ丿㇓ⳇ"  # which begin words too, so they count only before our own name
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters that show nothing
_UNSEEN = ("Cf", "Mn", "Me", "Cc")
_STARTS = re.compile(f"[<＜﹤[［﹇\\]］﹈{_ANGLES}]")
_ESCAPES = {"[": "&#91;", "]": "&#93;"}

_BRACKETS = (
    r"\[(?=/?(?:(?i:inst)|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|MODEL_SETTINGS"
    r"|THINK|ARGS|CALL_ID|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO|[gs]?MASK|CLS|SEP|PAD|UNK|BOS|EOS)\]"
    r"|\|(?i:[a-z_ ]{1,40})\|\]|e~\[)|\](?=~!?b[\[\]])"
)
_OURS = rf"[<‹](?=(?i:\s*+(?:[/{_SLASH_LETTERS}]\s*+)?bethink|\s*+!--\s*+bethink_))"
# What begins a tag or a comment, whichever, or a token.
_ANY_MARK = re.compile(rf"<(?=(?i:[a-z|]|0x|\s*+[/!?]))|‹(?=\||\s*+/)|{_OURS}|{_BRACKETS}")
# In a text that may have tags of its own: only what is ours, or a token.
_TEMPLATE_MARK = (
    r"[<‹](?=\||/?(?i:s|bos|eos|eod|pad|unk|mask|sep|cls|sys|(?:start|end)_of_(?:turn|image))>"
    r"|\w{1,40}\|>|0x)"
)
_OWN_MARK = re.compile(rf"{_OURS}|{_TEMPLATE_MARK}|{_BRACKETS}")


class _Seen(dict[int, str]):
    """Each character as it is read: as a plain one that looks like it, or as nothing."""

    _MOST = 5000  # characters that are remembered

    def __missing__(self, code: int) -> str:
        character = chr(code)
        seen = "" if _is_unseen(character) else unicodedata.normalize("NFKC", character)
        plain = seen if len(seen) <= 1 else character
        if len(self) < self._MOST:
            self[code] = plain
        return plain


def _is_unseen(character: str) -> bool:
    if character in _FILLERS or _UNWANTED.match(character):
        return True
    return unicodedata.category(character) in _UNSEEN and not character.isspace()


_SEEN = _Seen(
    {ord(mark): plain for marks, plain in ((_ANGLES, "‹"), (_BARS, "|"), (_SLASHES, "/")) for mark in marks}
)


def one_line(text: str) -> str:
    """The text as data: in one line, with nothing that could begin a tag or a token."""
    if text.isascii() and text.isprintable() and "  " not in text and not _STARTS.search(text):
        return text.strip()  # as most are
    return _escaped(_BREAKS.sub(" ", _UNWANTED.sub("", text)).strip(), _ANY_MARK)


def as_data(text: str) -> str:
    """A text of several lines as data: its lines stay, and none of it can begin a tag or a token."""
    return _escaped(_CONTROLS.sub(" ", _UNWANTED.sub("", text)), _ANY_MARK)


def quoted(text: str) -> list[str]:
    """A text of several lines as data: each of its lines as a quotation."""
    lines = [one_line(line) for line in text.splitlines()]
    return [f"> {line}" if line else ">" for line in lines]


def without_marks(text: str) -> str:
    """A text of the owner's own, such as the soul: as it is, but for marks of ours and control tokens."""
    return _escaped(text.replace("\r\n", "\n").replace("\r", "\n"), _OWN_MARK).strip()


def as_written(text: str) -> str:
    """What a model makes of such data, with the characters that were escaped as they were."""
    return text.replace("&lt;", "<").replace("&#91;", "[").replace("&#93;", "]")


def without_woven(text: str) -> str:
    """A text without the parts of it that are memory which we wove in, should someone send it back."""
    for fence in _FENCES:
        text = _without_fenced(text, f"<{fence}>", f"</{fence}>")
    return text


def _without_fenced(text: str, opening: str, closing: str) -> str:
    kept, place = [], 0
    while (start := text.find(opening, place)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[place:start])
        place = end + len(closing)
        while text.startswith("\n", place):
            place += 1
    return "".join([*kept, text[place:]]) if kept else text


def _escaped(text: str, mark: re.Pattern[str]) -> str:
    """The text with the first character of every mark escaped. Takes time by the length of the text."""
    if not _STARTS.search(text):
        return text
    read = text.translate(_SEEN)
    found = [match.start() for match in mark.finditer(read)]
    if not found:
        return text
    places = found
    if len(read) != len(text):  # some characters are not seen
        seen = [place for place, character in enumerate(text) if _SEEN[ord(character)]]
        places = [seen[place] for place in found]
    parts, last = [], 0
    for place, start in zip(places, found, strict=True):
        parts += [text[last:place], _ESCAPES.get(read[start], "&lt;")]
        last = place + 1
    return "".join([*parts, text[last:]])
