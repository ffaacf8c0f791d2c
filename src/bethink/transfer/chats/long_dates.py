"""Dates with the month as a word, as Google writes them in the language of the account. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from bethink.text.fold import bare

# January to December in English, German, Spanish, French, Portuguese, Italian and Dutch. The first letters
# that tell a month from the others in all of them are enough.
_MONTHS = (
    "january januar enero janvier janeiro gennaio januari",
    "february februar febrero fevrier fevereiro febbraio februari",
    "march marz marzo mars marco maart",
    "april abril avril aprile",
    "may mai mayo maio maggio mei",
    "june juni junio juin junho giugno",
    "july juli julio juillet julho luglio",
    "august agosto aout augustus",
    "september septiembre septembre setembro settembre",
    "october oktober octubre octobre outubro ottobre",
    "november noviembre novembre novembro",
    "december dezember diciembre decembre dezembro dicembre",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
_CLOCK = re.compile(r"(\d{1,2})[:.](\d{2})[:.](\d{2})\s*([ap])?\.?\s?m?\b", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{4})\s*[年년/-]\s*(\d{1,2})\s*[月월/-]\s*(\d{1,2})")
_AFTERNOON = ("下午", "오후", "午後")
_MORNING = ("上午", "오전", "午前")


def long_date(text: str) -> datetime | None:
    """The moment that such a text names, always in UTC; None when it cannot be told.

    "Monday, May 8, 2023 at 1:01:05 PM UTC" and "Montag, 8. Mai 2023 um 13:01:05 UTC" are one moment.
    """
    clock = _CLOCK.search(text)
    if not clock or "UTC" not in text:
        return None
    rest = text[: clock.start()] + " " + text[clock.end() :]
    if numbered := _NUMBERED.search(rest):
        year, month, day = (int(number) for number in numbered.groups())
    else:
        words = re.findall(r"[^\W\d_]+", bare(rest))
        months = [_MONTH[word] for word in words if word in _MONTH]
        years, days = re.findall(r"\b\d{4}\b", rest), re.findall(r"\b\d{1,2}\b", rest)
        if len(months) != 1 or len(years) != 1 or len(days) != 1:
            return None
        year, month, day = int(years[0]), months[0], int(days[0])
    hour, half = int(clock[1]), (clock[4] or "").lower()
    half = "p" if any(word in text for word in _AFTERNOON) else half
    half = "a" if any(word in text for word in _MORNING) else half
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return datetime(year, month, day, hour, int(clock[2]), int(clock[3]), tzinfo=UTC)
    except ValueError:
        return None
