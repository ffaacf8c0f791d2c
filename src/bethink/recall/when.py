"""The time a query asks about, and whether a record is of that time. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from bethink.store.briefs import Brief
from bethink.store.mentions import unpacked
from bethink.text.dates.calendar import Days
from bethink.text.dates.mentions import asks_when, mentioned

_SPARE = 7  # days by which a record's own words may be less exact than twice the query's


@dataclass(frozen=True, slots=True)
class When:
    """The days a query speaks of, on the clock of the space; none when it speaks of no time."""

    windows: tuple[Days, ...] = ()
    zone: tzinfo | None = None
    is_asked: bool = False  # it asks for a time, so that whatever speaks of one may be the answer

    def fits(self, brief: Brief) -> bool:
        """Whether a record is of one of these days, or speaks of them about as exactly."""
        if not self.windows:
            return False
        day = _local(brief.observed_at, self.zone).date()
        if any(first <= day <= last for first, last in self.windows):
            return True
        spoken = [(m.first, m.last) for m in unpacked(brief.mentioned_at, brief.text)]
        return any(_meet(window, days) for window in self.windows for days in spoken)


def asked_when(query: str, now: datetime, timezone: str) -> When:
    """The time that a query asks about, such as "what happened last Friday" or "in June 2023"."""
    zone = ZoneInfo(timezone)
    found = mentioned(query, _local(now, zone))
    windows = tuple((mention.first, mention.last) for mention in found)
    return When(windows, zone, is_asked=asks_when(query))


def _meet(window: Days, spoken: Days) -> bool:
    overlap = spoken[0] <= window[1] and window[0] <= spoken[1]
    return overlap and (spoken[1] - spoken[0]).days <= 2 * (window[1] - window[0]).days + _SPARE


def _local(at: datetime, zone: tzinfo | None) -> datetime:
    try:
        return at.astimezone(zone)
    except OverflowError:  # the last or the first day there is
        return at
