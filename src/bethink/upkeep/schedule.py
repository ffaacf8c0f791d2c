"""When a sweep is next due by its schedule. Pure: no store and no clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from zoneinfo import ZoneInfo

from bethink.contracts import Schedule

_SHARES = 1 << 32


def next_start(schedule: Schedule, last: datetime, zone: str, place: str) -> datetime:
    """The first moment after `last` at which it runs again.

    `last` is when it last began, or when the space was made; `place`, which names the space and the sweep,
    decides where in the jitter it falls, always the same.
    """
    wait = schedule.jitter * _share(place)
    if schedule.every is not None:
        return last + schedule.every + wait
    local = ZoneInfo(zone)
    day = (last - wait).astimezone(local).date()
    while True:
        # An hour that the clocks leave out is read as the hour after it, one they have twice as the first.
        start = datetime.combine(day, schedule.at or datetime.min.time(), local).astimezone(UTC) + wait
        if start > last:
            return start
        day += timedelta(days=1)


def _share(place: str) -> float:
    digest = blake2b(place.encode(), digest_size=4).digest()
    return int.from_bytes(digest) / _SHARES
