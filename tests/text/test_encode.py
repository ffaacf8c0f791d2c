from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.index.describe import LIMIT, aaak_text, cut, lean_text

NOON = datetime(2026, 3, 26, 4, 40, tzinfo=UTC)


def document(**changes: Any) -> str:
    fields: dict[str, Any] = {
        "text": "  Project feedback\n looked   good. ",
        "sent_at": NOON,
        "tier": "short",
        "media": [],
        "dimensions": {"platform": "slack", "channel": "product", "person": None},
        "metadata": {},
    }
    return aaak_text(**(fields | changes))


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 20, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("one two three four five\nsix. seven", 28, "one two three four five"),
        ("One two three four. Five six", 24, "One two three four."),
        ("One two three four five. Six", 24, "One two three four five."),
        ("one two three four; five six", 24, "one two three four;"),
        ("one two three four five six", 25, "one two three four five"),
        ("one two three four five six", 23, "one two three four five"),
        ("one twothreefourfivesixseven", 20, "one twothreefourfive"),
        ("我喜欢猫。我也喜欢狗很多很多", 6, "我喜欢猫。"),
        ("abc", 0, ""),
        ("abc", -1, ""),
        ("x" * 9 + "e\u0301e\u0301", 10, "x" * 9),
        ("x" * 8 + "👩\u200d💻!", 10, "x" * 8),
        ("x" * 9 + "👍🏽!", 10, "x" * 9),
        ("e" + "\u0301" * 100, 50, "e" + "\u0301" * 49),
    ],
)
def test_cut(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected


@given(st.text(st.sampled_from("ab \n.;!。\u0301\u200d👩🏽\ud83d\udc69猫")), st.integers(0, 60))
def test_cut_is_a_bounded_beginning(text: str, limit: int) -> None:
    piece = cut(text, limit)
    assert len(piece) <= limit
    assert text.startswith(piece)
    assert (piece == text) == (len(text) <= limit)


def test_the_six_lines() -> None:
    assert document(media=["photo.png", "voice.ogg"], metadata={"source": "import"}) == (
        "Text: Project feedback looked good.\n"
        "Time: 1774500000000\n"
        "Tier: short\n"
        "Media: photo.png, voice.ogg\n"
        "Dimensions: platform: slack; channel: product\n"
        "Metadata: source: import"
    )


def test_what_is_missing_is_none() -> None:
    lines = document(dimensions={"channel": None}).splitlines()
    assert lines[3:] == ["Media: none", "Dimensions: none", "Metadata: none"]


def test_metadata_is_flattened_sorted_and_private_keys_are_left_out() -> None:
    metadata = {
        "zone": "eu",
        "author": {"name": "Ana  B", "__secret": 1, "deep": {"er": "lost"}, "age": 7},
        "__raw": {"ignored": True},
        "flags": ["a", None, {"x": 1}, "b"],
        "empty": None,
        "read": True,
        "line": "one\ntwo",
    }
    assert document(metadata=metadata).splitlines()[5] == (
        "Metadata: author.age: 7; author.name: Ana B; flags: a, b; line: one two; read: true; zone: eu"
    )


def test_time_is_the_same_moment_in_any_zone() -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=9)))
    assert document(sent_at=elsewhere) == document() == document(sent_at=NOON.replace(tzinfo=None))


def test_a_long_text_gives_way_to_the_lines_around_it() -> None:
    lines = document(text="word " * 4000, metadata={"source": "import"}).splitlines()
    assert len(lines) == 6
    assert lines[5] == "Metadata: source: import"
    assert LIMIT * 0.75 < len("\n".join(lines)) <= LIMIT


@given(st.text(), st.text(), st.lists(st.text()), st.dictionaries(st.text(), st.text()))
def test_a_document_has_six_lines_and_a_bound(
    text: str, tier: str, media: list[str], metadata: dict[str, str]
) -> None:
    made = document(text=text * 900, tier=tier * 900, media=media * 300, metadata=metadata)
    assert len(made) <= LIMIT
    assert [line.split(":")[0] for line in made.split("\n")] == [
        "Text",
        "Time",
        "Tier",
        "Media",
        "Dimensions",
        "Metadata",
    ]


def test_lean_document() -> None:
    assert lean_text("  I like\n pizza ", "Ana") == "Ana: I like pizza"
    assert lean_text("I like pizza", None) == "I like pizza"
    assert lean_text("I like pizza", " ") == "I like pizza"
    assert LIMIT * 0.75 < len(lean_text("word " * 4000, "Ana")) <= LIMIT
