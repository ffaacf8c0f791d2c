"""The words by which people say who they are, from one data file per language in `words/`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from bethink.text.fold import bare, fold

Gender = Literal["female", "male"]
_STOPS = str.maketrans({"。": ".", "、": ",", "…": ".", "—": "-", "–": "-", "¡": " ", "¿": " "})
_QUOTED = re.compile(
    r"\"[^\"\n]{0,500}\"|“[^”\n]{0,500}”|„[^“”\n]{0,500}[“”]|«[^»\n]{0,500}»|「[^」\n]{0,500}」"
    r"|『[^』\n]{0,500}』|^[ \t]*>.*$",
    re.MULTILINE,
)
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_SPACES = re.compile(r"[^\S\n]+")
_NEW_LINE = re.compile(r" ?\n[ \n]*")


@dataclass(frozen=True, slots=True)
class Relation:
    """What a word like wife says of someone: the kind of relation and, often, a gender."""

    kind: str
    gender: Gender | None = None


@dataclass(frozen=True)
class Lexicon:
    """One language's words, bare."""

    language: str
    possessives: tuple[str, ...]
    adjectives: tuple[str, ...]
    exceptions: tuple[str, ...]
    introductions: tuple[str, ...]
    after_introduction: tuple[str, ...]
    not_after_introduction: tuple[str, ...]
    greetings: tuple[str, ...]
    presentations: tuple[str, ...]
    after_presentation: tuple[str, ...]
    own_relations: tuple[str, ...]
    own_roles: tuple[str, ...]
    relations: Mapping[str, Relation]
    pronouns: Mapping[str, Gender]


@cache
def lexicons() -> tuple[Lexicon, ...]:
    """Every language there is a file for."""
    folder = files("bethink.people") / "words"
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda i: i.name)
    return tuple(_read(item.name.removesuffix(".toml"), item.read_text("utf-8")) for item in found)


@cache
def relations() -> Mapping[str, Relation]:
    """The relation words of every language; a word of two languages means what the first file says."""
    known: dict[str, Relation] = {}
    for lexicon in lexicons():
        for word, relation in lexicon.relations.items():
            known.setdefault(word, relation)
    return known


@cache
def possessives() -> frozenset[str]:
    return frozenset(word for lexicon in lexicons() for word in lexicon.possessives)


def gender_of(pronouns: str | None) -> Gender | None:
    """The gender that someone's pronouns tell; None where they tell none or more than one."""
    words = re.findall(r"\w+", bare(pronouns or ""))
    told = {lexicon.pronouns[word] for lexicon in lexicons() for word in words if word in lexicon.pronouns}
    return told.pop() if len(told) == 1 else None


def spoken(text: str) -> str:
    """What the speaker says themselves, folded but with its capitals: quotations are someone else's words."""
    said = fold(_PRIVATE.sub(" ", _QUOTED.sub(" ", text)).translate(_STOPS))
    # Runs of spaces become one, so that no pattern has to go through them again and again.
    return _NEW_LINE.sub("\n", _SPACES.sub(" ", said)).strip()


def _read(language: str, text: str) -> Lexicon:
    data = tomllib.loads(text)
    lists = {
        name: _bare(data.pop(name, ()))
        for name in Lexicon.__dataclass_fields__
        if name not in ("language", "relations", "pronouns")
    }
    words = {
        word: Relation(kind, None if gender == "any" else gender)
        for kind, by_gender in data.pop("relations").items()
        for gender, words in by_gender.items()
        for word in _bare(words)
    }
    pronouns = {word: gender for gender, told in data.pop("pronouns").items() for word in _bare(told)}
    if data:
        raise ValueError(f"words/{language}.toml has unknown lists: {', '.join(data)}")
    return Lexicon(language=language, relations=words, pronouns=pronouns, **lists)


def _bare(words: Iterable[Any]) -> tuple[str, ...]:
    return tuple(bare(str(word)) for word in words)
