"""Whether words say that something of a slot changed."""

from __future__ import annotations

import pytest

from bethink.extraction.patterns.changes import says_change


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("the doctor swapped me to the weekly jab", "medicine"),
        ("she took me off metformin", "medicine"),
        ("me cambió a empagliflozina, que nadie puede pronunciar", "medicine"),
        ("subiu pra 150 da lamotrigina porque eu tava com auras", "medicine"),
        ("die Ärztin hat mich auf etwas anderes umgestellt", "medicine"),
        ("le médecin m'a passé à un autre comprimé", "medicine"),
        ("医生给我换成了别的药", "medicine"),
        ("we moved to Porto in May", "home"),
        ("I quit my job", "role"),
        ("we broke up", "relationship"),
    ],
)
def test_a_change_is_heard(words: str, slot: str) -> None:
    assert says_change(words, slot)


@pytest.mark.parametrize(
    ("words", "slot"),
    [("I take metformin with lunch", "medicine"), ("we moved to Porto", "pet"), ("I live in Porto", "home")],
)
def test_what_is_none_is_not(words: str, slot: str) -> None:
    assert not says_change(words, slot)
