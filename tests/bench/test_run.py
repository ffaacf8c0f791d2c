from __future__ import annotations

from datetime import UTC, datetime

import pytest
from bench.quality.__main__ import settings_of
from bench.quality.cases import Case, Document, Question, Session, Turn
from bench.quality.report import markdown
from bench.quality.run import run
from bench.report import percentile, table

from bethink import AsyncBethink
from bethink.testing import HashEmbedder

AT = datetime(2023, 5, 8, 13, 5, tzinfo=UTC)
TALK = [
    Session("one", [Turn("D1:1", "I bought a drum.", AT, "Mia"), Turn("D1:2", "What colour?", AT, "Leo")]),
    Session("two", [Turn("D2:1", "The red kite flew.", AT, "Leo")]),
    Session("three", [Turn(f"D3:{n}", f"Nothing of note happened on day {n}.", AT, "Leo") for n in range(9)]),
]


async def test_what_is_asked_for_is_found_and_scored() -> None:
    talk = Case(
        "talk",
        [
            Question("q1", "Who bought the drum?", frozenset({"D1:1"}), "easy"),
            Question("q2", "Which kite flew?", frozenset({"D2:1"}), "easy"),
        ],
        TALK,
    )
    shelf = Case(
        "shelf",
        [Question("q3", "flute", frozenset({"b"}), "shelf")],
        documents=[Document("a", "Drums are loud."), Document("b", "It is of wood.", "Flute")],
    )
    async with AsyncBethink(":memory:", embedder=HashEmbedder()) as memory:
        scores = await run(memory, [talk, shelf], 50, lambda _: None)
    report = scores.report()
    assert (report["cases"], report["records"], report["questions"]) == (2, 14, 3)
    assert report["recall@5"] == report["mrr"] == report["session_recall@5"] == 1
    assert report["by_category"]["easy"]["questions"] == 2
    shown = markdown(
        report | {"dataset": "made up", "database": "SQLite", "tier": "fast", "embedding": "hashes"}
    )
    assert "| easy | 2 | 100.0 |" in shown


def test_settings_are_given_by_their_dotted_names() -> None:
    assert settings_of(["recall.candidates=100", "recall.rrf_k=60", "space=x"]) == {
        "recall": {"candidates": "100", "rrf_k": "60"},
        "space": "x",
    }


@pytest.mark.parametrize(
    ("percent", "value"), [(0, 1.0), (50, 2.0), (75, 3.0), (76, 4.0), (95, 4.0), (100, 4.0)]
)
def test_percentile(percent: float, value: float) -> None:
    assert percentile([3.0, 1.0, 4.0, 2.0], percent) == value


def test_a_table_has_a_dash_for_what_is_missing() -> None:
    lines = table([{"name": "a", "rate_per_s": 12345}, {"name": "b", "ms": 0.12345}]).splitlines()
    assert [cell.strip() for cell in lines[0].split("|")[1:-1]] == ["name", "rate per s", "ms"]
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == ["a", "12,345", "-"]
    assert [cell.strip() for cell in lines[3].split("|")[1:-1]] == ["b", "-", "0.123"]
