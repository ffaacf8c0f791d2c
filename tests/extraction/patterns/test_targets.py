"""The figures that the rules must reach on the labelled set."""

from __future__ import annotations

from collections import Counter

from bench.extraction.labelled import Score, covers, judge, load

from bethink.extraction.patterns import extract


def scores() -> dict[str, Score]:
    languages, _ = judge(load(), extract)
    return languages


def test_the_set_is_large_enough_to_say_something() -> None:
    turns = Counter(turn.language for turn in load())
    assert turns["en"] >= 120
    assert all(turns[code] >= 30 for code in ("es", "de", "fr", "zh"))


def test_english_is_precise_and_finds_most() -> None:
    english = scores()["en"]
    assert english.precision >= 0.9
    assert english.recall >= 0.6


def test_the_other_languages_are_precise() -> None:
    assert all(score.precision >= 0.85 for score in scores().values())
    assert all(score.recall >= 0.5 for score in scores().values())


def test_nothing_that_must_not_be_stored_is_stored() -> None:
    leaked = [
        (turn.id, one.content)
        for turn in load()
        for one in extract(turn.text)
        if any(part in one.content for part in turn.never)
    ]
    assert leaked == []


def test_a_text_covers_a_gist_by_whole_words() -> None:
    assert covers("I am 34, and tall", "34 tall")
    assert not covers("I am 340", "34")
    assert covers("我在 Google工作", "google 工作")
