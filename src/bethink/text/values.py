"""Values cut clean and compared: "Porto in May" is Porto, "peanut" and "peanuts" are one. Pure.

What ends a value is in `values.toml`, by language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bethink.text.fold import HAN, fold
from bethink.text.slug import slug

MOST_WORDS, MOST_OF_LONG = 8, 25  # of a value, and of one that may be long
_MOST_OBJECT_WORDS = 4  # of each of several objects in one value
_LONGEST_TAIL = 60  # characters of words that end a value; what is before them need not be looked at
_HAN_PER_WORD = 2  # Chinese characters that count as a word
_EDGES = " \t\n,;:.!?…-–—。，；：！？、\"'“”„«»「」()[]"
_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(r"[^\W\d_]")
_COMMA = re.compile(r"(?<!\d),|,(?!\d)|，|、")
_DOSE = re.compile(r"(?<!\w)\d+(?:[.,]\d+)? ?(?:mg|mcg|ug|ml|iu)(?!\w)")
_BETWEEN = re.compile(
    r"\s*(?:,|;|/|、|和|跟|以及| & | \+ )\s*|\s+(?:and|und|y|e|et|or|oder|o|ou|u)\s+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Ends:
    """Where values end in one language."""

    clause: re.Pattern[str]
    tail: re.Pattern[str]
    article: re.Pattern[str]
    pronouns: frozenset[str]
    pointing: re.Pattern[str]
    as_role: re.Pattern[str]


@cache
def endings() -> Mapping[str, Ends]:
    """What ends a value, by the code of its language."""
    data = tomllib.loads(files("bethink.text").joinpath("values.toml").read_text("utf-8"))
    return {code: _ends(table, spaced=code != "zh") for code, table in data.items()}


def _ends(table: Mapping[str, str | list[str]], *, spaced: bool) -> Ends:
    def words(name: str) -> str:
        listed = sorted(table[name], key=len, reverse=True)
        return "|".join(map(re.escape, listed)) or "(?!)"

    gap = r"[\s,]+" if spaced else r"\s*"
    return Ends(
        clause=re.compile(str(table["clause"]), re.IGNORECASE),
        tail=re.compile(f"{gap}(?:{words('tail')})$", re.IGNORECASE),
        article=re.compile(f"^(?:{words('article')}) (?=.)"),
        pronouns=frozenset(word.casefold() for word in (*table["pronoun"], *table["article"])),
        pointing=re.compile(f"(?:{words('pointing')}){gap}.", re.IGNORECASE),
        as_role=re.compile(str(table["as_role"]), re.IGNORECASE),
    )


def cut(value: str, language: str, *, listed: bool = False) -> str:
    """The value without the times, reasons, adverbs and clauses after it, and without its article.

    It ends at a comma, unless it may be a list.
    """
    ends = endings().get(language)
    value = _trimmed(value)
    if ends is None:
        return value
    if not listed:
        value = _trimmed(_COMMA.split(value, maxsplit=1)[0])
    clause = ends.clause.search(value)
    if clause and clause.start() > 0:
        value = _trimmed(value[: clause.start()])
    return _trimmed(ends.article.sub("", _without_tail(value, ends.tail)))


def _without_tail(value: str, tail: re.Pattern[str]) -> str:
    """The value without the words at its end that do not belong to it, however many there are."""
    end = len(value)
    while (found := tail.search(value, max(0, end - _LONGEST_TAIL), end)) and found.start() > 0:
        end = found.start()
        while end and value[end - 1] in _EDGES:
            end -= 1
    return value[:end]


def role_in(value: str, language: str) -> str | None:
    """The role that stands behind an employer: "Feedzai as a data engineer"."""
    ends = endings().get(language)
    found = ends.as_role.search(value) if ends else None
    role = cut(found["role"], language) if found and found.start() > 0 else ""
    return role if role and not why_no_value(role, language) else None


def without_role(value: str, language: str) -> str:
    """An employer without the role that stands behind it."""
    ends = endings().get(language)
    found = ends.as_role.search(value) if ends else None
    return value[: found.start()] if found and found.start() > 0 else value


def why_no_value(value: str, language: str, *, digits: bool = False, long: bool = False) -> str | None:
    """Why what is left of a value says nothing; None when it does."""
    if not value.strip(_EDGES):
        return "the value is empty"
    ends = endings().get(language)
    if ends and (value.casefold() in ends.pronouns or ends.tail.fullmatch(f" {value}")):
        return "the value is a pronoun, an article or an adverb"
    if ends and ends.pointing.match(value):
        return "the value points to something near by"
    if not digits and not _LETTER.search(value) and value.isascii():
        return "the value has no words"
    return "the value is too long" if _words(value) > (MOST_OF_LONG if long else MOST_WORDS) else None


def objects_in(value: str) -> Sequence[str]:
    """The objects that a value lists: "nuts and shellfish"; the value itself where it is no list."""
    spaced = " ".join(value.split())  # or a long run of spaces would be gone through from each of them
    parts = [part for part in map(_trimmed, _BETWEEN.split(spaced)) if part]
    if len(parts) < 2 or any(_words(part) > _MOST_OBJECT_WORDS for part in parts):
        return [value]
    return list(dict.fromkeys(parts))


def object_of(value: str) -> str:
    """What tells a value from others, however it is cased, and in the singular or the plural."""
    plain = slug(_DOSE.sub(" ", fold(value).lower()).strip() or value)
    return "_".join(_stem(word) for word in plain.split("_"))


def _stem(word: str) -> str:
    """A word without the endings of plurals in the languages of Europe; others are left as they are."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("aux"):
        return word[:-3] + "al"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 5 and word.endswith("en"):
        word = word[:-1]
    if word.endswith("ao"):
        word = word[:-2] + "o"
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + _ALIKE.get(word[-1], word[-1])


_ALIKE = {"y": "i", "z": "c", "m": "n"}  # berry, berries; nuez, nueces; amendoim, amendoins


def _words(value: str) -> float:
    han = len(_HAN.findall(value))
    return han / _HAN_PER_WORD + len(_HAN.sub(" ", value).split())


def _trimmed(value: str) -> str:
    return " ".join(value.split()).strip(_EDGES)
