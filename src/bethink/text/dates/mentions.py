"""Find what a text says of times, and resolve it against the time at which it was said. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from bethink.text.dates import calendar
from bethink.text.dates.calendar import Days
from bethink.text.dates.languages import LANGUAGES, WORD, Language, Rule, language

READ_CHARS = 20_000  # of a longer text only the beginning is read
_YEAR = re.compile(r"(?:19|20)\d\d")
MOST = 50  # mentions of one text
_ISO = re.compile(
    r"(?<![\d-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?![\d-])"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of a text that speaks of a time: from the first day meant to the last."""

    start: int
    end: int
    text: str
    first: date
    last: date


def mentioned(text: str, at: datetime, languages: Sequence[str] = LANGUAGES) -> list[Mention]:
    """The times a text speaks of, in order. `at` is when it was said, on the clock of who said it."""
    text = text[:READ_CHARS]
    found, words, has_year = [*_iso(text)], set(WORD.findall(text.lower())), _YEAR.search(text) is not None
    for name in languages:
        known = language(name)
        signed = known.signs is not None and known.signs.search(text)
        if has_year or signed or not known.hints.isdisjoint(words):
            found += _by_rules(text, known, at.date())
    return _apart(found)[:MOST]


def asks_when(text: str, languages: Sequence[str] = LANGUAGES) -> bool:
    """Whether a question asks for a time."""
    return any(language(name).asks.search(text[:READ_CHARS]) for name in languages)


def _by_rules(text: str, known: Language, on: date) -> Iterator[Mention]:
    for rule in known.rules:
        for match in rule.pattern.finditer(text):
            if rule.unless and rule.unless.search(text, max(match.start() - 80, 0), match.start()):
                continue
            try:
                days = _days(rule, match, known, on)
            except (ValueError, OverflowError):
                continue  # such as the 31st of June, or a thousand years ago
            if days:
                yield Mention(match.start(), match.end(), match[0], *days)


def _days(rule: Rule, match: re.Match[str], known: Language, on: date) -> Days | None:
    parts = match.groupdict()
    match rule.kind:
        case "day":
            return calendar.unit_at("day", on, rule.days[parts["dayword"].lower()])
        case "unit":
            unit = known.units[parts["unit"].lower()]
            if unit == "day" or parts["unit"].lower() in known.plurals:
                return None
            return calendar.unit_at(unit, on, rule.shift or 0)
        case "ago" | "ahead" | "past":
            number, unit = _number(parts["number"], known), known.units[parts["unit"].lower()]
            if rule.kind == "past":
                return calendar.past(unit, number, on)
            if rule.kind == "ahead":
                return calendar.ahead(unit, number, on)
            return calendar.unit_at(unit, on, -number)
        case "weekday":
            return calendar.weekday_at(known.weekdays[parts["weekday"].lower()], on, rule.shift or 0)
        case "week_day":
            return calendar.week_day(known.weekdays[parts["weekday"].lower()], on, rule.shift or 0)
        case "year":
            return calendar.year_of(int(parts["year"]))
    month, year = _month(parts, known), int(parts["year"]) if parts.get("year") else None
    if month is None:
        return None
    if rule.kind == "date":
        return calendar.named_day(int(parts["day"]), month, year, on)
    return calendar.month_of(year, month) if year else calendar.named_month(month, on, rule.shift)


def _month(parts: dict[str, str], known: Language) -> int | None:
    """The number of a month; None for a word that is a month only when it has a capital."""
    if number := parts.get("number_of_month"):
        return int(number)
    name = parts["month"]
    if name.islower() and name.capitalize() in known.case:
        return None
    return known.months[name.lower()]


def _number(word: str, known: Language) -> int:
    return int(word) if word.isdecimal() else known.numbers[word.lower()]


def _iso(text: str) -> Iterator[Mention]:
    for match in _ISO.finditer(text) if "-" in text else ():
        try:
            day = date(int(match["year"]), int(match["month"]), int(match["day"]))
        except ValueError:
            continue
        yield Mention(match.start(), match.end(), match[0], day, day)


def _apart(found: list[Mention]) -> list[Mention]:
    """The longest where they overlap."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.start, -m.end)):
        if kept and mention.start < kept[-1].end:
            if mention.end - mention.start > kept[-1].end - kept[-1].start:
                kept[-1] = mention
            continue
        kept.append(mention)
    return kept
