"""What texts say of times, resolved against a Monday: 8 May 2023."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.dates.mentions import asks_when, mentioned

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def days(text: str, at: datetime = AT) -> list[tuple[str, str, str]]:
    return [
        (found.text, found.first.isoformat()[2:], found.last.isoformat()[2:]) for found in mentioned(text, at)
    ]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I went there yesterday.", "23-05-07", "23-05-07"),
        ("the day before yesterday", "23-05-06", "23-05-06"),
        ("See you tomorrow!", "23-05-09", "23-05-09"),
        ("last Friday", "23-05-05", "23-05-05"),
        ("last Monday", "23-05-01", "23-05-01"),
        ("next Friday", "23-05-12", "23-05-12"),
        ("next Monday", "23-05-15", "23-05-15"),
        ("this Friday", "23-05-12", "23-05-12"),
        ("last week", "23-05-01", "23-05-07"),
        ("this weekend", "23-05-13", "23-05-14"),
        ("two weekends ago", "23-04-29", "23-04-30"),
        ("next month", "23-06-01", "23-06-30"),
        ("last year", "22-01-01", "22-12-31"),
        ("3 days ago", "23-05-05", "23-05-05"),
        ("a month ago", "23-04-01", "23-04-30"),
        ("five years ago", "18-01-01", "18-12-31"),
        ("We leave in two weeks", "23-05-22", "23-05-22"),
        ("over the past two weeks", "23-04-24", "23-05-08"),
        ("on 7 May 2023", "23-05-07", "23-05-07"),
        ("on May 7th", "23-05-07", "23-05-07"),
        ("October 13, 2023", "23-10-13", "23-10-13"),
        ("on 30 December", "22-12-30", "22-12-30"),
        ("in June", "23-06-01", "23-06-30"),
        ("last May", "22-05-01", "22-05-31"),
        ("in June 2021", "21-06-01", "21-06-30"),
        ("back in 2021", "21-01-01", "21-12-31"),
        ("due 2023-05-10.", "23-05-10", "23-05-10"),
        ("ayer comimos", "23-05-07", "23-05-07"),
        ("hace dos semanas", "23-04-24", "23-04-30"),
        ("la semana pasada", "23-05-01", "23-05-07"),
        ("el viernes que viene", "23-05-12", "23-05-12"),
        ("nos vemos mañana", "23-05-09", "23-05-09"),
        ("el 7 de mayo de 2023", "23-05-07", "23-05-07"),
        ("en junio", "23-06-01", "23-06-30"),
        ("vorgestern", "23-05-06", "23-05-06"),
        ("bis morgen", "23-05-09", "23-05-09"),
        ("vor drei Tagen", "23-05-05", "23-05-05"),
        ("in zwei Wochen", "23-05-22", "23-05-22"),
        ("letzte Woche", "23-05-01", "23-05-07"),
        ("am 7. Mai", "23-05-07", "23-05-07"),
        ("am 7.5.2023", "23-05-07", "23-05-07"),
        ("nächsten Freitag", "23-05-12", "23-05-12"),
        ("avant-hier", "23-05-06", "23-05-06"),
        ("il y a trois jours", "23-05-05", "23-05-05"),
        ("l'an dernier", "22-01-01", "22-12-31"),
        ("vendredi prochain", "23-05-12", "23-05-12"),
        ("le 1er juin 2023", "23-06-01", "23-06-01"),
        ("aujourd'hui", "23-05-08", "23-05-08"),
        ("我昨天去了", "23-05-07", "23-05-07"),
        ("上周五见过", "23-05-05", "23-05-05"),
        ("下周三见", "23-05-17", "23-05-17"),
        ("三天前", "23-05-05", "23-05-05"),
        ("两周后出发", "23-05-22", "23-05-22"),
        ("去年", "22-01-01", "22-12-31"),
        ("2023年5月7日", "23-05-07", "23-05-07"),
        ("下个月", "23-06-01", "23-06-30"),
    ],
)
def test_a_time_is_the_days_it_means(text: str, first: str, last: str) -> None:
    ((_, *found),) = days(text)
    assert found == [first, last]


@pytest.mark.parametrize(
    "text",
    [
        "You may march on, the sun is up.",
        "I read it in two days.",
        "He finished the race in 3 days",
        "It can last weeks.",
        "We have one a day.",
        "On Friday I cook.",  # which Friday?
        "February 30",
        "call 2023-05-071 or 12-2023-05-07",
        "Guten Morgen!",
        "por la mañana",
        "An apple an hour",
        "She won 2021 points.",
        "I second that; decide.",
        "",
    ],
)
def test_what_names_no_time_is_let_be(text: str) -> None:
    assert days(text) == []


def test_several_in_one_text_are_found_in_order_with_their_places() -> None:
    text = "Yesterday I packed, next week I fly, and in June 2024 I am back."
    found = mentioned(text, AT)
    assert [text[mention.start : mention.end] for mention in found] == ["Yesterday", "next week", "June 2024"]


def test_the_clock_of_who_said_it_tells_the_day() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
    assert mentioned("today", late)[0].first == date(2023, 5, 8)
    tokyo = late.astimezone(timezone(timedelta(hours=9)))
    assert mentioned("today", tokyo)[0].first == date(2023, 5, 9)


PIECES = st.sampled_from(
    [
        "last",
        "next",
        "week",
        "May",
        "7",
        "2023",
        "in",
        "two",
        "days",
        "ago",
        "上",
        "周",
        "五",
        "il y a",
        "vor",
        "hace",
    ]
)


@given(
    st.lists(PIECES | st.text(max_size=5), max_size=12).map(" ".join), st.datetimes(timezones=st.just(UTC))
)
def test_whatever_is_said_whenever_it_is_days_in_order(text: str, at: datetime) -> None:
    found = mentioned(text, at)
    for mention in found:
        assert mention.first <= mention.last
        assert text[mention.start : mention.end] == mention.text
    assert all(one.end <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When did Anna move?", True),
        ("What year was it?", True),
        ("When I was young I moved a lot", False),
        ("What did Anna do?", False),
        ("Wann war das?", True),
        ("¿Cuándo es la fiesta?", True),
        ("Depuis quand ?", True),
        ("你什么时候搬家的？", True),
        ("你搬家了吗？", False),
    ],
)
def test_a_question_asks_for_a_time_or_for_something_else(text: str, asks: bool) -> None:
    assert asks_when(text) is asks


@pytest.mark.parametrize(
    "text", ["in two weeks", "in zwei Wochen", "dentro de dos semanas", "dans deux semaines", "两周后"]
)
def test_in_two_weeks_is_a_day_in_every_language(text: str) -> None:
    ((_, *found),) = days(text)
    assert found == ["23-05-22", "23-05-22"]
