"""The phrases in which people say who they are, as patterns made once from the words of a language. Pure.

Names and relation words are replaced by marks before the patterns are applied. So the patterns are small, and
the same for every household.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from bethink.people.resolve import Lexicon, lexicons
from bethink.text.fold import WORD_CHARACTER, any_of

# The marks are of the private use area, which `spoken` takes out of the text.
NAME_MARK = "\ue000{}\ue001"
RELATION_MARK = "\ue002{}\ue003"
_NAME = "\ue000(?P<name{0}>[0-9]+)\ue001"
_RELATION = "(?:\ue002(?P<relation{0}>[0-9]+)\ue003|\ue000(?P<alias{0}>[0-9]+)\ue001)"

_PLACES = re.compile(r"(\{name\}|\{relation\}|\s+)")
_BEFORE = f"(?<!{WORD_CHARACTER})"
_AFTER = f"(?!{WORD_CHARACTER})(?!['-]{WORD_CHARACTER})"
_STOP = r"[.;:!?()\n-]"
_CLAUSE_END = rf"(?=\s?(?:$|,|{_STOP}))"
_NEVER = r"(?!)"


@dataclass(frozen=True)
class Place:
    """Where a phrase stands, and the numbers of the marks in it."""

    span: tuple[int, int]
    name: int | None = None
    relation: int | None = None
    alias: int | None = None  # a name in the place of a relation: "my mom" where mom is someone's alias


@dataclass(frozen=True)
class Phrases:
    """One language's patterns."""

    lexicon: Lexicon
    relation: re.Pattern[str]
    exception: re.Pattern[str]
    introductions: tuple[re.Pattern[str], ...]
    own_relation: re.Pattern[str]
    own_role: re.Pattern[str]
    my_relation: re.Pattern[str]

    def mark(self, text: str) -> tuple[str, list[str]]:
        """The text with its relation words marked, and those words; what only looks like one is left out."""
        words: list[str] = []

        def replace(found: re.Match[str]) -> str:
            words.append(found[0])
            return RELATION_MARK.format(len(words) - 1)

        return self.relation.sub(replace, self.exception.sub(" ", text)), words


@cache
def phrases() -> tuple[Phrases, ...]:
    """The patterns of every language."""
    return tuple(_phrases(lexicon) for lexicon in lexicons())


def places(pattern: re.Pattern[str], text: str) -> list[Place]:
    """Where a pattern applies to a marked text."""
    found = []
    for match in pattern.finditer(text):
        numbers = {
            name.rstrip("0123456789"): int(number)
            for name, number in match.groupdict().items()
            if number is not None
        }
        found.append(Place(match.span(), **numbers))
    return found


def _phrases(lexicon: Lexicon) -> Phrases:
    said_anywhere = _any_of(lexicon.introductions, _BEFORE, _AFTER + _after_introduction(lexicon))
    said_alone = _any_of(lexicon.presentations, _opening(lexicon), _AFTER + _closing(lexicon))
    return Phrases(
        lexicon=lexicon,
        relation=any_of(lexicon.relations),
        exception=any_of(lexicon.exceptions),
        introductions=(said_anywhere, said_alone),
        own_relation=_any_of(lexicon.own_relations, _BEFORE, _AFTER),
        own_role=_any_of(lexicon.own_roles, _BEFORE, _AFTER + _CLAUSE_END),
        my_relation=_my_relation(lexicon),
    )


def _any_of(templates: Iterable[str], before: str, after: str) -> re.Pattern[str]:
    # A group's name may stand in a pattern once, so the groups are numbered.
    forms = [_spelled(template).format(number) for number, template in enumerate(_longest_first(templates))]
    return re.compile(f"{before}(?:{'|'.join(forms) or _NEVER}){after}", re.MULTILINE)


def _spelled(template: str) -> str:
    known = {"{name}": _NAME, "{relation}": _RELATION}
    return "".join(
        r"[\s,]+" if part.isspace() else known.get(part) or re.escape(part)
        for part in _PLACES.split(template)
        if part
    )


def _after_introduction(lexicon: Lexicon) -> str:
    if lexicon.not_after_introduction:
        return rf"(?!\s?{_either(lexicon.not_after_introduction)})"
    if lexicon.after_introduction:
        return rf"(?=\s?(?:$|,|{_STOP})|\s{_either(lexicon.after_introduction)}{_AFTER})"
    return ""


def _opening(lexicon: Lexicon) -> str:
    """A presentation opens a clause, but for a greeting."""
    return rf"(?:^|(?:,|{_STOP})\s?|{_BEFORE}{_either(lexicon.greetings)}\s)"


def _closing(lexicon: Lexicon) -> str:
    """A presentation is a clause of its own, and "this is Tom, my husband" presents someone else."""
    after = rf"|\s{_either(lexicon.after_presentation)}" if lexicon.after_presentation else ""
    return rf"(?=\s?(?:$|{_STOP}|,(?!\s?{_either(lexicon.possessives)}{_AFTER})){after})"


def _my_relation(lexicon: Lexicon) -> re.Pattern[str]:
    gap = r"\s" if lexicon.possessives[0].isascii() else r"\s?"
    adjectives = rf"(?:{_either(lexicon.adjectives)}{gap}){{0,2}}"
    relation = _RELATION.format(0)
    return re.compile(rf"{_BEFORE}{_either(lexicon.possessives)}{gap}{adjectives}{relation}(?!-)")


def _either(words: Iterable[str]) -> str:
    return "(?:" + ("|".join(map(re.escape, _longest_first(words))) or _NEVER) + ")"


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(set(words), key=lambda word: (-len(word), word))
