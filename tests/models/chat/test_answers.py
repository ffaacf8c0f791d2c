"""The JSON in an answer is found however the model wraps it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from bethink.models.chat import spoken, validated


class Answer(BaseModel):
    facts: list[str]


PROSE = st.text(st.characters(exclude_characters="{}[]`<", exclude_categories=["Cs"]), max_size=40)


@given(
    st.lists(st.text(), max_size=5), PROSE, PROSE, st.sampled_from(["{}", "```json\n{}\n```", "```\n{}```"])
)
def test_it_is_found_amid_prose_and_fences(facts: list[str], before: str, after: str, form: str) -> None:
    wrapped = before + "\n" + form.replace("{}", json.dumps({"facts": facts})) + "\n" + after
    assert validated(wrapped, Answer).facts == facts


@given(st.text())
def test_any_text_gives_an_answer_or_a_reason(text: str) -> None:
    reason = ""
    try:
        found = validated(text, Answer)
    except ValueError as problem:
        found, reason = None, str(problem)
    assert found or reason


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('<think>{"facts": ["no"]}</think>{"facts": ["yes"]}', ["yes"]),
        ('First {"a": 1}, then {"facts": ["yes"]}.', ["yes"]),
        ('Not {this} but {"facts": ["yes"]}', ["yes"]),
        ('```json\n{"wrong": 1}\n```\n```json\n{"facts": ["yes"]}\n```', ["yes"]),
        ('{"facts": ["a ``` b", "c } d"]} thanks', ["a ``` b", "c } d"]),
    ],
)
def test_the_first_that_fits_is_taken(text: str, facts: list[str]) -> None:
    assert validated(text, Answer).facts == facts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("<think>hm", "it is empty"),
        ("I found nothing.", "no valid JSON"),
        ('{"facts": ["a", ', "no valid JSON"),
        ("null", "no valid JSON"),
        ("[" * 100_000, "no valid JSON"),
        ('{"facts": [NaN]}', "no valid JSON"),
        ('{"facts": "my secret is 1234"}', "facts: Input should be a valid list"),
        ('{"notes": ["my secret is 1234"]}', "facts: Field required"),
    ],
)
def test_what_is_wrong_is_told_without_quoting(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        validated(text, Answer)
    assert "secret" not in str(caught.value)


def test_reasoning_is_not_spoken() -> None:
    assert spoken(" <think>\nlong\n</think>\n\nYes. ") == "Yes."
