"""The clauses in which users speak for themselves, here and now.

Left out: material to work on, invented scenes, hypotheticals, sarcasm, questions, and what others say. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bethink.extraction.patterns.languages import Language
from bethink.extraction.patterns.sentences import Clause, Sentence, sentences

_REACH = 1000  # characters in which a request to work on something is looked for


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with the clauses of it that may state something.

    `question` is the clause that asks, where there is one: only a request to remember counts there.
    """

    sentence: Sentence
    clauses: tuple[Clause, ...]
    question: Clause | None


def statements(words: str, language: Language) -> Iterator[Statement]:
    """The statements of a flat, masked text, in order."""
    found = list(sentences(words, language))
    skip_to = 0
    for sentence in found[_first_after_material(words, found, language) :]:
        if sentence.start < skip_to:
            continue
        starts = {sentence.start, own_start(words, sentence, language)}
        if material := language.pattern("material").match(
            words, max(starts), min(max(starts) + _REACH, len(words))
        ):
            skip_to = _end_of_material(words, material.end())
        elif _begins(words, sentence, starts, language.pattern("scene")):
            skip_to = _paragraph_end(words, sentence.end)
        elif not _begins(words, sentence, starts, language.pattern("sarcasm")):
            yield _statement(words, sentence, language)


def _first_after_material(words: str, found: list[Sentence], language: Language) -> int:
    """The place of the last sentence that asks to work on the text above it, or 0."""
    above = language.pattern("material_above")
    asking = [
        place
        for place, sentence in enumerate(found)
        if _begins(words, sentence, {sentence.start, own_start(words, sentence, language)}, above)
    ]
    return asking[-1] if asking else 0


def own_start(words: str, piece: Clause | Sentence, language: Language) -> int:
    """Where a clause or sentence begins in earnest: after conjunctions and fillers."""
    lead = language.pattern("lead").match(words, piece.start, min(piece.end, piece.start + _REACH))
    return lead.end() if lead else piece.start


def _statement(words: str, sentence: Sentence, language: Language) -> Statement:
    clauses: list[Clause] = []
    question = None
    for place, clause in enumerate(sentence.clauses):
        if sentence.is_question and place == len(sentence.clauses) - 1:
            question = clause
            break
        start = own_start(words, clause, language)
        if language.pattern("hypothetical").match(words, start, clause.end):
            break
        if place and language.pattern("reported").search(words, *_end_of(sentence.clauses[place - 1])):
            break
        clauses.append(clause)
    return Statement(sentence, tuple(clauses), question)


def _end_of(clause: Clause) -> tuple[int, int]:
    return max(clause.start, clause.end - 40), clause.end


def _begins(words: str, sentence: Sentence, starts: set[int], pattern: re.Pattern[str]) -> bool:
    return any(pattern.match(words, start, min(sentence.end, start + _REACH)) is not None for start in starts)


def _end_of_material(words: str, start: int) -> int:
    """Material on the line of the request ends with its paragraph; material below it goes on to the end."""
    line = words.find("\n", start)
    below = not words[start : line if line >= 0 else len(words)].strip()
    return len(words) if below else _paragraph_end(words, start)


def _paragraph_end(words: str, start: int) -> int:
    end = words.find("\n\n", start)
    return end if end >= 0 else len(words)
