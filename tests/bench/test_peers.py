"""The comparison with other systems: its workers, what is measured through them, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.corpus import Corpus
from bench.peers import measure, processes, stories
from bench.peers.environments import Unavailable
from bench.peers.processes import Worker
from bench.peers.systems import SAME, SYSTEMS, System, named
from bench.peers.tables import markdown
from bench.peers.workers.contract import Memory, packed, unpacked
from bench.quality.cases import Case, Question, Session, Turn
from hypothesis import given
from hypothesis import strategies as st

SAID = (
    "Luna ate my sandwich again",
    "My sister moved to Lisbon in March",
    "We bought a red canoe",
    "The dentist was closed on Monday",
    "I start as a nurse next week",
    "The concert was far too loud",
    "Tom broke his left arm while skiing",
    "The tomatoes on the balcony are ripe",
)


class Letters:
    """Vectors that say which letters a text has."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        self.asked.append(text)
        return self._vector(text)

    def documents(self, texts: Sequence[str]) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        counts = np.bincount(np.frombuffer(text.lower().encode(), np.uint8), minlength=384)
        return (counts / np.linalg.norm(counts)).astype(np.float32)


@pytest.fixture(autouse=True)
def results_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processes, "FOLDER", tmp_path / "results")


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def worker(letters: Letters) -> Iterator[Worker]:
    with Worker(
        System("words", "words", "an option"), letters, module="tests.bench.test_peers_words"
    ) as opened:
        yield opened


def memories(texts: Sequence[str] = SAID) -> list[Memory]:
    return [
        {"id": f"m{number}", "text": text, "speaker": "Ann", "session": "", "sent_at": ""}
        for number, text in enumerate(texts)
    ]


def conversation() -> Case:
    sent_at = datetime(2024, 5, 1, 12, tzinfo=UTC)
    turns = [Turn(f"t{number}", text, sent_at, "Ann") for number, text in enumerate(SAID)]
    asked = [Question("q", "Where did the sister move?", frozenset({"t1"}))]
    return Case("c", asked, [Session("s", turns)])


def test_a_worker_stores_and_finds(worker: Worker, letters: Letters) -> None:
    worker.index(memories())
    ids, took = worker.search("a red canoe", 2)
    assert ids[0] == "m2"
    assert len(ids) == 2
    assert letters.asked == ["a red canoe"]
    assert 0 < took.embed_seconds < took.seconds
    assert worker.resident_bytes() > 1_000_000


def test_a_worker_gets_its_option_and_an_empty_folder(worker: Worker) -> None:
    assert worker.search("where", 1)[0] == ["an option"]


def test_what_fails_in_a_worker_is_told(worker: Worker) -> None:
    with pytest.raises(Unavailable, match="search: LookupError: nothing is called that"):
        worker.search("fail", 1)
    assert worker.index(memories()).seconds > 0


def test_a_worker_that_ends_is_told_with_its_last_words(worker: Worker) -> None:
    with pytest.raises(Unavailable, match="the disk is full"):
        worker.search("end", 1)


def test_bethink_is_measured_through_the_same_contract(letters: Letters) -> None:
    (row,) = measure.quality(named("bethink-fast"), [conversation()], {SAME: letters})
    assert row["system"] == "bethink-fast"
    assert row["memories"] == len(SAID)
    assert row["recall@5"] == row["mrr"] == 1
    assert row["alone_ms_p50"] < row["search_ms_p50"]


def test_a_system_that_does_not_start_is_a_row_with_its_reason(letters: Letters) -> None:
    (row,) = measure.quality([System("none", "no_such_module")], [conversation()], {SAME: letters})
    assert "no_such_module" in row["problem"]
    assert "search_ms_p50" not in row


def test_speed_is_measured_with_what_was_stored_when_patience_ends(
    monkeypatch: pytest.MonkeyPatch, letters: Letters
) -> None:
    monkeypatch.setattr(measure, "AT_ONCE", 6)
    queries = ["the sister in Lisbon", "a canoe"]
    asked = np.array([letters.query(query) for query in queries])
    text = Corpus(SAID, np.array(letters.documents(SAID)), queries, asked)
    (all_of_it,) = measure.speed(named("bethink-fast"), text, {SAME: letters}, patience=60)
    (a_part,) = measure.speed(named("bethink-fast"), text, {SAME: letters}, patience=0)
    assert all_of_it["memories"] == len(SAID)
    assert a_part["memories"] == 6
    assert a_part["search_ms_p50"] > 0


@given(st.lists(st.floats(width=32, allow_nan=False)))
def test_vectors_survive_the_pipe(floats: list[float]) -> None:
    assert unpacked(packed(floats)) == floats


def test_systems_are_chosen_by_name() -> None:
    assert named(None) == SYSTEMS
    assert [system.name for system in named("mem0, bethink-fast")] == ["bethink-fast", "mem0"]
    with pytest.raises(ValueError, match="nobody"):
        named("mem0,nobody")


def test_tables_put_every_system_beside_bethink() -> None:
    def row(system: str, milliseconds: float, recall: float, queries: str = "same") -> dict[str, Any]:
        quality = {"recall@5": 0.5, "recall@10": recall, "recall@20": 0.9, "mrr": 0.4}
        times = dict.fromkeys(("search_ms_p95", "alone_ms_p50", "alone_ms_p95", "index_s_per_1k"), 1.0)
        named = {"system": system, "version": "1.0", "vectors": "same", "memories": 10, "resident_mb": 99}
        named |= {"queries": queries}
        return {**named, **times, "search_ms_p50": milliseconds, **quality}

    text = markdown(
        {
            "date": "today",
            "machine": "2 cores",
            "load_before": [1.0],
            "load_after": [],
            "vectors": "a model",
            "dataset": "locomo",
            "questions": 3,
            "quality": [
                row("bethink-fast", 10.0, 0.8),
                row("other", 55.0, 0.6),
                row("bethink-fast-own", 5.0, 0.8, "own"),
                row("other-own", 20.0, 0.6, "own"),
                {"system": "third", "vectors": "same", "problem": "no wheel"},
            ],
        }
    )
    assert "load average 1.0 before, unknown after" in text
    other = next(line for line in text.splitlines() if line.startswith("| other"))
    assert [cell.strip() for cell in other.split("|")][-3:-1] == ["5.50", "-20.0"]
    own = next(line for line in text.splitlines() if line.startswith("| other-own"))
    assert [cell.strip() for cell in own.split("|")][-3] == "4.00", "beside the Bethink that embeds too"
    assert "- third did not run: no wheel" in text


def test_a_story_through_another_system_brings_dated_lines_for_each_question(
    letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = "2025-03-02T19:12:00+00:00"
    story = {
        "sessions": [
            {
                "id": "s1",
                "messages": [
                    {"role": "user", "sent_at": sent, "content": "we bought\na red canoe"},
                    {"role": "assistant", "sent_at": sent, "content": "a fine boat"},
                ],
            }
        ],
        "questions": [{"ask": "a red boat"}, {"ask": "a fine thing"}],
    }
    assert [one["speaker"] for one in stories.said(story)] == ["", "assistant"]
    system = System("words", "words")
    module = "tests.bench.test_peers_words"
    monkeypatch.setattr(stories, "Worker", lambda one, vectors: Worker(one, vectors, module=module))
    assert list(stories.found(system, story, letters, 1)) == [
        ["- 2025-03-02: we bought a red canoe"],
        ["- 2025-03-02: a fine boat"],
    ]
