"""Times as people type them and as they like to read them: in their own timezone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from bethink.clock import now

_SPAN = re.compile(r"(\d{1,6})\s*([mhdwy])")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365),
}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}


def past_time(text: str) -> datetime:
    """The parser of options that look back: `7d` is seven days ago."""
    return parse_time(text, now(), ahead=False)


def coming_time(text: str) -> datetime:
    """The parser of options that look ahead: `7d` is in seven days."""
    return parse_time(text, now(), ahead=True)


def parse_time(text: str, at: datetime, *, ahead: bool) -> datetime:
    """A date or time in ISO 8601, a span such as `7d`, or a day's name. Local if without offset."""
    word = text.strip().lower()
    try:
        if span := _SPAN.fullmatch(word):
            reach = int(span[1]) * _UNITS[span[2]]
            return at + reach if ahead else at - reach
        if word == "now":
            return at
        if word in _DAYS:
            day = at.astimezone().date() + timedelta(days=_DAYS[word])
            return datetime(day.year, day.month, day.day).astimezone()
        found = datetime.fromisoformat(text.strip())
        return found.astimezone() if found.tzinfo is None else found
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"{text!r} is no time; write a date (2025-05-31), a time (2025-05-31T14:30, with an offset if it"
            " is not local), a span (30m, 12h, 7d, 2w, 1y), or now, today, yesterday, tomorrow"
        ) from None


def shown(at: datetime) -> str:
    """A time to the minute, local."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M")
