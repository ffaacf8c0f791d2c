"""Who is meant by a name, an alias, a role or a relation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bethink.people.resolve import resolve_person
from bethink.records import Person

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def person(id_: str, name: str, **fields: Any) -> Person:
    return Person(id=id_, space_id="s", display_name=name, created_at=NOW, updated_at=NOW, **fields)


FAMILY = [
    person("p1", "Tomás Núñez", role="primary", pronouns="he/him"),
    person("p2", "Sarah O’Neil", role="spouse", pronouns="she/her", aliases=["mom", "Dr. O'Neil"]),
    person("p3", "Jürgen", role="child"),
    person("p4", "李丽", role="奶奶"),
    person("p5", "Zoë", role="child", pronouns="she/her", aliases=["Bug"]),
    person("p6", "Bruno", role="guest"),
]


@pytest.mark.parametrize(
    ("ref", "id_"),
    [
        ("p3", "p3"),
        ("Tomás Núñez", "p1"),
        ("tomas nunez", "p1"),
        ("TOMÁS NÚÑEZ", "p1"),
        ("  tomás   núñez ", "p1"),
        ("Tomás", "p1"),
        ("tomas", "p1"),
        ("jurgen", "p3"),
        ("JÜRGEN", "p3"),
        ("zoe", "p5"),
        ("sarah o'neil", "p2"),
        ("Mom", "p2"),
        ("dr. o’neil", "p2"),
        ("bug", "p5"),
        ("李丽", "p4"),
        ("primary", "p1"),
        ("Spouse", "p2"),
        ("wife", "p2"),
        ("my wife", "p2"),
        ("My Mom", "p2"),
        ("esposa", "p2"),
        ("meine Frau", "p2"),
        ("ma femme", "p2"),
        ("我老婆", "p2"),
        ("husband", "p1"),
        ("grandma", "p4"),
        ("Oma", "p4"),
        ("guest", "p6"),
        ("invité", "p6"),
    ],
)
def test_one_person_is_found(ref: str, id_: str) -> None:
    found = resolve_person(ref, FAMILY)
    assert found.person is not None, found.reason
    assert found.person.id == id_
    assert [candidate.id for candidate in found.candidates] == [id_]


@pytest.mark.parametrize(
    ("ref", "ids"),
    [("child", ["p3", "p5"]), ("kids", ["p3", "p5"]), ("Kinder", ["p3", "p5"]), ("孩子", ["p3", "p5"])],
)
def test_what_could_be_several_is_nobody_and_lists_them(ref: str, ids: list[str]) -> None:
    found = resolve_person(ref, FAMILY)
    assert (found.person, found.reason) == (None, "ambiguous")
    assert [candidate.id for candidate in found.candidates] == ids


@pytest.mark.parametrize("ref", ["Bob", "", " ", "nephew", "Tom", "my", "我", "*", "\\", "(" * 50])
def test_nobody_is_made_up(ref: str) -> None:
    found = resolve_person(ref, FAMILY)
    assert (found.person, found.candidates, found.reason) == (None, [], "unknown")


def test_a_name_of_one_and_an_alias_of_another_could_be_either() -> None:
    people = [person("a", "Sam"), person("b", "Samantha", aliases=["sam"])]
    found = resolve_person("SAM", people)
    assert (found.person, found.reason) == (None, "ambiguous")
    assert {candidate.id for candidate in found.candidates} == {"a", "b"}


def test_a_shared_first_name_could_be_either_and_the_whole_name_is_one() -> None:
    people = [person("a", "Anna Berg"), person("b", "Anna Holm")]
    assert resolve_person("Anna", people).reason == "ambiguous"
    holm = resolve_person("anna holm", people).person
    assert holm is not None
    assert holm.id == "b"


def test_a_relation_asks_for_the_gender_it_names() -> None:
    people = [
        person("a", "A", role="child", pronouns="she/her"),
        person("b", "B", role="child", pronouns="he"),
    ]
    for ref, id_ in (("daughter", "a"), ("Sohn", "b")):
        found = resolve_person(ref, people).person
        assert found is not None
        assert found.id == id_
