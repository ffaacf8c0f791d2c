"""A query that names a time prefers what is of that time, or speaks of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bethink import AsyncBethink
from bethink.recall.rank import asked_when
from bethink.records import Layer
from bethink.store.entries import packed
from bethink.store.rows import Brief
from bethink.text.dates.mentions import mentioned

NOW = datetime(2023, 5, 10, 12, tzinfo=UTC)


def brief(text: str, at: datetime) -> Brief:
    return Brief(Layer.MESSAGE, "m", text, at, mentioned_at=packed(mentioned(text, at)))


@pytest.mark.parametrize(
    ("query", "text", "at", "fits"),
    [
        ("what happened last Friday?", "we met", datetime(2023, 5, 5, 9, tzinfo=UTC), True),
        ("what happened last Friday?", "we met", datetime(2023, 5, 6, 9, tzinfo=UTC), False),
        ("what happened on 7 May 2023", "I ran yesterday", datetime(2023, 5, 8, 9, tzinfo=UTC), True),
        ("what happened on 7 May 2023", "I ran last year", datetime(2024, 6, 8, 9, tzinfo=UTC), False),
        ("plans in June", "we fly next month", datetime(2023, 5, 8, 9, tzinfo=UTC), True),
        ("what happened", "I ran yesterday", datetime(2023, 5, 8, 9, tzinfo=UTC), False),
    ],
)
def test_a_record_is_of_a_time_or_speaks_of_it(query: str, text: str, at: datetime, fits: bool) -> None:
    assert asked_when(query, NOW, "UTC").fits(brief(text, at)) is fits


def test_the_day_is_that_of_the_space() -> None:
    late = brief("we met", datetime(2023, 5, 5, 22, tzinfo=UTC))  # already Saturday in Tokyo
    assert asked_when("last Friday", NOW, "UTC").fits(late)
    assert not asked_when("last Friday", NOW, "Asia/Tokyo").fits(late)


async def test_the_boost_is_a_part_of_the_score(memory: AsyncBethink) -> None:
    said = [
        ("I baked rye bread yesterday", "2023-05-08T09:00:00+00:00"),
        ("I baked corn bread yesterday", "2023-03-08T09:00:00+00:00"),
        *[(f"Bread number {number} was fine", "2023-01-01T09:00:00+00:00") for number in range(6)],
    ]
    await memory.observe("chat", [{"content": text, "sentAt": at} for text, at in said])
    await memory.settle()
    found = await memory.recall("which bread was baked on 7 May 2023?", layers=["message"])
    hits = {hit.text: hit for hit in found.hits}
    rye, corn = hits["I baked rye bread yesterday"], hits["I baked corn bread yesterday"]
    assert (rye.time > 0, corn.time) == (True, 0)
    assert found.hits[0].id == rye.id
    assert rye.score == pytest.approx(rye.fused + rye.time + rye.recency + rye.answer)
    (mention,) = rye.mentioned_at
    assert (mention.text, mention.first.isoformat()) == ("yesterday", "2023-05-07")


async def test_what_is_said_is_resolved_again_when_it_is_edited(memory: AsyncBethink) -> None:
    first = {"content": "I baked yesterday", "id": "1", "sentAt": "2023-05-08T23:30:00-05:00"}
    await memory.observe("chat", [first])
    await memory.observe("chat", [first | {"content": "I baked today"}])
    (hit,) = (await memory.recall("baked")).hits
    assert [(found.text, found.first.isoformat()) for found in hit.mentioned_at] == [("today", "2023-05-08")]
    kept = await memory.remember("The trip starts tomorrow", observed_at="2023-05-08T10:00:00Z")
    found = {hit.id: hit for hit in (await memory.recall("trip starts")).hits}
    assert found[kept.id].mentioned_at[0].first.isoformat() == "2023-05-09"


async def test_who_asks_when_gets_what_speaks_of_a_time(memory: AsyncBethink) -> None:
    said = [
        "I painted the door",
        "I painted the door last week",
        *[f"Plank {number} is dry" for number in range(6)],
    ]
    await memory.observe("chat", [{"content": text, "sentAt": "2023-05-08T09:00:00Z"} for text in said])
    await memory.settle()
    asked = {hit.text: hit for hit in (await memory.recall("When was the door painted?")).hits}
    other = {hit.text: hit for hit in (await memory.recall("Who painted the door?")).hits}
    dated, plain = "I painted the door last week", "I painted the door"
    assert asked[dated].time > asked[plain].time == 0
    assert other[dated].time == 0
