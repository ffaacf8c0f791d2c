"""How each language speaks of times, read from its file in `data/`.

A file holds the words for days, units, numbers, months and weekdays, and rules: regular expressions without
regard to case, in which `%number%`, `%unit%`, `%weekday%`, `%month%`, `%dayword%`, `%day%` and `%year%` stand
for those. `unless` is what must not come before. `plurals` count only after a number, and what is in `case`
only with its capital. `asks` is how one asks for a time.

A text is not looked at any further unless it has a word of the language's own: one of its days, units or
months (but not the `faint` ones, which are also words of other languages), of its `hints`, or of its `signs`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "de", "es", "fr", "zh")
WORD = re.compile(r"[^\W\d_]+")
_PLACE = re.compile(r"%(\w+)%")
_FIXED = {
    "day": r"(?P<day>3[01]|[12]\d|0?[1-9])",
    "year": r"(?P<year>(?:19|20)\d\d)",
}


@dataclass(frozen=True)
class Rule:
    """One way to speak of a time."""

    kind: str
    pattern: re.Pattern[str]
    shift: int | None
    unless: re.Pattern[str] | None
    days: Mapping[str, int]


@dataclass(frozen=True)
class Language:
    """The words and rules of one language, words in small letters."""

    hints: frozenset[str]
    signs: re.Pattern[str] | None
    case: frozenset[str]
    plurals: frozenset[str]
    asks: re.Pattern[str]
    units: Mapping[str, str]
    numbers: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    rules: tuple[Rule, ...]


@cache
def language(name: str) -> Language:
    """The rules of a language."""
    raw = (files(__package__) / "data" / f"{name}.toml").read_text("utf-8")
    values = tomllib.loads(raw)
    units = {word: unit for unit, words in values["units"].items() for word in words}
    months = _numbered(values["months"], 1)
    weekdays = _numbered(values["weekdays"], 0)
    words = _FIXED | {
        "number": rf"(?P<number>\d{{1,3}}|{_either(values['numbers'])})",
        "unit": f"(?P<unit>{_either(units)})",
        "month": f"(?P<month>{_either(months)})",
        "weekday": f"(?P<weekday>{_either(weekdays)})",
        "dayword": f"(?P<dayword>{_either(values['days'])})",
    }
    return Language(
        hints=_hints(values, (*values["days"], *units, *months)),
        signs=re.compile(values["signs"]) if "signs" in values else None,
        case=frozenset(values["case"]),
        plurals=frozenset(values["plurals"]),
        asks=re.compile(values["asks"], re.IGNORECASE),
        units=units,
        numbers=values["numbers"],
        months=months,
        weekdays=weekdays,
        rules=tuple(_rule(rule, words, values["days"]) for rule in values["rules"]),
    )


def _rule(values: Mapping[str, Any], words: Mapping[str, str], days: Mapping[str, int]) -> Rule:
    pattern = _PLACE.sub(lambda found: words[found[1]], values["pattern"])
    unless = values.get("unless")
    return Rule(
        kind=values["kind"],
        pattern=re.compile(pattern, re.IGNORECASE),
        shift=values.get("shift"),
        unless=re.compile(unless, re.IGNORECASE) if unless else None,
        days=values.get("days", days),
    )


def _hints(values: Mapping[str, Any], phrases: Iterable[str]) -> frozenset[str]:
    """The words of which a text must have one: of each phrase the longest."""
    longest = {max(WORD.findall(phrase), key=len) for phrase in phrases}
    weekdays = {name for names in values["weekdays"] for name in names}
    return frozenset(longest | weekdays | set(values.get("hints", ()))) - set(values.get("faint", ()))


def _numbered(names: Sequence[Sequence[str]], first: int) -> dict[str, int]:
    return {name: number for number, forms in enumerate(names, start=first) for name in forms}


def _either(words: Mapping[str, Any]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))
