"""What a fact is about, told by its names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.slots import comes_first, key_for, kind_of, label_of, named, ontology, slot_called, value_of

_SLOTS = st.sampled_from(sorted(ontology().slots))
_VALUES = st.text("abcdefgh ", min_size=1, max_size=20).filter(str.strip)


@pytest.mark.parametrize(
    ("category", "key", "value", "label"),
    [
        ("health", "allergy_peanuts", "peanuts", "allergy"),
        ("identity", "allergy_peanuts", "peanuts", "allergy"),
        ("identity", "sister_allergy_nuts", "nuts", "sister: allergy"),
        ("identity", "best_friend_home", "Rome", "best friend: home"),
        ("identity", "son_name_max", "Max", "son: name"),
        ("answers", "answer_style_language", "always answer in French", "answer style"),
        ("identity", "home", "Porto", "home"),
        ("home", "boiler", "Bosch", "boiler"),
        ("work", "project_name", "Apollo", "project_name"),
        ("likes", "home", "warm", "home"),
        ("food", "coffee_order", "latte", "coffee_order"),
    ],
)
def test_a_prompt_shows_a_fact_by_a_readable_name(category: str, key: str, value: str, label: str) -> None:
    assert label_of(category, key, value) == label


def test_one_thing_is_the_same_by_any_of_its_names() -> None:
    assert named("health", "allergies", "peanut") == named("identity", "allergy_peanuts", "peanuts")
    assert named("personal", "city", "Porto") == named("identity", "home", "Lisbon")
    assert named("identity", "home", "x") != named("identity", "sister_home", "x")
    assert named("identity", "country", "x") != named("identity", "home", "x")


@pytest.mark.parametrize("category", ["work", "job", "employment"])
def test_where_somebody_works_is_not_where_they_live(category: str) -> None:
    assert named(category, "location", "Leeds") is None
    assert kind_of(category, "location") is None
    assert named("personal", "location", "Leeds") == named("identity", "home", "Leeds")


def test_names_are_not_compared_by_their_stems() -> None:
    assert named("identity", "son_name_ann", "Ann") != named("identity", "son_name_anne", "Anne")


def test_how_to_answer_comes_before_what_is_dangerous_before_the_rest() -> None:
    facts = [("identity", "home", "Porto"), ("x", "medication", "metformin"), ("x", "tone", "formal")]
    assert [comes_first(*fact) for fact in facts] == [2, 1, 0]


MODEL_SLOTS = (
    "home answer-style employer appointment condition role medicine project hobby diet pet child allergy"
    " partner tool car relationship name schedule birthday smoking language school goal trip alcohol phone"
    " pronouns age food deadline exercise sibling parent friend boss colleague"
)


@pytest.mark.parametrize("name", MODEL_SLOTS.split())
def test_every_slot_that_a_model_may_name_is_known(name: str) -> None:
    assert slot_called(name)


@given(_SLOTS, st.sampled_from([None, "sister", "dog", "best friend"]), _VALUES)
def test_a_key_tells_what_it_was_made_of(name: str, subject: str | None, value: str) -> None:
    slot = ontology().slots[name]
    about = named(slot.category, key_for(slot, subject, value), value)
    assert about is not None
    assert about.slot is slot
    assert about.subject == (subject.replace(" ", "_") if subject else None)


@given(_SLOTS, st.text(max_size=80), st.sampled_from(["en", "de", "es", "fr", "pt", "zh"]))
def test_a_value_is_nothing_or_a_piece_of_what_was_said(name: str, said: str, language: str) -> None:
    value = value_of(ontology().slots[name], said, language)
    assert value is None or value in said or value in " ".join(said.split())
