"""Times as people of a place say them. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# Not strftime: its names follow the locale of the process.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def zone(name: str) -> tzinfo | None:
    """A timezone by name; None when this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def say_time(moment: datetime, place: tzinfo | None) -> str:
    """Date, time and offset: `Sunday, 9 March 2025, 03:30 (America/New_York, UTC-04:00)`."""
    local = moment.astimezone(place or UTC)
    day = f"{_DAYS[local.weekday()]}, {local.day} {_MONTHS[local.month - 1]} {local.year:04}"
    offset = _offset(local.utcoffset() or timedelta())
    return f"{day}, {local:%H:%M} ({'UTC' if str(place or UTC) == 'UTC' else f'{place}, {offset}'})"


def say_day(moment: datetime, place: tzinfo | None) -> str:
    """The day it was there: `2025-03-09`."""
    try:
        return moment.astimezone(place or UTC).date().isoformat()
    except OverflowError:  # at the very beginning or end of time
        return moment.date().isoformat()


def _offset(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
