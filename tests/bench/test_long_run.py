"""What the long run tells, in which order, and how it reports."""

from __future__ import annotations

from datetime import UTC, datetime

from bench.lives import Life, Talk, lives, stories
from bench.long_run import Checked, chosen, report, years_later
from bench.worth.units import HELD_OUT


def talk(name: str, at: datetime) -> Talk:
    sent = at.isoformat()
    return Talk(name, [{"role": role, "sent_at": sent, "content": name} for role in ("user", "assistant")])


def life(name: str, *days: datetime) -> Life:
    return Life(name, "en", "UTC", tuple(talk(f"{name}{number}", day) for number, day in enumerate(days)))


ANN = life("ann", datetime(2024, 1, 5, tzinfo=UTC), datetime(2025, 3, 1, tzinfo=UTC))
BEN = life("ben", datetime(2024, 2, 29, tzinfo=UTC))


def test_every_life_is_told_before_any_is_told_again_and_in_order_of_time() -> None:
    told = chosen([ANN, BEN], turns=10)
    assert [talk.id for _, talk in told] == ["ann0", "ben0", "ann1", "ann0+2", "ann1+2"]
    assert [life.id for life, _ in told] == ["ann", "ben", "ann", "ann", "ann"]


def test_no_more_conversations_are_told_than_the_turns_need() -> None:
    assert [talk.id for _, talk in chosen([ANN, BEN], turns=3)] == ["ann0", "ann1"]


def test_a_leap_day_of_a_later_year_is_the_day_before() -> None:
    assert years_later(BEN, 1).talks[0].begins == datetime(2025, 2, 28, tzinfo=UTC)


def test_a_clean_run_says_so_and_an_unclean_one_shows_an_example_of_each_kind() -> None:
    checked = Checked(turns=2, spaces=1, memories=1, active=1, judged=1)
    assert "audit        clean" in report(checked, show=True)
    checked.add("audit junk", "ann: a question")
    checked.add("audit junk", "ann: another")
    checked.junk["question"] += 1
    told = report(checked, show=True)
    assert "audit        junk 2" in told
    assert "100.0% of 1 with labels (question 1)" in told
    assert told.endswith("audit junk: ann: a question")
    assert "ann" not in report(checked, show=False)


def test_lives_are_whole_in_order_and_never_of_writers_held_out() -> None:
    told = lives("others")
    assert len(told) > 80
    assert {one.id[:3] for one in told + stories("others")}.isdisjoint(HELD_OUT)
    for one in told:
        assert [talk.begins for talk in one.talks] == sorted(talk.begins for talk in one.talks)
        assert all(talk.asked == len(talk.turns) for talk in one.talks)
