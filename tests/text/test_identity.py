"""When what is said replaces who somebody is known to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.identity import Mention, may_replace
from bethink.text.slots import kind_of

_ONE = Mention("m1", "monday", "I live in Berlin.")
_mentions = st.lists(st.builds(Mention, *[st.sampled_from(["a", "b", "c"])] * 3), max_size=4)


@pytest.mark.parametrize(
    ("category", "key", "kind"),
    [
        ("identity", "home", "home"),
        ("identity", "name", "name"),
        ("identity", "wife_name", "partner"),
        ("identity", "sister_home", "home"),
        ("personal", "current_employer", "employer"),
        ("profile", "full_name", "name"),
        ("likes", "home", None),
        ("pets", "name", None),
        ("identity", "allergy_peanuts", None),
        ("identity", "age", None),
        ("work", "current_task", None),
    ],
)
def test_which_facts_are_of_identity(category: str, key: str, kind: str | None) -> None:
    assert kind_of(category, key) == kind


def test_one_mention_replaces_nothing_and_says_so() -> None:
    decision = may_replace("home", "Lisbon", "Berlin", None, [_ONE])
    assert not decision.replace
    assert decision.reason == "home stays Lisbon: one mention of Berlin, not said as a change"


def test_a_change_replaces_at_once() -> None:
    assert may_replace("home", "Lisbon", "Berlin", "moved", [_ONE]).replace


@pytest.mark.parametrize(
    ("again", "replaces"),
    [
        (Mention("m2", "monday", "My flat in Berlin is where I live."), True),
        (Mention("m2", "tuesday", "I live in Berlin."), True),
        (Mention("m2", "monday", "I live in  berlin."), False),
        (Mention("m1", "monday", "I live in Berlin, edited."), False),
    ],
)
def test_it_is_confirmed_by_another_session_or_in_other_words(again: Mention, replaces: bool) -> None:
    assert may_replace("home", "Lisbon", "Berlin", None, [_ONE, again]).replace is replaces


@pytest.mark.parametrize(
    ("current", "draft", "replaces", "same"),
    [
        ("Anna", "Anna Schmidt", True, False),
        ("Anna Schmidt", "Anna", False, True),
        ("ANNA", "anna", False, True),
    ],
)
def test_more_words_for_the_same_are_no_other_value(
    current: str, draft: str, replaces: bool, same: bool
) -> None:
    decision = may_replace("name", current, draft, None, [_ONE])
    assert (decision.replace, decision.same) == (replaces, same)


@given(st.text(), st.text(), _mentions)
def test_a_cue_always_wins_and_a_mention_more_never_takes_a_change_back(
    current: str, draft: str, mentions: list[Mention]
) -> None:
    assert may_replace("home", current, draft, "moved", mentions).replace
    alone = may_replace("home", current, draft, None, mentions[:1])
    assert not alone.same or not alone.replace
    if may_replace("home", current, draft, None, mentions).replace:
        assert may_replace("home", current, draft, None, [*mentions, _ONE]).replace


@given(st.text(), st.text(), _mentions)
def test_one_message_never_replaces_another_value(current: str, draft: str, mentions: list[Mention]) -> None:
    same = [Mention("m1", "monday", "I live there.")] * (len(mentions) + 1)
    decision = may_replace("home", current, f"{draft} Berlin", None, same)
    assert not decision.replace or decision.reason.startswith("it says more")
