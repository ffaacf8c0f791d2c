from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink.index.describe import (
    CONTEXT_GAP,
    CONTEXT_TURNS,
    Style,
    embedded_fact,
    embedded_message,
    fact_entry,
    is_context,
    memory_entry,
    message_entry,
)
from bethink.nouns import NOUNS
from bethink.records import Layer, MessageTier
from bethink.text.terms import analyse
from tests.index.records import NOW, fact, memory, message

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def test_a_memory_is_found_by_its_date_title_text_category_and_tags() -> None:
    body = memory_entry(memory("Water the ficus", title="Plants", category="chores", tags=["weekly"])).body
    assert {"5", "march", "2024", "plant", "water", "ficus", "chore", "week"} <= set(body)


@pytest.mark.parametrize(("month", "name"), [(1, "January"), (5, "May"), (8, "August"), (12, "December")])
def test_a_record_is_found_by_its_month(month: int, name: str) -> None:
    found = memory_entry(memory(observed_at=NOW.replace(month=month)))
    assert set(analyse(f"{name} 2024")) <= set(found.body)


def test_a_memory_entry_carries_what_filters_go_by() -> None:
    found = memory_entry(memory(person_id="p", session_id="s", expires_at=NOW + HOUR))
    assert (found.layer, found.record_id, found.observed_at) == (Layer.MEMORY, "memory 1", NOW)
    assert (found.person_id, found.session_id, found.expires_at) == ("p", "s", NOW + HOUR)


@pytest.mark.parametrize("change", [{"content": "other"}, {"title": "other"}])
def test_a_memory_is_embedded_anew_when_its_text_changes(change: dict[str, str]) -> None:
    before, after = memory(title="t"), memory(title="t").model_copy(update=change)
    assert memory_entry(before).fingerprint != memory_entry(after).fingerprint


@pytest.mark.parametrize(
    "change", [{"tags": ["x"]}, {"pinned": True}, {"category": "c"}, {"metadata": {"a": 1}}]
)
def test_a_memory_is_not_embedded_anew_for_anything_else(change: dict[str, Any]) -> None:
    assert memory_entry(memory()).fingerprint == memory_entry(memory(**change)).fingerprint


def test_a_fact_is_found_by_category_key_value_and_where_it_came_from() -> None:
    found = fact_entry(fact("green tea", source_context="said at breakfast"))
    assert {"like", "hot", "drink", "green", "tea", "breakfast"} <= set(found.body)
    assert (found.layer, found.observed_at) == (Layer.FACT, NOW)


@pytest.mark.parametrize(
    ("expires", "ends", "until"),
    [(None, None, None), (2, None, 2), (None, 3, 3), (2, 3, 2), (3, 2, 2)],
)
def test_a_fact_can_be_found_until_it_expires_or_is_superseded(
    expires: int | None, ends: int | None, until: int | None
) -> None:
    at = {number: None if number is None else NOW + number * HOUR for number in (None, 2, 3)}
    assert fact_entry(fact(expires_at=at[expires], valid_to=at[ends])).expires_at == at[until]


def test_a_message_is_found_by_its_speaker_and_its_date_where_it_was_sent() -> None:
    late = message("the boiler leaks", name="Ines", sent_at=NOW.replace(hour=23), sent_offset=120)
    found = message_entry(late, [], "lean")
    assert {"6", "march", "ine", "boiler", "leak"} <= set(found.body)
    assert "5" not in found.body
    assert list(found.context) == []


def test_the_turns_around_a_message_are_its_context_and_not_its_body() -> None:
    turns = [message(f"word{place}", place, name=f"Speaker{place}") for place in range(1, 8)]
    found = message_entry(turns[3], turns, "lean")
    assert "word4" in found.body
    assert not {"word3", "word5"} & set(found.body)
    assert {word for word in found.context if word.startswith("word") and word != "word"} == {
        "word2", "word3", "word5", "word6",
    }  # fmt: skip
    assert "speaker3" in found.context


@pytest.mark.parametrize("distance", range(-4, 5))
def test_context_reaches_a_few_turns_either_way(distance: int) -> None:
    near = is_context(message(position=10), message(position=10 + distance))
    assert near == (0 < abs(distance) <= CONTEXT_TURNS)


@pytest.mark.parametrize(("silence", "near"), [(CONTEXT_GAP, True), (CONTEXT_GAP + MINUTE, False)])
def test_a_long_silence_ends_the_context_in_both_directions(silence: timedelta, near: bool) -> None:
    before, after = message(position=1), message(position=2, sent_at=NOW + silence)
    assert is_context(before, after) is near
    assert is_context(after, before) is near


def test_the_text_that_is_embedded_says_who_spoke() -> None:
    assert embedded_message(message("I play the cello", name="Ines"), "lean") == "Ines: I play the cello"
    assert embedded_message(message("I play the cello"), "lean") == "I play the cello"


def test_the_full_document_of_a_message_names_its_place_and_time() -> None:
    sent = message(
        "See you", name="Ines", platform="mail", channel="inbox", attachments=[{"name": "map.png"}]
    )
    lines = embedded_message(sent, "aaak").splitlines()
    assert lines[0] == "Text: See you"
    assert f"Time: {int(NOW.timestamp() * 1000)}" in lines
    assert "Media: map.png" in lines
    assert "Dimensions: platform: mail; channel: inbox; person: Ines" in lines


@pytest.mark.parametrize("style", ["lean", "aaak"])
def test_another_tier_asks_for_no_new_vector(style: Style) -> None:
    """It stands in the full document, and says nothing of what was said."""
    fresh = message("See you", name="Ines")
    later = fresh.model_copy(update={"tier": MessageTier.LONG})
    assert message_entry(fresh, [], style).fingerprint == message_entry(later, [], style).fingerprint
    assert "Tier: long" in embedded_message(later, "aaak").splitlines()


def test_a_change_of_document_style_changes_what_messages_are_embedded_as_but_not_memories() -> None:
    said = message("See you")
    assert message_entry(said, [], "lean").fingerprint != message_entry(said, [], "aaak").fingerprint
    note = memory("Note", title="T")
    assert NOUNS.indexed["memory"].embedded(note, "lean") == "T. Note"
    assert NOUNS.indexed["memory"].embedded(note, "aaak") == "T. Note"


def test_a_fact_reads_as_a_sentence_to_the_model() -> None:
    assert embedded_fact(fact()) == "likes hot drink: tea"


def test_the_ends_of_time_have_a_date_too() -> None:
    last = message(sent_at=NOW.replace(year=9999, month=12, day=31, hour=23), sent_offset=600)
    first = message(sent_at=NOW.replace(year=1, month=1, day=1, hour=1), sent_offset=-600)
    assert {"31", "decemb"} <= set(message_entry(last, [], "lean").body)
    assert {"1", "januari"} <= set(message_entry(first, [], "lean").body)
