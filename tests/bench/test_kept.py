"""What is stored, held against writers' labels: what counts as right, junk, a secret, twice, and outdated."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from bench.extraction.scores import Score, add_life, add_talk, label_table, life_table, table
from bench.kept import Kept, beside, holds, repeated, secret_values, tells_secret, two_values, verdict
from bench.worth.units import Turn, Unit

from bethink.models.worth.said import LABELS
from bethink.records import Fact

NOW = datetime(2025, 3, 2, tzinfo=UTC)


def turn(*parts: tuple[str, str], talk: str = "t1", **keeps: frozenset[str]) -> Turn:
    """A message of these units; `replaces` and `topics` are those of what is to be kept in it."""
    units, text = [], ""
    for label, words in parts:
        start = len(text) + bool(text)
        text = f"{text} {words}".strip()
        more = keeps if label == "keep" else {}
        units.append(Unit(start, len(text), LABELS.index(label), **more))  # type: ignore[arg-type]  # all sets
    return Turn("w", "en", "w ann", talk, "", text, tuple(units))


def fact(key: str, value: str, category: str = "identity") -> Fact:
    return Fact(
        id=f"{key} {value}",
        space_id="s",
        category=category,
        key=key,
        value=value,
        valid_from=NOW,
        created_at=NOW,
    )


SAID = turn(
    ("passing", "ugh long day"),
    ("keep", "we signed for the flat in Gaia"),
    ("request", "draft a note please"),
)


def test_a_text_stands_on_the_units_its_words_come_from() -> None:
    assert beside("long day, we signed for the flat", SAID).on == (2, 5, 0)


def test_offsets_hold_where_lower_case_is_longer() -> None:
    said = turn(("smalltalk", "Grüße aus der Straße"), ("keep", "ich wohne in Kiel"))
    assert beside("ich wohne in Kiel", said).on == (0, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we signed for the flat in Gaia", "keep"),
        ("long day we signed for the flat in Gaia", "keep"),
        ("draft a note please", "request"),
        ("a note please Gaia flat", "request"),
        ("the user bought a house by the sea", "unsaid"),
        ("flat in Gaia draft a note", "mixed"),
    ],
)
def test_what_most_of_a_memory_stands_on_decides(text: str, expected: str) -> None:
    assert verdict(text, [turn(("smalltalk", "hi")), SAID])[0] == expected


def test_chinese_counts_by_characters() -> None:
    said = turn(("passing", "今天好累。"), ("keep", "我住在成都，养了一只猫"))
    assert verdict("住在成都", [said])[0] == "keep"
    assert holds("我住在成都，养了一只", said, said.units[1])
    assert not holds("成都", said, said.units[1])


def test_values_of_secrets_are_codes_and_digits_in_words() -> None:
    assert secret_values("the door code is 4471# lol") == ["4471#"]
    assert secret_values("Altinn, password is Kaloryfer!1983.") == ["kaloryfer!1983"]
    assert secret_values("the alarm is four four one nine") == ["four four one nine"]
    assert secret_values("密码是190522，我妈的") == ["190522"]
    assert secret_values("one of the two knows that we kissed") == []


def test_a_secret_is_told_by_whatever_holds_its_value() -> None:
    said = turn(
        ("keep", "I moved to 4471 Elm Road"), ("secret", "the alarm code is 8812"), ("secret", "we kissed")
    )
    assert tells_secret("alarm code is 8812", [said])
    assert not tells_secret("the alarm code", [said])
    assert not tells_secret("we kissed", [said])
    assert not tells_secret("I moved to 4471 Elm Road", [said])


def test_active_memories_repeat_each_other_in_words_or_near_in_one_slot() -> None:
    east, near, far = (np.array(one, np.float32) for one in ([1, 0], [0.96, 0.28], [0.6, 0.8]))
    kept = [
        Kept("I live in Gaia", "home", vector=east),
        Kept("i live in gaia!", None),
        Kept("My place is in Gaia", "home", vector=near),
        Kept("Gaia is home", "trip", vector=east),
        Kept("Far away", "home", vector=far),
        Kept("I live in Gaia", "home", ended=True, vector=east),
    ]
    assert [(one.text, other.text) for one, other in repeated(kept)] == [
        ("i live in gaia!", "I live in Gaia"),
        ("My place is in Gaia", "I live in Gaia"),
    ]


def test_one_home_has_one_value_and_pets_may_be_many() -> None:
    homes = [fact("home", "Lisbon"), fact("city", "Gaia")]
    assert two_values(homes) == [homes]
    assert two_values([fact("home", "Lisbon"), fact("city", "lisbon")]) == []
    assert two_values([fact("home", "Lisbon"), fact("sister_home", "Gaia")]) == []
    assert two_values([fact("pet_name_luna", "Luna", "identity"), fact("pet_name_max", "Max")]) == []


def test_a_conversation_counts_every_memory_once_and_every_unit_to_keep() -> None:
    score = Score()
    idle = turn(("question", "what time is it in Tokyo"), ("secret", "my PIN is 8812"))
    kept = [
        Kept("we signed for the flat in Gaia"),
        Kept("draft a note please"),
        Kept("what time is it, my PIN is 8812"),
    ]
    add_talk(score, kept, [fact("home", "Gaia"), fact("name", "Tokyo")], [SAID, idle])
    assert (score.memories, score.verdicts["keep"], score.junk) == (3, 1, 2)
    assert (score.units, score.held, score.idle, score.secrets) == (1, 1, 1, 1)
    assert (score.facts, score.facts_right) == (2, 1)
    assert len(score.misses) == 4


def test_what_was_replaced_should_have_ended_and_nothing_else() -> None:
    home, dog = frozenset({"user home"}), frozenset({"user pet"})
    turns = [
        turn(("keep", "I live in Lisbon by the river"), talk="t1", topics=home),
        turn(("keep", "my dog Rex is old"), talk="t2", topics=dog),
        turn(("keep", "moved to Gaia last week"), talk="t3", topics=home, replaces=frozenset({"t1"})),
    ]
    kept = [
        Kept("I live in Lisbon by the river", ended=True),
        Kept("my dog Rex is old", ended=True),
        Kept("moved to Gaia last week"),
    ]
    score = Score()
    add_life(score, kept, [], turns)
    assert (score.active, score.outdated, score.outdated_ended) == (1, 1, 1)
    assert (score.lasting, score.lasting_ended) == (2, 1)


def test_tables_say_nothing_of_what_was_not_counted() -> None:
    score = Score()
    add_talk(score, [Kept("draft a note please")], [], [SAID])
    scores = {"en": score}
    assert table(scores).splitlines()[1].split()[:4] == ["en", "0.000", "0.000", "1.000"]
    assert life_table(scores).splitlines()[1].split() == ["en", "0", "0", "0", "-", "of", "0", "-", "of", "0"]
    assert label_table(scores).splitlines()[1].split() == ["request", "1", "1"]
