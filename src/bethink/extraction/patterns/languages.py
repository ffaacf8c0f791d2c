"""The rules of each language, read from its file in `data/`, and which language a text is in.

A file holds word lists, guards (when something is not the user's own statement) and rules. Guards and rules
are regular expressions over text with single spaces and straight apostrophes, without regard to case. In
them, `%name%` stands for the macro of that name, `%relation%` and `%attribute%` for the words of those
tables; a list of expressions means any of them.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from bethink.extraction.patterns.found import Category
from bethink.extraction.patterns.mask import MASK
from bethink.text.fold import HAN, HANGUL, KANA, fold
from bethink.text.stopwords import ENGLISH
from bethink.text.terms import is_common, language_of

_MACRO = re.compile(r"%(\w+)%")
_NEVER = r"(?!)"
_SAMPLE = 4000  # characters that tell a language
_HAN_WEIGHT = 6  # Latin letters that say as much as one Chinese character

_HAN = re.compile(f"[{HAN}]")
_KANA = re.compile(f"[{KANA}]")
_LATIN = re.compile("[A-Za-zÀ-ɏ]")
_OTHER_SCRIPT = re.compile(f"[\u0370-\u1fff{HANGUL}]")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying something worth keeping. `unless` looks at the value found, which may be a list.

    A rule for the whole sentence is tried where no clause of the sentence says anything by itself.
    """

    category: Category
    patterns: tuple[re.Pattern[str], ...]
    attribute: str | None
    negated: bool
    is_list: bool
    whole_sentence: bool
    unless: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """One way of saying that something is over, without a new value: of which slots, and whose."""

    slots: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Language:
    """Everything the extraction knows about one language."""

    code: str
    name: str
    telltale: frozenset[str]
    abbreviations: frozenset[str]
    ordinal_dots: bool
    patterns: Mapping[str, re.Pattern[str]]
    relations: Mapping[str, str]
    attributes: Mapping[str, str]
    rules: tuple[Rule, ...]
    sentence_rules: tuple[Rule, ...]
    endings: tuple[Ending, ...]
    noise: Mapping[str, Sequence[str]]

    def relation(self, word: str | None) -> str | None:
        """The English name of a relation."""
        return self.relations.get(_plain(word)) if word else None

    def attribute(self, word: str | None) -> str | None:
        """The English name of an attribute."""
        return self.attributes.get(_plain(word)) if word else None

    def pattern(self, name: str) -> re.Pattern[str]:
        """A guard or boundary of the language; one it does not have never matches."""
        return self.patterns.get(name, _NOTHING)


_NOTHING = re.compile(_NEVER)


@cache
def languages() -> Mapping[str, Language]:
    """Every language there is a file for, by its code."""
    folder = files("bethink.extraction.patterns").joinpath("data")
    found = (file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".toml"))
    return {language.code: language for language in map(parse, found)}


def parse(source: str) -> Language:
    """The language that a data file describes."""
    data = tomllib.loads(source)
    macros = _Macros(data)
    patterns = {name: macros.compile(text) for name, text in data.get("patterns", {}).items()}
    rules = [_rule(entry, macros, patterns) for entry in data.get("rules", ())]
    return Language(
        code=data["code"],
        name=data["name"],
        telltale=frozenset(fold(word).lower() for word in data.get("telltale", ())),
        abbreviations=frozenset(data.get("abbreviations", ())),
        ordinal_dots=data.get("ordinal_dots", False),
        patterns=patterns,
        relations={_plain(word): name for word, name in _by_word(data, "relations").items()},
        attributes={_plain(word): name for word, name in _by_word(data, "attributes").items()},
        rules=tuple(rule for rule in rules if not rule.whole_sentence),
        sentence_rules=tuple(rule for rule in rules if rule.whole_sentence),
        endings=tuple(
            Ending(
                tuple(entry["slots"]),
                tuple(macros.compile(text, forgiving=True) for text in entry["patterns"]),
            )
            for entry in data.get("endings", ())
        ),
        noise=data.get("noise", {}),
    )


@cache
def _shared() -> dict[str, Any]:
    """The macros that every language has."""
    return tomllib.loads(files("bethink.extraction.patterns").joinpath("shared.toml").read_text("utf-8"))


class _Macros:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self._texts = {name: _any_of(text) for name, text in (_shared() | data.get("macros", {})).items()}
        for macro, table in (("relation", "relations"), ("attribute", "attributes")):
            words = sorted(_by_word(data, table), key=len, reverse=True)
            self._texts[macro] = f"(?P<{macro}>{'|'.join(map(re.escape, words)) or _NEVER})"

    def compile(self, source: str | Sequence[str], *, forgiving: bool = False) -> re.Pattern[str]:
        text = _any_of(source)
        while _MACRO.search(text):
            text = _MACRO.sub(lambda found: self._texts[found[1]], text)
        return re.compile(_forgiving(text) if forgiving else text, re.IGNORECASE)


def _by_word(data: Mapping[str, Any], table: str) -> dict[str, str]:
    """Each word of a table, as it is written there, with the English name it stands for."""
    return {word: name for name, words in data.get(table, {}).items() for word in words}


def _plain(word: str) -> str:
    """The word in one case and without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))


def _forgiving(text: str) -> str:
    """The expression with accents made optional, as people leave them out; not inside character classes."""
    out, in_class = [], False
    for place, character in enumerate(text):
        escaped = place > 0 and text[place - 1] == "\\"
        if character in "[]" and not escaped:
            in_class = character == "["
        base = unicodedata.normalize("NFD", character)[0]
        accented = base != character and base.isascii() and base.isalpha()
        out.append(f"[{character}{base}]" if accented and not in_class else character)
    return "".join(out)


def _any_of(source: str | Sequence[str]) -> str:
    return source if isinstance(source, str) else f"(?:{'|'.join(source)})"


def _rule(entry: Mapping[str, Any], macros: _Macros, patterns: Mapping[str, re.Pattern[str]]) -> Rule:
    return Rule(
        category=Category(entry["category"]),
        patterns=tuple(macros.compile(text, forgiving=True) for text in entry["patterns"]),
        attribute=entry.get("attribute"),
        negated=entry.get("negated", False),
        is_list=entry.get("list", False),
        whole_sentence=entry.get("whole_sentence", False),
        unless=tuple(patterns[name] for name in entry.get("unless", ())),
    )


def language_for(words: str) -> Language | None:
    """The language of a text among those we have rules for, told by its script and its common words."""
    sample = words.replace(MASK, " ")[-_SAMPLE:]
    han, latin = len(_HAN.findall(sample)), len(_LATIN.findall(sample))
    if _KANA.search(sample) and han <= 4 * len(_KANA.findall(sample)):
        return None
    if len(_OTHER_SCRIPT.findall(sample)) > latin + han:
        return None
    if han * _HAN_WEIGHT >= latin:
        return languages().get("zh") if han else None
    return _latin_language([word.lower() for word in _WORD.findall(fold(sample))])


def _latin_language(words: Sequence[str]) -> Language | None:
    """The language of most common words, with its telltale words; a text without any looks English."""
    by_name = {language.name: language for language in languages().values()}
    guess = language_of(words)
    votes = {guess: _common(words, guess) + (guess != ENGLISH)}  # of two that are alike, the guess
    for name, language in by_name.items():
        if told := len(language.telltale.intersection(words)):
            votes[name] = 2 * told + _common(words, name)
    return by_name.get(max(votes, key=votes.__getitem__))


def _common(words: Sequence[str], language: str) -> int:
    return sum(1 for word in words if is_common(word, language))
