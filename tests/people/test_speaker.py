"""Who is speaking, case by case: the cases are in speakers.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.people.resolve import lexicons
from bethink.people.speaker import infer_speaker, person_hints
from bethink.records import Mode, Person
from bethink.shapes.households import Speaker

CASES = tomllib.loads(Path(__file__).with_name("speakers.toml").read_text("utf-8"))
LANGUAGES = ("english", "spanish", "german", "french", "chinese")
NOW = datetime(2025, 1, 1, tzinfo=UTC)


def household(name: str) -> list[Person]:
    known: dict[str, Any] = {"space_id": "s", "created_at": NOW, "updated_at": NOW}
    return [Person(**known, **fields) for fields in CASES["households"][name]["persons"]]


def infer(case: dict[str, Any]) -> Speaker:
    home = CASES["households"][case["household"]]
    owner = home["devices"].get(case.get("device", ""), "") or None
    return infer_speaker(
        case["says"],
        household(case["household"]),
        mode=home["mode"],
        device_person_id=owner,
        voice_id=case.get("voice"),
    )


def sentences() -> Iterator[Any]:
    for language in LANGUAGES:
        for group in CASES[language]:
            for case in group["sentences"]:
                yield pytest.param(
                    {"household": group["household"], **case}, id=f"{language}: {case['says']}"
                )


@pytest.mark.parametrize("case", CASES["table"], ids=lambda case: case["why"])
def test_the_ways_to_tell_go_in_their_order(case: dict[str, Any]) -> None:
    found = infer(case)
    assert (found.person_id or "", found.reason, found.confidence) == (
        case["speaker"],
        case["reason"],
        case["confidence"],
    )
    assert found.mentioned == case.get("spoken_of", found.mentioned)


@pytest.mark.parametrize("case", list(sentences()))
def test_the_words_tell_who_speaks(case: dict[str, Any]) -> None:
    found = infer(case)
    assert (found.person_id or "") == case["speaker"]
    assert (found.reason, found.confidence) == (("words", "medium") if case["speaker"] else ("none", "low"))
    assert set(case.get("not", ())) <= set(found.ruled_out)
    assert set(found.mentioned) == set(case.get("spoken_of", ()))


def test_there_are_enough_cases_in_every_language() -> None:
    assert len(CASES["table"]) == 8
    counts = {language: sum(len(group["sentences"]) for group in CASES[language]) for language in LANGUAGES}
    assert sum(counts.values()) >= 40
    assert min(counts.values()) >= 8


def test_the_hints_are_who_speaks_and_then_who_is_spoken_of() -> None:
    found = infer({"household": "millers", "says": "my wife is cooking"})
    assert person_hints(found) == ["tom", "sarah"]
    nobody = infer({"household": "millers", "says": "As Sarah said"})
    assert person_hints(nobody) == ["sarah"]


def test_two_people_of_one_name_cannot_be_told_apart_by_it() -> None:
    known: dict[str, Any] = {"space_id": "s", "created_at": NOW, "updated_at": NOW}
    people = [
        Person(id="a", display_name="Anna Berg", **known),
        Person(id="b", display_name="Anna Holm", **known),
        Person(id="c", display_name="Carl", **known),
    ]
    found = infer_speaker("This is Anna", people, mode=Mode.MULTI)
    assert (found.person_id, found.ruled_out) == (None, ["c"])
    assert infer_speaker("This is Anna Holm", people, mode=Mode.MULTI).person_id == "b"


@pytest.mark.parametrize(
    "says",
    [
        "<document>I'm Sarah and my wife is cooking.</document> summarise this",
        "Fix the grammar:\n\nI'm Sarah, Tom's wife.",
        "Translate to German: this is Leo speaking",
        "---\nI'm Sarah\n---\nany good?",
        "From: Sarah\nTo: Tom\nSubject: me\n\nI'm Sarah.",
        "I'm Sarah and I live here. " * 100 + "\n\nProofread this text please",
    ],
)
def test_a_text_that_is_handed_over_does_not_tell_who_speaks(says: str) -> None:
    assert infer({"household": "millers", "says": says}).person_id is None
    assert infer({"household": "millers", "says": f"I'm Tom. {says}"}).person_id in ("tom", None)


def test_what_is_said_before_it_does() -> None:
    says = "I'm Tom. Translate this: I'm Sarah."
    assert infer({"household": "millers", "says": says}).person_id == "tom"


def test_words_that_contradict_one_another_tell_nothing() -> None:
    found = infer({"household": "millers", "says": "I'm Tom. No, I'm Sarah."})
    assert (found.person_id, found.reason, found.ruled_out) == (None, "none", [])


def test_every_language_has_every_relation() -> None:
    kinds = {lexicon.language: {r.kind for r in lexicon.relations.values()} for lexicon in lexicons()}
    assert set(kinds) == {"de", "en", "es", "fr", "zh"}
    assert all(found == kinds["en"] for found in kinds.values())


@given(text=st.text(), name=st.text(min_size=1).filter(str.strip), alias=st.text())
def test_no_text_and_no_name_breaks_it(text: str, name: str, alias: str) -> None:
    known: dict[str, Any] = {"space_id": "s", "created_at": NOW, "updated_at": NOW}
    people = [
        Person(id="a", display_name=name, aliases=[alias], role=alias, pronouns=name, **known),
        Person(id="b", display_name="Bo", **known),
    ]
    for said in (text, f"{name} {text} {alias}", f"I'm {name}"):
        found = infer_speaker(said, people, mode=Mode.MULTI)
        assert found.person_id in (None, "a", "b")
        assert found.person_id not in found.mentioned
