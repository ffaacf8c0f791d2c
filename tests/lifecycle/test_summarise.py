from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.lifecycle.groups import Stage, groups, window
from bethink.lifecycle.keywords import MOST_KEYWORDS
from bethink.lifecycle.summarise import summarise
from bethink.records import Message, MessageTier, Space, SummaryTier
from bethink.store.units import Spoken
from tests.store import samples

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
STAGE = Stage(MessageTier.SHORT, timedelta(days=7), 0.65, 1, SummaryTier.L1)


def said(*texts: str, **fields: Any) -> list[Message]:
    return [
        Message.model_validate(
            {
                "id": f"m{number}", "space_id": "s", "session_id": "c", "position": number, "role": "user",
                "content": text, "sent_at": NOON + timedelta(minutes=number), "created_at": NOON, **fields,
            }
        )
        for number, text in enumerate(texts)
    ]  # fmt: skip


def test_a_summary_keeps_who_said_what_and_which_day_yesterday_was() -> None:
    messages = said(
        "Hi there",
        "Yesterday the boiler broke, and the plumber comes on 5 March.",
        "We decided to buy a boiler from Bosch.",
        "The boiler from Bosch costs 1200 euros.",
        "ok",
        "What about lunch?",
        name="Ana",
        channel="home",
    )
    made = summarise(messages, {}, {})
    assert made.text.startswith("2026-03-03 · chat/home · Ana (6): ")
    assert (
        "Ana: Yesterday (2026-03-02) the boiler broke, and the plumber comes on 5 March." in made.key_points
    )
    assert "Ana: We decided to buy a boiler from Bosch." in made.key_points
    assert {"boiler", "Bosch"} <= set(made.keywords)
    assert 0.5 < made.quality <= 1


def test_it_speaks_the_language_of_the_messages() -> None:
    made = summarise(said("Wir haben einen Hund gekauft.", "Er heißt Bruno.", name="Eva"), {}, {})
    assert made.text == "2026-03-03 · chat · Eva (2): Eva: Wir haben einen Hund gekauft. Er heißt Bruno."
    made = summarise(said("我们买了一只狗。它叫布鲁诺。", name="伊娃"), {}, {})
    assert made.key_points == ["伊娃: 我们买了一只狗。", "伊娃: 它叫布鲁诺。"]


@pytest.mark.parametrize(
    ("texts", "kept", "left_out"),
    [
        (
            [
                "Morning!",
                "We decided yesterday to go to Lagos in May, right?",
                "ok",
                "Dr. Lee's v. 2.3 is out.",
            ],
            [
                "We decided yesterday (2026-03-02) to go to Lagos in May (2026-05), right?",
                "Dr. Lee's v. 2.3 is out.",
            ],
            ["Morning", "ok"],
        ),
        (
            [
                "Bonjour à tous!",
                "On a décidé de tout repousser à lundi prochain.",
                "Parfait",
                "Peux-tu écrire à Zoé ?",
            ],
            ["On a décidé de tout repousser à lundi prochain (2026-03-09).", "Peux-tu écrire à Zoé ?"],
            ["Bonjour", "Parfait"],
        ),
        (
            ["早上好！", "今天下雨。奶奶周五做手术，我请了三天假去照顾她。", "好的"],
            ["今天(2026-03-03)下雨。", "奶奶周五做手术，我请了三天假去照顾她。"],
            ["早上好", "好的"],
        ),
        (
            ["了解です", "来月の京都旅行、ホテルを予約しました！"],
            ["来月の京都旅行、ホテルを予約しました！"],
            [],
        ),
        (
            ["Runbook: https://runbooks.example.com/db/cpu", "It was the report; I moved it to replica 2"],
            ["It was the report; I moved it to replica 2."],
            ["Runbook"],
        ),
    ],
)
def test_it_keeps_what_was_decided_and_when_and_no_small_talk(
    texts: list[str], kept: list[str], left_out: list[str]
) -> None:
    made = summarise(said(*texts, role="contact", name="Ana"), {}, {})
    assert {f"Ana: {text}" for text in kept} <= set(made.key_points)
    assert [text for text in left_out if text in " ".join(made.key_points)] == []


def test_keywords_are_words_in_chinese_and_japanese_too() -> None:
    assert summarise(said("奶奶周五做手术。", "我周六回家看奶奶。"), {}, {}).keywords == ["奶奶"]
    made = summarise(said("来月の京都旅行、ホテルを予約しました"), {}, {})
    assert set(made.keywords) == {"来月", "京都旅行", "ホテル", "予約"}


