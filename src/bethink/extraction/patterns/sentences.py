"""Sentences and clauses, by boundaries that survive abbreviations, numbers, initials and lists. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bethink.extraction.patterns.languages import Language

# A run of marks counts from its beginning only, or a long one would be gone through from each of its marks.
_STOP = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|(?<![!?])[!?]++(?=[^\x00-\x7f])|[。！？]++|\n++"
)
_BULLET = re.compile(r"(?:[-*•+–] |\d{1,3}[.)] |\[[ x]\] )+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_LETTER = re.compile(r"[^\W\d_]")
_EDGE = " \n,;:–—-，；：、("


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence, as places in the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, as places in the text, without the mark that ends it."""

    start: int
    end: int
    is_question: bool
    clauses: tuple[Clause, ...]


def sentences(words: str, language: Language) -> Iterator[Sentence]:
    """The sentences of a flat text, in order."""
    start = 0
    for stop in _STOP.finditer(words):
        if _is_abbreviation(words, start, stop, language):
            continue
        yield from _sentence(words, start, stop.start(), "?" in stop[0] or "？" in stop[0], language)
        start = stop.end()
    yield from _sentence(words, start, len(words), False, language)


def _is_abbreviation(words: str, start: int, stop: re.Match[str], language: Language) -> bool:
    """Whether the dot belongs to the word before it and the sentence goes on."""
    if stop[0] != ".":
        return False
    token = words[max(start, stop.start() - 20) : stop.start()].rpartition(" ")[2].lower().lstrip("(\"'")
    after = stop.end() + 1
    if language.pattern("starts").match(words, after):
        return False
    if token[-1:].isdigit():
        return language.ordinal_dots or words[after : after + 1].islower()
    return token in language.abbreviations or _INITIALS.fullmatch(token) is not None


def _sentence(words: str, start: int, end: int, is_question: bool, language: Language) -> Iterator[Sentence]:
    start, end = _trimmed(words, start, end)
    if bullet := _BULLET.match(words, start, end):
        start = bullet.end()
    if _LETTER.search(words, start, end):  # what is masked has none
        yield Sentence(start, end, is_question, tuple(_clauses(words, start, end, language)))


def _clauses(words: str, start: int, end: int, language: Language) -> Iterator[Clause]:
    place = start
    for split in language.pattern("split").finditer(words, start, end):
        first, last = _trimmed(words, place, split.start())
        if first < last:
            yield Clause(first, last)
        place = split.end()
    first, last = _trimmed(words, place, end)
    if first < last:
        yield Clause(first, last)


def _trimmed(words: str, start: int, end: int) -> tuple[int, int]:
    while start < end and words[start] in _EDGE:
        start += 1
    while start < end and words[end - 1] in _EDGE:
        end -= 1
    return start, end
