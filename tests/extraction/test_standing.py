"""A newer statement on the same thing ends an older one of the same person. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.standing import Words, endings, likely
from bethink.models.worth import TOPIC
from bethink.records import Space
from bethink.store.units import Spoken
from tests.store import samples
from tests.store.samples import NOW

SPACE = Space.model_validate(
    {"id": "s", "number": 1, "name": "s", "display_name": "s", "created_at": NOW, "updated_at": NOW}
)


def topic(number: int) -> bytes:
    made = np.zeros(TOPIC, np.int8)
    made[number] = 127
    return made.tobytes()


def said(minute: int, about: int, who: str | None = None, message: str = "", **fields: Any) -> Spoken:
    known = {"sent_at": NOW + timedelta(minutes=minute), "topic": topic(about), "replaces": 0.1}
    unit = samples.unit(SPACE, message or f"m{minute:04}", **{**known, **fields})
    return Spoken(unit, None, who)


def ended(
    everything: list[Spoken], *fresh: Spoken, words: Words | None = None
) -> list[tuple[str, str, bool]]:
    new = {(one.unit.message_id, one.unit.number) for one in fresh}
    found = endings(likely(everything, new), words or {})
    return [(one.older.message_id, one.newer.message_id, one.surely) for one in found]


def pairs(everything: list[Spoken], *fresh: Spoken) -> list[tuple[str, str]]:
    return [(old, by) for old, by, _ in ended(everything, *fresh)]


def test_the_next_on_the_same_thing_ends_it() -> None:
    home, work, moved, again = said(1, 0), said(2, 1), said(3, 0), said(4, 0)
    assert pairs([again, moved, work, home], moved) == [("m0001", "m0003"), ("m0003", "m0004")]
    assert pairs([home, work, moved, again], again) == [("m0001", "m0004"), ("m0003", "m0004")]
    assert pairs([home, work, moved], work) == []
    assert pairs([], home) == []


def test_another_of_a_slot_that_holds_one_is_likely_instead() -> None:
    near = np.zeros(TOPIC, np.int8)
    near[0], near[1] = 76, 102  # a cosine of 0.6 with topic 0
    known: dict[str, Any] = {"slot": "home", "sure": 0.9, "replaces": 0.0, "topic": near.tobytes()}
    old, new = said(1, 0, **{**known, "topic": topic(0)}), said(2, 1, **known)
    assert ended([old, new], new) == [("m0001", "m0002", False)], "told as something earlier"
    pet = said(3, 1, **{**known, "slot": "hobby"})
    assert ended([old, pet], pet) == [], "of another slot"
    unsure = said(4, 1, **{**known, "sure": 0.5})
    assert ended([old, unsure], unsure) == []


def test_what_is_said_as_a_change_or_in_the_same_words_surely_takes_the_place() -> None:
    home, town = said(1, 0, replaces=0.0), said(2, 0, replaces=0.0)
    assert ended([home, town], town) == [("m0001", "m0002", False)]
    moved = said(2, 0, replaces=0.9)
    assert ended([home, moved], moved) == [("m0001", "m0002", True)]
    both: Words = {(one.unit.message_id, 0): frozenset({"flat", "move"}) for one in (home, town)}
    assert ended([home, town], town, words=both) == [("m0001", "m0002", True)]


def test_what_probably_ended_can_still_surely_end() -> None:
    old, moved = said(1, 0, until=NOW), said(3, 0, replaces=0.9)
    assert ended([old, said(2, 0, replaces=0.0), moved], moved) == [
        ("m0001", "m0003", True),
        ("m0002", "m0003", True),
    ]


def test_one_of_several_is_surely_ended_only_by_what_is_said_as_a_change() -> None:
    cat = said(1, 0, slot="pet", sure=0.9, replaces=0.0)
    dog, dead = (said(2, 0, slot="pet", sure=0.9, replaces=chance) for chance in (0.0, 0.9))
    both: Words = {(one.unit.message_id, 0): frozenset({"feed", "vet"}) for one in (cat, dog)}
    assert ended([cat, dog], dog, words=both) == [("m0001", "m0002", False)]
    assert ended([cat, dead], dead, words=both) == [("m0001", "m0002", True)]


def test_what_ended_already_and_what_another_person_said_stays_as_it_is() -> None:
    old, new = said(1, 0, until=NOW, replaced=True), said(2, 0)
    assert pairs([old, new], new) == []
    assert pairs([said(1, 0, "Ann"), said(2, 0, "Bo")], said(2, 0, "Bo")) == []
    assert pairs([said(1, 0, "Ann"), said(2, 0, "Ann")], said(2, 0, "Ann")) == [("m0001", "m0002")]


def test_what_is_worth_little_ends_but_ends_nothing() -> None:
    aside, home, other = said(1, 0, worth=0.3), said(2, 0), said(3, 0, worth=0.3)
    assert pairs([aside, home, other], aside, home, other) == [("m0001", "m0002")]


def test_two_sentences_of_one_message_do_not_end_each_other() -> None:
    one, two = said(1, 0, message="m"), said(1, 0, message="m", number=1)
    assert pairs([one, two], one, two) == []


STATEMENTS = st.lists(
    st.builds(
        said,
        st.integers(0, 50),
        st.integers(0, 3),
        st.sampled_from([None, "Ann", "Bo"]),
        replaces=st.floats(0, 1),
    ),
    max_size=20,
    unique_by=lambda one: one.unit.message_id,
)


@given(STATEMENTS, st.data())
def test_only_older_is_ended_by_newer_of_the_same_person_and_one_of_them_is_fresh(
    everything: list[Spoken], data: st.DataObject
) -> None:
    fresh = {(one.unit.message_id, 0) for one in everything if data.draw(st.booleans())}
    who = {one.unit.message_id: one.who for one in everything}
    found = [(one.older, one.newer) for one in endings(likely(everything, fresh), {})]
    for old, by in found:
        assert old.sent_at < by.sent_at
        assert who[old.message_id] == who[by.message_id]
        assert fresh & {(old.message_id, 0), (by.message_id, 0)}
    assert len({old.message_id for old, _ in found}) == len(found), "each ends once"
