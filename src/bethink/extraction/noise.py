"""What is not worth remembering at all, and why. Pure.

Word lists come from the language files of the patterns, all languages at once: a greeting is too short to
tell its language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from bethink.extraction.patterns import extract
from bethink.extraction.patterns.flatten import flatten
from bethink.extraction.patterns.languages import Language, language_for, languages
from bethink.extraction.patterns.mask import MACHINE_LINE, MASK, has_injected, own_words
from bethink.extraction.patterns.sentences import Clause, Sentence, sentences
from bethink.extraction.patterns.statements import own_start
from bethink.text.fold import HAN, normalized

__all__ = ["has_injected", "own_words", "why_noise"]

_LONGEST_CHATTER = 200  # characters; a longer text is more than a greeting
_LONGEST_PHRASE = 7  # words
_SMALL_TALK = {
    "greetings": "a greeting",
    "thanks": "thanks",
    "acknowledgements": "a bare acknowledgement",
}
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_HAN = re.compile(f"[{HAN}]")
_LONGEST_CODE_LINE = 300  # characters that are looked at
_CODE_LINE = re.compile(
    r"(?:(?:def|class|import|from|return|if|elif|else|for|while|try|except|with|async|await|const|let|var|fn"
    r"|func|function|public|private|static|void|int|string|package|use|struct|enum|impl|SELECT|INSERT|UPDATE"
    r"|DELETE|CREATE)\b.*[:;{}()=,]$|[\w.\[\]]{1,60} ?[-+*/]?= ?\S|[\w.]{1,60}\(.*\) ?[;{:]?$|[{}()\[\];,]+$"
    r"|//|#!|#include|/\*|\*/|</?[A-Za-z][^>]{0,200}>|@\w+|-- |\.[\w-]{1,60} ?\{|[\w-]{1,60}: ?[^;]{1,80};$)"
)
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TOOL = re.compile(
    r"\s*+(?:\[?(?:tool|function)[_ -]?(?:calls?|results?|use|output|response)\b"
    r"|</?(?:tool|function)[\w-]{0,30}>|(?:command|process) (?:exited|finished|completed)\b"
    r"|exit(?:ed)?(?: with)?(?: code| status) \d+\b|stdout:|stderr:)",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"\s*+(?:running|executing|calling|invoking|searching|fetching|reading|loading|browsing|thinking)\b"
    r"[^.!?\n]{0,80}(?:\.\.\.|…)\s*+$",
    re.IGNORECASE,
)


def why_noise(text: str, role: str = "user") -> str | None:
    """Why a message of this role holds nothing to remember of the user; None when it may.

    What users say for themselves beside a log, some code or a question is found by the patterns, and such a
    message is not noise. Only text that memory itself injected always makes it so: take that out first with
    `own_words`.
    """
    if not _WORD.search(text):
        return "it has no words"
    if role in ("tool", "function"):
        return "it is the output of a tool"
    if role in ("system", "developer"):
        return "it is an instruction to the assistant, not the user's words"
    if role == "contact":
        return "someone else than the user said it"
    if has_injected(text):
        return "it holds text that memory itself put into the prompt"
    if role == "assistant":
        return _pasted(text) or _small_talk(text) or _assistant_talk(text)
    reason = _pasted(text) or _small_talk(text) or _question(text)
    return None if reason and extract(text) else reason


def _pasted(text: str) -> str | None:
    """Whether nearly all of it was written by a machine, or for one."""
    if _TOOL.match(text):
        return "it is tool chatter"
    lines = [line for line in text.splitlines() if line.strip()]
    machine = sum(1 for line in lines if MACHINE_LINE.match(line))
    if machine * 2 > len(lines):
        return "it is a pasted log, trace or data"
    prose = [line.strip() for line in _FENCED.sub("\n", text).splitlines() if line.strip()]
    code = sum(1 for line in prose if _CODE_LINE.match(line[:_LONGEST_CODE_LINE]))
    if not prose or code * 3 >= len(prose) * 2:
        return "it is code"
    return None


def _small_talk(text: str) -> str | None:
    """Whether it is made of nothing but greetings, thanks and the like."""
    if len(text) > _LONGEST_CHATTER:
        return None
    kinds = set(_phrases_in(text))
    if not kinds or None in kinds:
        return None
    return next((f"it is {reason}" for kind, reason in _SMALL_TALK.items() if kind in kinds), None)


def _phrases_in(text: str) -> Iterator[str | None]:
    """The kind of each phrase, longest first; None where a word belongs to no list."""
    units = (
        _HAN.findall(text) if _HAN.search(text) else [word.replace("’", "'") for word in _WORD.findall(text)]
    )
    between = "" if _HAN.search(text) else " "
    if between == "" and re.search(r"[A-Za-z]{2}", text):
        yield None
    place = 0
    while place < len(units):
        for length in range(min(_LONGEST_PHRASE, len(units) - place), 0, -1):
            phrase = _plain(between.join(units[place : place + length]))
            if phrase in _small_talk_phrases():
                yield _small_talk_phrases()[phrase]
                place += length
                break
        else:
            yield None
            return


@cache
def _small_talk_phrases() -> dict[str, str]:
    return {
        _plain(phrase): kind
        for kind in ("filler", *reversed(_SMALL_TALK))  # of two lists with one phrase, the first kind counts
        for language in languages().values()
        for phrase in language.noise.get(kind, ())
    }


def _question(text: str) -> str | None:
    """Whether it only asks."""
    flat = flatten(text)
    language = language_for(flat.words)
    if language is None:
        return None
    found = list(sentences(flat.words, language))
    if found and all(_only_asks(flat.words, one, language) for one in found):
        return "it is only a question"
    return None


def _only_asks(words: str, sentence: Sentence, language: Language) -> bool:
    """Whether no clause of the sentence states anything."""
    *before, last = sentence.clauses or (Clause(sentence.start, sentence.end),)
    return (sentence.is_question or _asks(words, last, language)) and all(
        _asks(words, clause, language)
        or language.pattern("hypothetical").match(words, clause.start, clause.end)
        for clause in before
    )


def _asks(words: str, clause: Clause, language: Language) -> bool:
    """Whether a clause begins with a word that asks; in Chinese it may stand anywhere."""
    plain = _plain(words[own_start(words, clause, language) : clause.end].replace(MASK, " ")).lstrip(" ¿")
    return any(
        word in plain if _HAN.search(word) else f"{plain} ".startswith(f"{word} ")
        for word in _asking_words(language.code)
    )


@cache
def _asking_words(code: str) -> tuple[str, ...]:
    return tuple(map(_plain, languages()[code].noise.get("questions", ())))


def _assistant_talk(text: str) -> str | None:
    """Whether an assistant only speaks of itself, or of what it is doing."""
    if _PROGRESS.match(text):
        return "it is tool chatter"
    flat = flatten(text)
    language = language_for(flat.words)
    if language is None:
        return None
    openings = tuple(_plain(phrase) for phrase in language.noise.get("opinions", ()))
    found = [_plain(flat.words[one.start : one.end]) for one in sentences(flat.words, language)]
    if found and all(sentence.startswith(openings) for sentence in found):
        return "it is the assistant's own opinion or courtesy"
    return None


def _plain(text: str) -> str:
    """In one case and without accents: people leave them out."""
    marks = normalized("NFD", text.casefold())
    return "".join(character for character in marks if not unicodedata.combining(character))
