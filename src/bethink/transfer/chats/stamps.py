"""Dates and times as WhatsApp writes them in many languages, and the order of day and month. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bethink.errors import InvalidInput
from bethink.shapes.rights import DateOrder
from bethink.transfer.chats.sources import Source

_MORNING = (
    "am",
    "a.m.",
    "a. m.",
    "a.m",
    "vorm.",
    "上午",
    "凌晨",
    "早上",
    "清晨",
    "오전",
    "午前",
    "ص",
    "π.μ.",
    "öö",
    "fm",
    "de.",
)
_EVENING = (
    "pm",
    "p.m.",
    "p. m.",
    "p.m",
    "nachm.",
    "下午",
    "晚上",
    "中午",
    "오후",
    "午後",
    "م",
    "μ.μ.",
    "ös",
    "em",
    "du.",
)
_HALF = "|".join(sorted(map(re.escape, _MORNING + _EVENING), key=len, reverse=True))
_STAMP = re.compile(
    r"(?P<open>\[)?(?P<a>\d{1,4})(?P<mark>[./-]|年)\s?(?P<b>\d{1,2})(?:[./-]|月)\s?(?P<c>\d{1,4})[日.]?"
    r"(?:,|،|\s|\bà\b|\bàs\b|\bum\b|\bat\b|\ba las\b|\bkl\.?)*"
    rf"(?P<before>{_HALF})?\s*(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?"
    rf"(?:\s*(?P<after>{_HALF}))?(?P<close>\])?(?P<dash>\s[-–]\s)?",
    re.IGNORECASE,
)
_LEAD = "\u200e\u200f\u202a\u202b\u202c\ufeff"
_SPACES = str.maketrans({"\u202f": " ", "\u00a0": " "})
_HEADER_CHARS = 60


@dataclass(frozen=True, slots=True)
class Stamp:
    """The numbers of a date whose order is yet to be told, and a time of day."""

    line: int
    numbers: tuple[int, int, int]
    year_first: bool
    dotted: bool  # as 31.12.23, which is always the day first
    hour: int
    minute: int
    second: int

    def local(self, order: DateOrder) -> datetime | None:
        """The time on the wall, if there is such a day."""
        first, second, third = self.numbers
        year, month, day = (
            (first, second, third)
            if self.year_first or order == "ymd"
            else (third, second, first)
            if order == "dmy"
            else (third, first, second)
        )
        try:
            return datetime(
                year if year > 99 else 2000 + year, month, day, self.hour, self.minute, self.second
            )
        except ValueError:
            return None


def stamped(line: str, number: int) -> tuple[Stamp, str] | None:
    """The time that a line begins with, and what follows; None for a line that begins with none."""
    line = line.lstrip(_LEAD)
    found = _STAMP.match(line[:_HEADER_CHARS].translate(_SPACES))
    if not found or not ((found["open"] and found["close"]) or (found["dash"] and not found["open"])):
        return None
    hour, half = int(found["hour"]), (found["before"] or found["after"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half in _EVENING else 0) if hour <= 12 else hour
    if hour > 23 or int(found["minute"]) > 59 or int(found["second"] or 0) > 59:
        return None
    numbers = (int(found["a"]), int(found["b"]), int(found["c"]))
    year_first = len(found["a"]) == 4
    second = int(found["second"] or 0)
    dotted = found["mark"] == "." and not year_first
    stamp = Stamp(number, numbers, year_first, dotted, hour, int(found["minute"]), second)
    rest = line[found.end() :]
    return stamp, rest.removeprefix(" ") if found["open"] else rest


def order_of(source: Source, stamps: Iterable[Stamp]) -> DateOrder:
    """Whether the day or the month comes first: by numbers over 12, else by which of them never goes back."""
    last: dict[DateOrder, datetime] = {}
    backwards: Counter[DateOrder] = Counter()
    possible: set[DateOrder] = {"dmy", "mdy"}
    differ = False
    for stamp in stamps:
        if stamp.year_first:
            return "ymd"
        if stamp.dotted:
            return "dmy"
        for order in tuple(possible):
            if (at := stamp.local(order)) is None:
                possible.discard(order)
                continue
            backwards[order] += order in last and at < last[order]
            last[order] = at
        differ |= stamp.numbers[0] != stamp.numbers[1]
    fewest = min((backwards[order] for order in possible), default=0)
    best = sorted(order for order in possible if backwards[order] == fewest)
    if len(best) == 1 or (best and not differ):
        return best[0]
    raise InvalidInput(
        f"{source.name}: line 1: it cannot be told whether the day or the month of its dates comes first. "
        "Give the date order: dmy or mdy.",
        field="dateOrder",
    )
