"""What users say is over: a job they left, a car they sold, a pill they stopped taking. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bethink.extraction.patterns.languages import Ending, Language, language_for, languages
from bethink.extraction.patterns.material import own
from bethink.extraction.patterns.statements import own_start, statements
from bethink.text.slots import slot_called
from bethink.text.values import cut, why_no_value

_LONGEST = 300  # characters of a clause


@dataclass(frozen=True, slots=True)
class Ended:
    """What is over: the slots it may be of, whose it was, and its object, where one is named."""

    slots: tuple[str, ...]
    subject: str | None
    value: str | None


def ended_in(text: str, *, language: str | None = None) -> list[Ended]:
    """What a user says is over, in the order of the text: "I quit my job", "I no longer take metformin"."""
    flat = own(text)
    known = languages().get(language) if language else language_for(flat.words)
    if known is None:
        return []
    clauses = (clause for statement in statements(flat.words, known) for clause in statement.clauses)
    return [
        ended
        for clause in clauses
        if clause.end - clause.start <= _LONGEST
        for ended in _read(flat.words, own_start(flat.words, clause, known), clause.end, known)
    ]


def _read(words: str, start: int, end: int, told: Language) -> list[Ended]:
    """What a clause says is over. A short text may not tell its language, so all are asked."""
    for language in (told, *(one for one in languages().values() if one is not told)):
        matches = list(_matches(words, start, end, language))
        if matches:
            return [ended for one in matches if (ended := _ended(language, *one))]
    return []


def _matches(words: str, start: int, end: int, language: Language) -> Iterator[tuple[Ending, re.Match[str]]]:
    """Every way in which a clause may say that something is over: what is known tells which it is."""
    for ending in language.endings:
        matches = (pattern.match(words, start, end) for pattern in ending.patterns)
        if match := next((one for one in matches if one), None):
            yield ending, match


def _ended(language: Language, ending: Ending, match: re.Match[str]) -> Ended | None:
    groups = match.groupdict()
    subject = language.relation(groups.get("relation"))
    if not groups.get("value"):
        return Ended(ending.slots, subject, None)
    value = cut(groups["value"], language.code)
    if why_no_value(value, language.code):  # "I sold it"
        return None
    called = slot_called(value)
    if called and called.name in ending.slots:  # "I sold my car": the slot and no object
        return Ended((called.name,), subject, None)
    return Ended(ending.slots, subject, value)