def test_the_assistant_is_told_of_last() -> None:
    (one, other) = said("Que bom! Quer que eu ajuste os seus lembretes?", "Sou alérgica a amendoim.")
    made = summarise([one.model_copy(update={"role": "assistant"}), other], {}, {})
    assert made.key_points == ["user: Sou alérgica a amendoim."]


def test_what_says_the_same_is_said_once() -> None:
    made = summarise(said("Ben feeds the grey cat.", "The grey cat: Ben feeds it.", "Rain."), {}, {})
    assert sum("cat" in point for point in made.key_points) == 1


def test_the_worth_that_was_read_decides_and_what_was_withdrawn_stays_out() -> None:
    (one,) = said("Nothing much here. My flight leaves at nine. My doctor said it is nothing.")
    space = Space(id="s", number=1, name="s", display_name="s", created_at=NOON, updated_at=NOON)
    spans = [(0, 18, 0.05, False), (19, 44, 0.9, False), (45, 76, 0.8, True)]
    units = [
        Spoken(
            samples.unit(space, one.id, at, first=first, last=last, worth=worth, withdrawn=withdrawn),
            None, None, one.content[first:last],
        )
        for at, (first, last, worth, withdrawn) in enumerate(spans)
    ]  # fmt: skip
    assert summarise([one] * 1, {one.id: units}, {}).key_points[-1] == "user: My flight leaves at nine."
    assert "doctor" not in summarise([one], {one.id: units}, {}).text


def test_a_weighty_message_is_named_however_many_there_are() -> None:
    words = (
        "roses tulips beans peas herbs leeks mint sage plums figs pears kale dill corn rye oats vines moss"
    )
    many = said(*(f"The garden has {word} and more {word}." for word in words.split()))
    many[11] = many[11].model_copy(update={"content": "My blood type is O.", "importance": 0.9})
    assert "user: My blood type is O." in summarise(many, {}, {}).key_points


def test_secrets_are_masked() -> None:
    made = summarise(said("My wifi password is xK9!mm2-qq", "The garden is green."), {}, {})
    assert "xK9!mm2-qq" not in f"{made.text}{made.key_points}{made.keywords}"


@given(st.lists(st.text(max_size=80), min_size=1, max_size=12))
def test_any_text_can_be_summarised(texts: list[str]) -> None:
    made = summarise(said(*texts), {}, {})
    assert made.text
    assert 0 <= made.quality <= 1
    assert len(made.keywords) <= MOST_KEYWORDS


@pytest.mark.parametrize(
    ("day", "days", "zone", "same"),
    [
        ("2026-03-03T23:30:00Z", 1, "UTC", False),
        ("2026-03-03T23:30:00Z", 1, "America/New_York", True),
        ("2026-03-08T12:00:00Z", 7, "UTC", True),  # the Sunday of that week
        ("2026-03-09T12:00:00Z", 7, "UTC", False),
    ],
)
def test_windows_are_days_and_weeks_on_the_clock_of_the_space(
    day: str, days: int, zone: str, same: bool
) -> None:
    one = datetime.fromisoformat("2026-03-04T01:00:00Z")
    assert (window(one, days, zone) == window(datetime.fromisoformat(day), days, zone)) is same


def test_groups_part_what_came_another_way_and_leave_small_ones_as_they_are() -> None:
    chat, mail = said(*"abcd"), said(*"xy", platform="mail")
    mail = [one.model_copy(update={"id": f"x{one.id}"}) for one in mail]
    pinned = chat[0].model_copy(update={"pinned": True})
    found = groups(
        [*mail, pinned, *chat[1:]],
        STAGE,
        zone="UTC",
        least=3,
        score=lambda one: 0.9 if one.content == "b" else 0,
    )
    by_platform = {group.dimensions[0]: group for group in found}
    assert [one.content for one in by_platform["chat"].summarised] == []
    assert [one.content for one in by_platform["chat"].moved] == list("abcd")
    assert [one.content for one in by_platform["mail"].moved] == ["x", "y"]
    (found_chat,) = groups(
        chat, STAGE, zone="UTC", least=3, score=lambda one: 0.9 if one.content == "b" else 0
    )
    assert [one.content for one in found_chat.summarised] == list("acd")
    assert [one.content for one in found_chat.moved] == ["b"]
