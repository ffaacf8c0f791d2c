from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.traces import LONG, Traces


@given(st.text(min_size=LONG), st.text(), st.text())
def test_a_long_text_is_found_inside_of_others_and_of_json(needle: str, before: str, after: str) -> None:
    traces = Traces([needle])
    if len(needle.casefold().strip()) >= LONG:
        assert (
            traces.text_in(before + needle + after)
            or before.casefold() + needle.casefold() != (before + needle).casefold()
        )
        assert traces.text_in(json.dumps({"a": ["b", {"c": needle}]}))


@pytest.mark.parametrize(
    ("value", "found"),
    [("tea", True), (" TEA ", True), ("Ana drinks tea", False), ('{"value": "Tea"}', True), ("", False)],
)
def test_a_short_text_is_found_only_where_it_is_all_that_is_said(value: str, found: bool) -> None:
    assert Traces(["tea"]).text_in(value) is found


def test_a_part_is_found_anywhere() -> None:
    assert Traces(parts=["Tea"]).text_in("some steak, a teapot")
    assert not Traces(parts=["Tea"]).text_in("coffee")


def test_an_id_is_found_alone_and_inside_of_text() -> None:
    id_ = "0190c2f5-1111-7000-8000-0123456789ab"
    traces = Traces(ids=[id_, "chat"])
    assert traces.id_in(id_)
    assert traces.id_in("chat")
    assert traces.id_in(f'["{id_}"]')
    assert not traces.id_in("chatter")
    assert not traces.id_in(id_.replace("0190", "0191"))
