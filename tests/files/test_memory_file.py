"""MEMORY.md as text: what is written can be read back, and what edits mean."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.files.memory_file import Ref, edits, parse, ref_of, render
from bethink.records import Fact
from bethink.text.fold import bare

AT = datetime(2025, 1, 1, tzinfo=UTC)
words = st.text(min_size=1, max_size=20).filter(bool)
NAMES = {"p1": "Sarah", "p2": "Tomás (Tom): Núñez\\"}
PEOPLE = {bare(name) for name in NAMES.values()}


def fact(category: str, key: str, value: str, person_id: str | None = None, **fields: Any) -> Fact:
    known = {"id": f"{category}/{key}/{person_id}", "space_id": "s", "valid_from": AT, "created_at": AT}
    return Fact.model_validate(
        {**known, "category": category, "key": key, "value": value, "person_id": person_id, **fields}
    )


def test_the_file_reads_well() -> None:
    facts = [
        fact("preferences", "coffee_order", "Flat white", "p1"),
        fact("preferences", "coffee_order", "Oat milk latte"),
        fact("home", "wifi: guest", "two\nlines"),
    ]
    assert (
        render(facts, NAMES)
        == """# Memory

<!-- Bethink writes this file. Change a value, add a line or delete one: it will be taken over. -->

## home

- wifi\\: guest: two\\nlines

## preferences

- coffee_order: Oat milk latte
- coffee_order (Sarah): Flat white
"""
    )


def test_without_facts_there_is_no_file() -> None:
    assert render([], NAMES) == ""


@given(st.lists(st.tuples(words, words, words, st.sampled_from([None, "p1", "p2"])), max_size=8))
def test_what_is_written_is_read_back(items: list[tuple[str, str, str, str | None]]) -> None:
    facts = {(category, key, who): fact(category, key, value, who) for category, key, value, who in items}
    found = parse(render(facts.values(), NAMES), PEOPLE)
    assert found.problems == []
    assert found.values == {ref_of(fact, NAMES): fact.value for fact in facts.values()}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    found = parse(text, PEOPLE)
    assert all(ref.key and value for ref, value in found.values.items())


@pytest.mark.parametrize(
    ("line", "ref", "value"),
    [
        ("- coffee: oat milk", Ref("", "general", "coffee"), "oat milk"),
        ("*  coffee :   oat: milk  ", Ref("", "general", "coffee"), "oat: milk"),
        ("+ coffee (SARAH): flat white", Ref("sarah", "general", "coffee"), "flat white"),
        ("- phone (work): 123", Ref("", "general", "phone (work)"), "123"),
        ("- time: 12:30", Ref("", "general", "time"), "12:30"),
        ("  - indented: yes", Ref("", "general", "indented"), "yes"),
        ("- url: https://example.org/(a)", Ref("", "general", "url"), "https://example.org/(a)"),
    ],
)
def test_lines_that_people_write(line: str, ref: Ref, value: str) -> None:
    found = parse(f"# My notes\r\n{line}\r\n", PEOPLE)
    assert (found.values, found.problems) == ({ref: value}, [])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("just words", "line 1 is not '- key: value'"),
        ("- no colon", "line 1 is not '- key: value'"),
        ("- key:", "line 1 has no value; delete the line to forget the fact"),
        ("- : value", "line 1 has no key"),
    ],
)
def test_lines_that_mean_nothing_are_named(line: str, problem: str) -> None:
    assert parse(line, PEOPLE).problems == [problem]


def test_a_second_line_about_the_same_is_named() -> None:
    found = parse("- a: 1\n- a: 2", PEOPLE)
    assert (found.values, found.problems) == (
        {Ref("", "general", "a"): "1"},
        ["line 2 is about the same as a line before it"],
    )


A, B = Ref("", "c", "a"), Ref("", "c", "b")


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "shown", "asked"),
    [
        pytest.param({A: "1"}, {A: "1"}, {A: "2"}, {A}, ({}, [], 0), id="untouched"),
        pytest.param({A: "1"}, {A: "2"}, {A: "1"}, {A}, ({A: "2"}, [], 0), id="changed"),
        pytest.param({A: "1"}, {A: "2"}, {A: "2"}, {A}, ({}, [], 0), id="changed alike"),
        pytest.param({A: "1"}, {A: "2"}, {A: "3"}, {A}, ({}, [], 1), id="changed both"),
        pytest.param({A: "1"}, {A: "2"}, {}, set(), ({}, [], 1), id="changed here, forgotten there"),
        pytest.param({A: "1"}, {}, {A: "1"}, {A}, ({}, [A], 0), id="deleted"),
        pytest.param({A: "1"}, {}, {}, set(), ({}, [], 0), id="deleted alike"),
        pytest.param({A: "1"}, {}, {A: "3"}, {A}, ({}, [], 1), id="deleted here, changed there"),
        pytest.param({}, {A: "1"}, {}, set(), ({A: "1"}, [], 0), id="added"),
        pytest.param({}, {A: "1"}, {A: "2"}, set(), ({A: "1"}, [], 0), id="added over one not shown"),
        pytest.param({}, {A: "1"}, {A: "2"}, {A}, ({}, [], 1), id="added both"),
        pytest.param({A: "1", B: "1"}, {A: "2"}, {A: "1", B: "1"}, {A, B}, ({A: "2"}, [B], 0), id="two"),
    ],
)
def test_what_edits_ask_for(
    base: dict[Ref, str],
    theirs: dict[Ref, str],
    ours: dict[Ref, str],
    shown: set[Ref],
    asked: tuple[dict[Ref, str], list[Ref], int],
) -> None:
    found = edits(base, theirs, ours, shown)
    assert (found.set, found.drop, len(found.conflicts)) == asked
