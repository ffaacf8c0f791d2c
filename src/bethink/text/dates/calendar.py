"""Spans of days: a week, a month, the Friday before. Pure; a day outside the calendar is none."""

from __future__ import annotations

from datetime import date, timedelta

Days = tuple[date, date]  # the first day and the last
DAY = timedelta(days=1)
_WEEK = 7


def unit_at(unit: str, on: date, shift: int) -> Days:
    """The day, week (from Monday), weekend, month or year that is `shift` of them away."""
    match unit:
        case "day":
            return (on + shift * DAY,) * 2
        case "week":
            monday = on - on.weekday() * DAY + shift * _WEEK * DAY
            return monday, monday + 6 * DAY
        case "weekend":
            saturday = unit_at("week", on, shift)[0] + 5 * DAY
            return saturday, saturday + DAY
        case "month":
            place = on.year * 12 + on.month - 1 + shift
            return month_of(place // 12, place % 12 + 1)
        case _:
            return year_of(on.year + shift)


def ahead(unit: str, number: int, on: date) -> Days:
    """The time so many units from now: "in two weeks" is a day, "in two months" a month."""
    return unit_at("day", on, number * _WEEK) if unit == "week" else unit_at(unit, on, number)


def past(unit: str, number: int, on: date) -> Days:
    """The time that so many units have taken, until now."""
    days = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}[unit]
    return on - number * days * DAY, on


def month_of(year: int, month: int) -> Days:
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return first, following - DAY


def year_of(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def weekday_at(weekday: int, on: date, shift: int) -> Days:
    """The last such day before, the next after, or the one of this week."""
    if shift == 0:
        return week_day(weekday, on, 0)
    ahead = (weekday - on.weekday()) % _WEEK
    day = on + (ahead or _WEEK) * DAY if shift > 0 else on - ((on.weekday() - weekday) % _WEEK or _WEEK) * DAY
    return day, day


def week_day(weekday: int, on: date, shift: int) -> Days:
    """Such a day of the week that is `shift` weeks away."""
    day = unit_at("week", on, shift)[0] + weekday * DAY
    return day, day


def named_month(month: int, on: date, shift: int | None) -> Days:
    """A month without its year: the last one, the next one, or the nearest."""
    if shift is None:
        years = sorted(
            (on.year - 1, on.year, on.year + 1), key=lambda y: abs((y - on.year) * 12 + month - on.month)
        )
        return month_of(years[0], month)
    year = on.year + shift if (month - on.month) * shift <= 0 else on.year
    return month_of(year, month)


def named_day(day: int, month: int, year: int | None, on: date) -> Days:
    """A day by its number; without its year, the nearest."""
    if year is not None:
        found = date(year, month, day)
        return found, found
    near = []
    for candidate in (on.year - 1, on.year, on.year + 1):
        try:
            near.append(date(candidate, month, day))
        except ValueError:
            continue  # the 29th of February is not in every year
    found = min(near, key=lambda other: abs(other - on))
    return found, found
