"""What day it is, the clock of the sender decides: for the message and for what is taken from it."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from bethink import AsyncBethink, Layer
from bethink.testing import FrozenClock

LATE = "2024-03-05T23:30:00-08:00"  # the 6th in UTC, and the 6th in Tokyo

TOMORROW = [
    "Remember that my exam is tomorrow.",
    "Merk dir, dass morgen meine Prüfung ist.",
    "Recuerda que mañana es mi examen.",
    "Souviens-toi que mon examen est demain.",
    "请记住，明天是我的考试。",
]


async def days(memory: AsyncBethink, layer: Layer) -> list[date]:
    hits = (await memory.recall("", strategy="recent", layers=[layer], limit=50)).hits
    return [mention.first for hit in hits for mention in hit.mentioned_at]


@pytest.mark.parametrize("said", TOMORROW)
async def test_tomorrow_is_the_senders_tomorrow(memory: AsyncBethink, said: str) -> None:
    await memory.household.update(timezone="Asia/Tokyo")
    await memory.observe("chat", [{"content": said, "sentAt": LATE}])
    await memory.settle()
    assert await days(memory, Layer.MESSAGE) == [date(2024, 3, 6)]
    assert await days(memory, Layer.MEMORY) == [date(2024, 3, 6)]


@pytest.mark.parametrize("sent", [{}, {"sentAt": "2024-03-05T23:30:00Z"}])
async def test_where_the_sender_does_not_tell_it_is_the_spaces_day(
    memory: AsyncBethink, sent: dict[str, str]
) -> None:
    await memory.household.update(timezone="Asia/Tokyo")
    with FrozenClock(datetime(2024, 3, 5, 23, 30, tzinfo=UTC)):  # half past eight on the 6th in Tokyo
        await memory.observe("chat", [{"content": TOMORROW[0], **sent}])
        await memory.settle()
        assert (await memory.messages.of("chat"))[0].sent_offset == 9 * 60
        assert await days(memory, Layer.MESSAGE) == [date(2024, 3, 7)]
        assert await days(memory, Layer.MEMORY) == [date(2024, 3, 7)]


async def test_a_sender_may_be_in_utc(memory: AsyncBethink) -> None:
    await memory.household.update(timezone="Asia/Tokyo")
    turn = {"content": TOMORROW[0], "sentAt": "2024-03-05T23:30:00Z", "sentOffset": 0}
    await memory.observe("chat", [turn])
    await memory.settle()
    assert await days(memory, Layer.MESSAGE) == await days(memory, Layer.MEMORY) == [date(2024, 3, 6)]
