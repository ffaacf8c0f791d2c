"""What a chat model says is kept where users said it themselves, in earnest."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bethink.extraction.extractors.evidence import HANDED_OVER, NOT_IN_EARNEST, UNSAID, Evidence
from bethink.extraction.worth import UNWORTHY
from bethink.models.worth import Unit, Worth
from tests.extraction.extractors.turns import reply, said

TOLD, PLAY, ASKED = "I moved to Oslo in May.", "You are Captain Bo, I sail a ship.", "Write a poem on rain."
TURNS = [said(1, f"{TOLD} {PLAY} {ASKED}"), reply(2)]


class Scripted(Worth):
    """A model of worth that says what it was told of each sentence: its worth, and its harm."""

    def __init__(self, sentences: Mapping[str, tuple[float, float]]) -> None:
        super().__init__()
        self.sentences, self.read_before = sentences, list[str]()

    def read_now(self, before: str, text: str) -> list[Unit] | None:
        self.read_before.append(before)
        return [
            Unit(start, start + len(one), worth, "keep", harm, "event", "home", 0.0, 0.0, 0.0, b"")
            for one, (worth, harm) in self.sentences.items()
            if (start := text.find(one)) >= 0
        ]


def model() -> Scripted:
    return Scripted({TOLD: (0.9, 0.0), PLAY: (0.5, 0.8), ASKED: (0.1, 0.0)})


@pytest.mark.parametrize(
    ("text", "large", "small"),
    [
        ("The user moved to Oslo.", None, None),
        ("The user sails a ship.", NOT_IN_EARNEST, NOT_IN_EARNEST),
        ("The user wants a poem on rain.", None, UNWORTHY),
        ("The user is vegan.", None, UNSAID),
    ],
)
def test_what_is_kept_of_a_message(text: str, large: str | None, small: str | None) -> None:
    assert Evidence(TURNS, model()).why_not(text, TURNS[:1]) == large
    assert Evidence(TURNS, model(), small=True).why_not(text, TURNS[:1]) == small


def test_what_is_asked_for_needs_no_worth_but_earnest() -> None:
    evidence = Evidence(TURNS, model(), small=True)
    assert evidence.why_not("a poem on rain", TURNS[:1], asked=True) is None
    assert evidence.why_not("sails a ship", TURNS[:1], asked=True) == NOT_IN_EARNEST


def test_without_a_model_of_worth_only_what_is_handed_over_is_left_out() -> None:
    pasted = said(1, "My name is Anna.\n\nFix the grammar:\n\nI am Bob, I sail a ship")
    for evidence in (Evidence([pasted]), Evidence([pasted], Worth(enabled=False), small=True)):
        assert evidence.why_not("Bob sails a ship", [pasted]) == HANDED_OVER
        assert evidence.why_not("Anna", [pasted]) is None
    assert Evidence(TURNS).why_not("The user sails a ship.", TURNS[:1]) is None


def test_a_secret_is_left_out_whatever_the_model_says() -> None:
    turn = said(1, "The password of my router is hunter2!, keep it.")
    evidence = Evidence([turn], Scripted({turn.content: (0.9, 0.0)}))
    assert evidence.why_not("router is kept", [turn]) == NOT_IN_EARNEST


def test_each_message_is_read_once_after_the_one_before_it() -> None:
    worth, third = model(), said(3, TOLD)
    evidence = Evidence([*TURNS, third], worth, before="Hello!")
    for _ in range(2):
        evidence.why_not("Oslo", [TURNS[0], third])
    assert worth.read_before == ["Hello!", "I see."]
