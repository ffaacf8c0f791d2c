"""One form for all the ways of writing the same letters, and the scripts that the analysis tells apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

# Scripts, each as the inside of a character class.
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff"
SOUTHEAST_ASIAN = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaa7f"
)
HANGUL = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
FLAG = "\U0001f1e6-\U0001f1ff"

# fmt: off
_LETTERS = {
    "’": "'", "‘": "'", "ʼ": "'", "‐": "-", "−": "-",
    "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H",
    "ı": "i", "þ": "th", "Þ": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ё": "е", "Ё": "е",
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك",
    "\u0640": "",  # the Arabic stretching mark
    "\u200b": " ",  # the space of no width
}
# fmt: on
_ACCENTS = ("COMBINING", "HEBREW", "ARABIC", "VARIATION")  # other marks are vowels and belong to the word
_DRAWINGS = re.compile("[\u2500-\u259f\u2800-\u28ff\ufffc\ufffd]")
_PICTOGRAPHS = re.compile("[\U0001f000-\U0001faff]")  # by range: this Python may not know the newest ones
_SKIN_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")
_SLICE = 1024


def fold(text: str) -> str:
    """The text with width, accents and digits folded, and other letters than ASCII in lower case.

    Emoji and other pictographs are set apart by spaces; punctuation outside ASCII becomes a space, or the
    ASCII mark it stands for inside of words. ASCII is left as it is: its capitals show where words join.
    """
    return normalized("NFKC", text).translate(_FOLDED)


def normalized(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """The text in a normal form of Unicode, but for marks that stand more than a thousand after their letter.

    Normalising takes time quadratic in the length of a run of combining marks: no run may be endless.
    """
    if len(text) <= _SLICE:
        return unicodedata.normalize(form, text)
    slices = (text[start : start + _SLICE] for start in range(0, len(text), _SLICE))
    return "".join(unicodedata.normalize(form, piece) for piece in slices)


def _fold(character: str) -> str:
    """A letter without its accent, a digit as ASCII, a pictograph set apart, or else a space or nothing."""
    if character.isascii() or re.match(f"[{FLAG}{HAN}]", character):
        return character
    if character in _LETTERS:
        return _LETTERS[character]
    category, name = unicodedata.category(character), unicodedata.name(character, "")
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if (
        category == "Cf"
        or (category in ("Mn", "Me") and name.startswith(_ACCENTS))
        or _SKIN_TONES.match(character)
    ):
        return ""
    if category in ("Sc", "So") or _PICTOGRAPHS.match(character):
        return " " if _DRAWINGS.match(character) else f" {character} "
    if category[0] not in "LMN":
        return " "
    if name.startswith(("LATIN", "GREEK")):
        character = "".join(
            c for c in unicodedata.normalize("NFD", character) if unicodedata.category(c) != "Mn"
        )
    return character if character.isascii() else character.casefold()


class _Folded(dict[int, str]):
    """What becomes of each character, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


_FOLDED = _Folded()


_UNSPACED = HAN + KANA + SOUTHEAST_ASIAN
WORD_CHARACTER = rf"[^\W{_UNSPACED}]"  # of a script that sets its words apart
_RUNS_ON = re.compile(f"[{_UNSPACED}]")
_FIRST = re.compile(rf"{WORD_CHARACTER}+(?:['-]{WORD_CHARACTER}+)*")
_FAMILY_FIRST = re.compile(f"[{_UNSPACED}{HANGUL}]")


def collapsed(text: str) -> str:
    """A text in one line, with single spaces: programs trim what they send again, and wrap it anew."""
    return " ".join(text.split())


def bare(name: str) -> str:
    """A name without accents, capitals and spare spaces: two that are alike mean the same."""
    return " ".join(fold(name).casefold().split())


def first_name(name: str) -> str:
    """The first of several words of a bare name; empty where there is only one, or the family comes first."""
    if _FAMILY_FIRST.search(name):
        return ""
    found = _FIRST.match(name)
    return found[0] if found and found[0] != name and len(found[0]) > 1 else ""


def any_of(names: Iterable[str], *, endings: str = "") -> re.Pattern[str]:
    """A pattern for the longest of these bare names that stands by itself, as its script demands.

    With `endings`, a name counts also before one of these letters, which is not part of what is found.
    """
    ordered = sorted(set(names), key=lambda name: (-len(name), name))
    apart = [name for name in ordered if not _RUNS_ON.match(name) and not _RUNS_ON.match(name[-1:])]
    together = [name for name in ordered if name not in apart]
    ending = f"[{endings}]?" if endings else ""
    forms = [f"(?<!{WORD_CHARACTER}){_either(apart)}(?={ending}(?!{WORD_CHARACTER}))"] if apart else []
    return re.compile("|".join([*forms, _either(together)] if together else forms) or "(?!)")


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"
