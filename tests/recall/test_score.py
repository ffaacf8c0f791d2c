from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.rank import Asked, Candidate, inherit, is_question, weigh
from bethink.records import Fact, Memory, Message
from bethink.settings import RecallSettings
from tests.index.records import NOW, brief, fact, memory, message

SETTINGS = RecallSettings()
DAY = timedelta(days=1)


def weighed(record: Memory | Message | Fact, *, age: timedelta = timedelta(), **asked: Any) -> Candidate:
    candidate = Candidate(brief(record, age=age), fused=0.5)
    known: dict[str, Any] = {"now": NOW, "person_hints": frozenset(), "speaker": None, "age_counts": True}
    weigh(candidate, Asked(**{**known, **asked}), SETTINGS)
    return candidate


def test_a_plain_new_record_scores_what_the_lists_gave_it() -> None:
    assert weighed(memory()).score == 0.5


@pytest.mark.parametrize("record", [memory(pinned=True), message(pinned=True)])
def test_a_pinned_record_is_raised_and_does_not_age(record: Memory | Message) -> None:
    found = weighed(record, age=400 * DAY)
    assert (found.pinned, found.recency) == (SETTINGS.pinned_boost, 0)
    assert found.score == 0.5 + SETTINGS.pinned_boost


@pytest.mark.parametrize("record", [memory(person_id="p"), message(person_id="p"), fact(person_id="p")])
def test_a_record_about_a_hinted_person_is_raised(record: Memory | Message | Fact) -> None:
    assert weighed(record, person_hints=frozenset({"p", "q"})).person == SETTINGS.person_boost
    assert weighed(record, person_hints=frozenset({"q"})).person == 0
    assert weighed(record).person == 0


def test_a_record_about_nobody_gets_nothing_from_a_hint() -> None:
    assert weighed(memory(), person_hints=frozenset({"p"})).person == 0


@pytest.mark.parametrize(("days", "share"), [(0, 0.0), (45, 0.5), (90, 1.0), (4000, 1.0), (-7, 0.0)])
def test_age_takes_off_up_to_a_limit_and_the_future_adds_nothing(days: int, share: float) -> None:
    assert weighed(memory(), age=days * DAY).recency == pytest.approx(-SETTINGS.age_penalty * share)


def test_age_does_not_count_where_it_is_not_asked_for() -> None:
    assert weighed(memory(), age=90 * DAY, age_counts=False).score == 0.5


def test_what_the_named_participant_said_is_raised() -> None:
    assert weighed(message(name="Ines"), speaker="Ines").speaker == SETTINGS.speaker_boost
    assert weighed(message(name="Ines"), speaker="Noor").speaker == 0
    assert weighed(message(name="Ines")).speaker == 0
    assert weighed(message()).speaker == 0
    assert weighed(memory(), speaker="Ines").speaker == 0


PARTS = ("fused", "pinned", "person", "speaker", "answer", "recency", "rerank")


@given(st.lists(st.floats(-1, 1), min_size=len(PARTS), max_size=len(PARTS)))
def test_the_score_is_the_sum_of_its_parts(parts: list[float]) -> None:
    candidate = Candidate(brief(memory()))
    for name, value in zip(PARTS, parts, strict=True):
        setattr(candidate, name, value)
    assert candidate.score == pytest.approx(sum(parts))


def asked_and_answered(question: float, answer: float) -> tuple[Candidate, Candidate]:
    one = Candidate(brief(message("what?", 1)), fused=question)
    other = Candidate(brief(message("that.", 2)), fused=answer)
    inherit({"q": other}, {"q": one}, SETTINGS)
    return one, other


def test_an_answer_inherits_a_share_of_what_its_question_scores_above_the_floor() -> None:
    question, answer = asked_and_answered(0.75, 0.1)
    assert answer.answer == pytest.approx(SETTINGS.answer_share * (0.75 - SETTINGS.answer_floor))
    assert answer.score == pytest.approx(0.1 + answer.answer)
    assert question.score == 0.75


@given(st.floats(0, SETTINGS.answer_floor))
def test_a_question_that_scores_little_hands_on_nothing(score: float) -> None:
    assert asked_and_answered(score, 0.1)[1].answer == 0


def test_what_is_inherited_is_not_handed_on_again() -> None:
    first, second, third = (Candidate(brief(message("?", place)), fused=0.9) for place in (1, 2, 3))
    inherit({"a": second, "b": third}, {"a": first, "b": second}, SETTINGS)
    assert second.answer == third.answer


@pytest.mark.parametrize(
    "text",
    [
        "Where is it?", "Really?!", 'She asked "why?"', "(or not?)", "*sure?*", "哪里？", "أين القطة؟",
        "Где?  \n", "Have you seen this? [image: a cat on a roof]", "what?”", "Πού είναι\u037e",
        "今何時ですか。", "你吃了吗", "어디입니까",
    ],
)  # fmt: skip
def test_a_question_is_known_by_its_end_in_many_scripts(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text", ["", "Fine.", "Is it? I do not care.", "[a question?]", "?! no", "好的。", "100%"]
)
def test_a_statement_is_not_a_question(text: str) -> None:
    assert not is_question(text)
