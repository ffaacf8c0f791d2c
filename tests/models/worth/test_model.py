"""The packaged model: what it makes of messages, and that no message is too much for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from bethink.models.weights import MODELS, InFolder
from bethink.models.worth import KINDS, LABELS, SLOTS, TOPIC, Worth, WorthModel, load_worth
from bethink.models.worth.model import LONGEST
from bethink.models.worth.said import likeness


@pytest.fixture(scope="module")
def model() -> WorthModel:
    return load_worth()


def test_what_is_worth_keeping_is_told_from_a_question(model: WorthModel) -> None:
    text = "I work as a nurse at St Mary's hospital. What is the capital of Peru?"
    said, asked = model.read("", text)
    assert (text[said.start : said.end], said.label) == ("I work as a nurse at St Mary's hospital.", "keep")
    assert said.worth > 0.9 > 0.1 > asked.worth
    assert said.slot in ("employer", "role")
    assert asked.label == "question"


def test_statements_on_one_thing_are_nearer_than_others(model: WorthModel) -> None:
    old, new, other = (
        model.read("", text)[0].topic
        for text in (
            "I live in Lisbon with my two cats.",
            "I moved to Porto last week.",
            "I'm allergic to peanuts.",
        )
    )
    assert likeness(old, old) == pytest.approx(1)
    assert likeness(old, new) > likeness(old, other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\n\n",
        "\u200b",
        "\x00",
        "🎉👩‍👩‍👧‍👦" * 200,
        "我对花生过敏，住在上海。我喜欢喝茶。" * 100,
        "أعيش في القاهرة وأنا طبيب. " * 100,
        "x" * 300_000,
        "I live in Lisbon and I work as a nurse. " * 8_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_any_message_is_read_in_bounds(model: WorthModel, text: str) -> None:
    units = model.read(text[:1000], text)
    assert len(units) <= LONGEST
    last = 0
    for unit in units:
        assert last <= unit.start < unit.end <= len(text)
        assert 0 <= unit.worth <= 1
        assert 0 <= unit.harm <= 1.001
        assert (unit.label in LABELS, unit.kind in KINDS, unit.slot in SLOTS) == (True, True, True)
        assert len(unit.topic) == TOPIC
        last = unit.end
    if len(text) > LONGEST:
        assert units[-1].end > len(text) - LONGEST, "the end is read too"


def test_switched_off_it_says_so_and_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bethink.models.worth.service.load_worth", lambda: pytest.fail("it was loaded"))
    off = Worth(enabled=False)
    assert off.read_now("", "I live in Lisbon.") is None
    assert (off.problem, off.state) == ("extraction.worth is off", "off")


def test_missing_it_says_so_once_and_the_rules_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(MODELS, "worth", replace(MODELS["worth"], where=InFolder(tmp_path)))
    missing = Worth()
    assert (missing.problem, missing.state) == (None, "missing"), "nobody has asked it yet"
    with caplog.at_level(logging.WARNING):
        assert missing.read_now("", "I live in Lisbon.") is None
        assert missing.read_now("", "I live in Lisbon.") is None
    assert missing.problem is not None
    assert f"put its files into {tmp_path}" in missing.problem
    assert len(caplog.records) == 1


def test_it_says_whether_it_was_loaded_and_whether_its_files_are_damaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worth = Worth()
    states = [worth.state]
    assert worth.read_now("", "I live in Lisbon.")
    assert [*states, worth.state] == ["unopened", "ready"]
    for name in MODELS["worth"].files:
        (tmp_path / name).write_text("{}")
    monkeypatch.setitem(MODELS, "worth", replace(MODELS["worth"], where=InFolder(tmp_path)))
    damaged = Worth()
    assert damaged.read_now("", "I live in Lisbon.") is None
    assert damaged.state == "failing"
    assert "is not the file it should be" in str(damaged.problem)
