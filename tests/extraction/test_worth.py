"""What of a message is kept, by what the model says and the rules find. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.patterns import extract
from bethink.extraction.worth import DOUBT, LONGEST, UNWORTHY, judge, moved, with_wishes, without_secrets
from bethink.models.worth import LABELS, Unit
from bethink.records import MemoryType

CHANCE = st.floats(0, 1)


def unit(text: str, words: str, worth: float = 0.95, harm: float = 0.0, **fields: Any) -> Unit:
    start = text.index(words)
    known: dict[str, Any] = {"label": "keep", "kind": "identity", "slot": "home", "sure": 0.9, "other": 0.0}
    known |= {"replaces": 0.0, "topic": bytes(48), **fields}
    return Unit(start, start + len(words), worth=worth, harm=harm, **known)


def kept(text: str, *units: Unit, least: float = 0.9) -> list[str]:
    return [one.content for one in judge(text, units, extract(text), least).kept]


@pytest.mark.parametrize(
    "text",
    [
        "Please answer me in short bullet points from now on.",
        "Antworte mir ab jetzt bitte immer auf Deutsch.",
        "A partir de agora responde em português.",
        "以后请用中文回答我。",
    ],
)
def test_how_to_answer_from_now_on_is_kept_though_it_is_a_request(text: str) -> None:
    asked = unit(text, text, worth=0.1, label="request", slot="answer-style")
    assert kept(text, *with_wishes(text, [asked]))
    moment = unit("Answer this one in German.", "Answer this one in German.", worth=0.1, slot="answer-style")
    assert with_wishes("Answer this one in German.", [moment]) == [moment]
    doubted = replace(asked, harm=0.9)
    assert with_wishes(text, [doubted]) == [doubted], "somebody else's words"


def test_a_unit_that_is_worth_it_is_kept_in_the_users_words() -> None:
    text = "Quick one:  my knee\nis sore. What helps?"
    sore, asks = unit(text, "my knee\nis sore."), unit(text, "What helps?", worth=0.1)
    assert kept(text, sore, asks) == ["my knee is sore"]
    assert kept(text, unit(text, "my knee\nis sore.", worth=0.89)) == []
    assert kept(text, unit(text, "my knee\nis sore.", worth=0.89), least=0.8) == ["my knee is sore"]
    assert kept(text, unit(text, "my knee\nis sore.", harm=DOUBT)) == []


def test_a_word_with_a_number_says_nothing_whatever_the_model_takes_it_for() -> None:
    assert [kept(text, unit(text, text)) for text in ("said 21", "Vegan now", "我是老师")] == [
        [],
        ["Vegan now"],
        ["我是老师"],
    ]


def test_few_words_are_kept_with_the_sentence_before_them() -> None:
    text = "My sister lives in Leeds. Since June. What helps? Blue one. Sold it."
    sister, since, asks = (
        unit(text, words) for words in ("My sister lives in Leeds.", "Since June.", "What helps?")
    )
    assert kept(text, sister, since) == ["My sister lives in Leeds. Since June"]
    (both,) = judge(text, [sister, since], [], 0.9).kept
    assert (both.number, both.units) == (0, 2)
    asks = replace(asks, worth=0.0)
    blue, sold = unit(text, "Blue one."), unit(text, "Sold it.", worth=0.98)
    assert kept(text, asks, blue) == [], "alone, it says nothing"
    assert kept(text, asks, sold) == ["Sold it"], "but for what is surely worth it"
    assert kept(
        "我姐姐住在利兹。六月起。",
        *(unit("我姐姐住在利兹。六月起。", one) for one in ("我姐姐住在利兹。", "六月起。")),
    ) == ["我姐姐住在利兹。六月起"]


def test_a_rule_needs_more_among_many_sentences() -> None:
    text = "Good morning. It is raining here. I hate sprouts."
    units = [
        unit(text, words, worth=0.03) for words in ("Good morning.", "It is raining here.", "I hate sprouts.")
    ]
    assert kept(text, *units) == []
    assert kept(text, *units[1:]) == ["I hate sprouts"]


def test_what_a_rule_finds_is_kept_unless_the_model_is_against_it() -> None:
    text = "I live in Lisbon."
    assert kept(text, unit(text, text, worth=0.2)) == ["I live in Lisbon"]
    for against in (unit(text, text, worth=0.005), unit(text, text, worth=0.2, harm=0.8)):
        judged = judge(text, [against], extract(text), 0.9)
        assert (judged.kept, judged.facts, judged.left_out) == ([], [], [UNWORTHY])
    judged = judge(text, [unit(text, text)], extract(text), 0.9)
    assert [one.value for one in judged.facts] == ["Lisbon"]
    assert judged.kept[0].found is not None
    assert judged.kept[0].found.key == "identity:home"


def test_what_is_asked_for_is_kept_whatever_the_model_says() -> None:
    text = "Remember that the bins go out on Monday."
    (content,) = kept(text, unit(text, text, worth=0.0, harm=1.0, label="pasted"))
    assert "bins go out on Monday" in content


def test_a_secret_is_not_kept_even_if_the_model_wants_it() -> None:
    text = "My password is hunter2-Xy9!kk. I live in Lisbon."
    units = [unit(text, "My password is hunter2-Xy9!kk."), unit(text, "I live in Lisbon.")]
    told = without_secrets(text, units)
    assert [one.label for one in told] == ["secret", "keep"]
    assert kept(text, *told) == ["I live in Lisbon"]


def test_a_plan_belongs_to_its_time_and_a_habit_does_not() -> None:
    text = "We fly to Rome in May."
    for kind, type_ in (("plan", MemoryType.EPISODIC), ("habit", MemoryType.FACTUAL)):
        (one,) = judge(text, [unit(text, text, kind=kind)], [], 0.9).kept
        assert one.type == type_


def test_units_of_a_part_are_found_in_the_whole_and_keep_their_numbers() -> None:
    text, whole = "I ski. I swim. I run.", "[memory] I ski. [memory] I sw-im. I run."
    units = [unit(text, words) for words in ("I ski.", "I swim.", "I run.")]
    found = moved(units, text, whole)
    assert {number: whole[one.start : one.end] for number, one in found.items()} == {0: "I ski.", 2: "I run."}
    assert moved(units, text, text) == dict(enumerate(units))


@st.composite
def read_message(draw: st.DrawFn) -> tuple[str, list[Unit]]:
    pieces = st.sampled_from(
        [
            "I live in Lisbon. ",
            "I'm allergic to nuts. ",
            "What? ",
            "我喜欢喝茶。",
            "remember: buy milk. ",
            "🎉 ",
            "x" * 600,
        ]
    )
    parts = draw(st.lists(pieces, max_size=8))
    units, start = [], 0
    for part in parts:
        label = draw(st.sampled_from(LABELS))
        units.append(
            Unit(
                start,
                start + len(part),
                draw(CHANCE),
                label,
                draw(CHANCE),
                "plan",
                "home",
                draw(CHANCE),
                draw(CHANCE),
                draw(CHANCE),
                bytes(48),
            )
        )
        start += len(part)
    return "".join(parts), units


@given(read_message(), CHANCE)
def test_nothing_is_kept_that_was_not_said_or_is_told_in_confidence(
    read: tuple[str, list[Unit]], least: float
) -> None:
    text, units = read
    judged = judge(text, units, extract(text), least)
    said = " ".join(text.split())
    for one in judged.kept:
        assert " ".join(one.content.split()) in said
        assert len(one.content) <= LONGEST
        assert one.unit is units[one.number]
        assert one.unit.label != "secret"
        ruled = one.found is not None
        assert ruled or (one.unit.worth >= least and one.unit.harm < DOUBT)
