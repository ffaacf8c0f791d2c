"""What follows from chances: what is told, what is a guess until more is said, and what ends. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from bethink.insights.drafts import Closing, Step
from bethink.insights.learned import follow, guess
from bethink.insights.linking import KINDS, Heard, pairs
from bethink.models.worth.said import INSIGHTS, Floats
from bethink.records import Message
from bethink.shapes.insights import InsightKind

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def heard(number: int, text: str, name: str = "Ana", **chances: float) -> Heard:
    at = MONDAY + timedelta(minutes=10 * number)
    message = Message(
        id=f"m{number}", space_id="s", session_id="c", position=number, role="contact", name=name,
        content=text, sent_at=at, created_at=at, platform="slack", channel="#c",
    )  # fmt: skip
    row = np.array([chances.get(kind, 0.0) for kind in INSIGHTS], np.float32)
    return Heard(message, row, np.eye(3, 4, dtype=np.float32), frozenset(text.lower().split()))


class Links:
    """Chances as they are written down, one row for each message that finds something open."""

    def __init__(self, ending: list[list[float]], speaking: list[list[float]] | None = None) -> None:
        self._ending, self._speaking = iter(ending), iter(speaking or [])

    def ending(self, rows: Floats) -> Floats:
        return self._next(self._ending, rows)

    def speaking(self, rows: Floats) -> Floats:
        return self._next(self._speaking, rows)

    @staticmethod
    def _next(answers: Iterator[list[float]], rows: Floats) -> Floats:
        return np.array(next(answers, [0.0] * len(rows)), np.float32)


def told(steps: list[Step]) -> list[str]:
    return [
        f"{one.because} {one.dedupe_key} by {one.message.id}"
        if isinstance(one, Closing)
        else f"{one.dedupe_key} from {' '.join(one.provenance)}"
        for one in steps
    ]


def test_what_is_likely_is_told_and_what_is_less_so_when_more_is_said_of_it() -> None:
    first, second = heard(1, "The lift again", incident=0.4), heard(2, "Lift is stuck", incident=0.4)
    assert told(follow([heard(1, "The lift is stuck", incident=0.9)], [], Links([]), frozenset())) == [
        "incident:m1 from m1"
    ]
    assert follow([first], [], Links([]), frozenset()) == []
    assert told(follow([first, second], [], Links([], [[0.9]]), frozenset())) == [
        "incident:m1 from m1", "incident:m1 from m2"
    ]  # fmt: skip
    assert follow([first, second], [], Links([], [[0.1]]), frozenset()) == [], "they speak of two things"


def test_an_end_shows_that_a_guess_was_right() -> None:
    asked, done = heard(1, "Somebody might ring the church", task=0.3), heard(2, "Rang them", closes=0.9)
    steps = follow([asked, done], [], Links([[0.8]]), frozenset())
    assert told(steps) == ["task:m1 from m1", "done task:m1 by m2"]
    assert follow([asked, done], [], Links([[0.1]]), frozenset()) == []


def test_one_message_may_end_two_things_and_none_that_cannot_end() -> None:
    three = [
        heard(1, "The lift is out", incident=0.9),
        heard(2, "Can you call the engineer?", task=0.9),
        heard(3, "We keep the stairs", decision=0.9),
    ]
    links = Links([[0.0], [0.0, 0.0], [0.5, 0.4, 0.9]])
    steps = follow([*three, heard(4, "Up and down again", closes=0.9)], [], links, frozenset())
    assert told(steps)[3:] == ["done incident:m1 by m4", "done task:m2 by m4"]


def test_what_was_read_before_is_only_guessed_at() -> None:
    before = [heard(1, "The boiler", incident=0.3), heard(2, "It is out", incident=0.9)]
    assert follow(before, [], Links([], [[0.0]]), frozenset(), known=frozenset({"m1", "m2"})) == []
    steps = follow(
        [*before[:1], heard(3, "Works again")], [], Links([[0.9]]), frozenset(), known=frozenset({"m1"})
    )
    assert told(steps) == ["incident:m1 from m1", "done incident:m1 by m3"]


def test_a_pair_tells_apart_what_was_just_said_and_what_shares_its_words() -> None:
    old, new = heard(1, "The printer jams"), heard(2, "Who has the key?", "Ben", question=0.8)
    open_ = [guess(InsightKind.BUG_REPORT, old), guess(InsightKind.QUESTION, new)]
    open_[0].ago = 1
    rows = pairs(heard(3, "printer jams no more"), open_)
    assert rows.shape[0] == 2
    shared, adjacent = rows[:, 0], rows[:, 8]
    assert (shared.tolist(), adjacent.tolist()) == ([2.0, 0.0], [0.0, 1.0])
    assert len(KINDS) == len(INSIGHTS) - 1
