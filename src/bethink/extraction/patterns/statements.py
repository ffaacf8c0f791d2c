"""The clauses in which users speak for themselves, here and now.

Left out: invented scenes, hypotheticals, sarcasm, questions, and what others say. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bethink.extraction.patterns.languages import Language
from bethink.extraction.patterns.sentences import Clause, Sentence, sentences


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
    skip_to = 0
    for sentence in sentences(words, language):
        if sentence.start < skip_to:
            continue
        starts = {sentence.start, own_start(words, sentence, language)}
        if _begins(words, sentence, starts, language.pattern("scene")):
            skip_to = _paragraph_end(words, sentence.end)
        elif not _begins(words, sentence, starts, language.pattern("sarcasm")):
            yield _statement(words, sentence, language)


def own_start(words: str, piece: Clause | Sentence, language: Language) -> int:
    """Where a clause or sentence begins in earnest: after conjunctions and fillers."""
    lead = language.pattern("lead").match(words, piece.start, piece.end)
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
    return any(pattern.match(words, start, sentence.end) is not None for start in starts)


def _paragraph_end(words: str, start: int) -> int:
    end = words.find("\n\n", start)
    return end if end >= 0 else len(words)
