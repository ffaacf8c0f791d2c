"""How prompts after a life story are judged, and that the stories are as their guide says."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from bench.stories import DATA, Shown, Tally, has, is_stale, judge, load, repeats
from bench.worth.units import HELD_OUT, turns

from bethink.models.worth import LABELS

QUESTION: dict[str, Any] = {
    "kind": "changed", "must": [["Gaia", "Vila Nova"]], "stale": ["Lisbon"], "never": ["hunter2"],
}  # fmt: skip


def right(*lines: str, question: dict[str, Any] = QUESTION) -> list[str]:
    return judge(question, Shown([], lines, 0), Tally())


def test_words_count_as_words_and_chinese_wherever_it_stands() -> None:
    assert has("lives in gaia now", "Gaia")
    assert not has("engaiad", "Gaia")
    assert has("我住在成都了", "成都")


def test_a_prompt_is_right_when_it_says_what_it_must_and_nothing_else() -> None:
    assert right("- 2025-03-02: moved to Gaia") == []
    assert right("- moved from Lisbon to Vila Nova") == []
    assert right("- lives in Gaia", "- lived in Lisbon until March 2025") == []
    assert right("- lives in Lisbon") == ["lacks 'Gaia'", "says 'Lisbon'"]
    assert right("- lives in Gaia", "- the password is hunter2") == ["must never say 'hunter2'"]


def test_an_unrelated_question_brings_no_line() -> None:
    unrelated = {"kind": "unrelated", "must": [], "stale": [], "never": []}
    assert right(question=unrelated) == []
    assert right("- likes tea", question=unrelated) == ["1 lines for nothing"]


def test_lines_that_say_nearly_the_same_are_counted() -> None:
    assert repeats(["- 2024-01-01: I like green tea", "- 2024-01-01: i like green tea", "- a cat"]) == 1


def test_a_line_about_the_past_is_not_stale() -> None:
    assert is_stale("lives in Lisbon", "Lisbon", [])
    assert not is_stale("used to live in Lisbon", "Lisbon", [])


@pytest.mark.parametrize("story", load("held-out") + load("others"), ids=lambda story: str(story["id"]))
def test_a_story_is_as_its_guide_says(story: dict[str, Any]) -> None:
    messages = [message for session in story["sessions"] for message in session["messages"]]
    said = "\n".join(message["content"] for message in messages).casefold()
    times = [datetime.fromisoformat(message["sent_at"]) for message in messages]
    assert 8 <= len(story["sessions"]) <= 14
    assert times == sorted(times)
    assert len(story["questions"]) == 8
    for question in story["questions"]:
        assert datetime.fromisoformat(question["asked_at"]) > times[-1]
        assert all(any(form.casefold() in said for form in forms) for forms in question["must"])
        assert all(text.casefold() in said for text in question["stale"] + question["never"])


def test_six_writers_are_held_out_and_every_unit_has_its_place() -> None:
    folder = DATA.parent / "writers"
    files = {path.stem: list(turns(path)) for path in sorted(folder.glob("w*.jsonl"))}
    assert len(files) >= 22
    assert set(HELD_OUT) <= set(files)
    for one in (turn for found in files.values() for turn in found):
        assert all(0 <= unit.start < unit.end <= len(one.text) for unit in one.units)
        assert all(unit.label < len(LABELS) for unit in one.units)
