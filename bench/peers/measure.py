"""What is measured: how well each system finds the evidence, and how fast it is on a large store."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, TypeVar

from bench.corpus import Corpus
from bench.peers.environments import Unavailable, version_of
from bench.peers.processes import Took, VectorSource, Worker, say
from bench.peers.systems import System
from bench.peers.workers.contract import Memory, spoken
from bench.quality.cases import Case, Question
from bench.quality.metrics import recall_at, reciprocal_rank
from bench.report import p50_p95

RECALL_AT = (5, 10, 20)
DEPTH = max(RECALL_AT)
SPEED_DEPTH = 10  # hits asked for on a large store
AT_ONCE = 5000  # memories handed over at a time
IN_TURN = 10  # queries one system answers before it is the next one's turn
WARM_UP = 5

T = TypeVar("T")


@dataclass
class Measured:
    """What one system did."""

    indexed: int = 0
    indexing: list[Took] = field(default_factory=list)
    searches: list[Took] = field(default_factory=list)
    resident: int = 0
    scores: list[dict[str, float]] = field(default_factory=list)

    def index(self, worker: Worker, memories: Sequence[Memory]) -> None:
        """Store memories."""
        self.indexing.append(worker.index(memories))
        self.indexed += len(memories)

    def search(self, worker: Worker, query: str, k: int) -> list[str]:
        """The ids of the best k."""
        ids, took = worker.search(query, k)
        self.searches.append(took)
        return ids

    def row(self) -> dict[str, Any]:
        """Times are whole, with the query's embedding, unless they are called `alone`."""
        alone = sum(took.alone for took in self.indexing)
        return {
            "memories": self.indexed,
            "index_s_per_1k": round(1000 * alone / self.indexed, 3),
            **p50_p95("search", [took.seconds for took in self.searches]),
            **p50_p95("alone", [took.alone for took in self.searches]),
            "resident_mb": round(self.resident / 1e6),
            **({name: round(fmean(one[name] for one in self.scores), 4) for name in self.scores[0]}
               if self.scores else {}),
        }  # fmt: skip


def quality(
    systems: Sequence[System], cases: Sequence[Case], embeddings: Mapping[str, VectorSource]
) -> list[dict[str, Any]]:
    """Every case in a new store of each system; all its questions."""
    memories = {case.id: list(turns_of(case)) for case in cases}
    say("embedding the memories, once for all systems")
    for embedding in embeddings.values():
        embedding.documents([spoken(memory) for turns in memories.values() for memory in turns])
    rows, runs = _rows(systems), {system.name: Measured() for system in systems}
    for case in cases:
        say(f"{case.id}: {case.size:,} memories, {len(case.questions)} questions")
        with ExitStack() as opened:
            ready: dict[str, Worker] = {}
            for system in systems:
                if "problem" not in rows[system.name]:
                    with _noting(rows[system.name]):
                        worker = opened.enter_context(Worker(system, embeddings[system.vectors]))
                        runs[system.name].index(worker, memories[case.id])
                        ready[system.name] = worker
            for name, question in _in_turn(ready, case.questions, rows):
                with _noting(rows[name]):
                    found = runs[name].search(ready[name], question.text, DEPTH)
                    runs[name].scores.append(_scores(found, question))
            for name, worker in _working(ready, rows):
                with _noting(rows[name]):
                    runs[name].resident = max(runs[name].resident, worker.resident_bytes())
    return _finished(rows, runs)


def speed(
    systems: Sequence[System], text: Corpus, embeddings: Mapping[str, VectorSource], patience: float
) -> list[dict[str, Any]]:
    """One large store each, then the queries.

    A system that has not stored everything when its time is up is asked with what it has by then.
    """
    sentences: list[Memory] = [
        {"id": str(place), "text": sentence, "speaker": "", "session": "", "sent_at": ""}
        for place, sentence in enumerate(text.texts)
    ]
    rows, runs = _rows(systems), {system.name: Measured() for system in systems}
    with ExitStack() as opened:
        ready: dict[str, Worker] = {}
        for system in systems:
            if "problem" not in rows[system.name]:
                with _noting(rows[system.name]):
                    worker = opened.enter_context(Worker(system, embeddings[system.vectors]))
                    _fill(system, worker, sentences, patience, runs[system.name])
                    for query in text.queries[:WARM_UP]:
                        worker.search(query, SPEED_DEPTH)
                    ready[system.name] = worker
        for name, query in _in_turn(ready, text.queries, rows):
            with _noting(rows[name]):
                runs[name].search(ready[name], query, SPEED_DEPTH)
        for name, worker in _working(ready, rows):
            with _noting(rows[name]):
                runs[name].resident = worker.resident_bytes()
    return _finished(rows, runs)


def turns_of(case: Case) -> Iterator[Memory]:
    """The turns of a conversation as memories."""
    for session in case.sessions:
        for turn in session.turns:
            yield {
                "id": turn.id,
                "text": turn.text,
                "speaker": turn.speaker or "",
                "session": session.id,
                "sent_at": turn.sent_at.isoformat() if turn.sent_at else "",
            }


def _rows(systems: Sequence[System]) -> dict[str, dict[str, Any]]:
    """A row for each system, with its version, or with what keeps it from being installed."""
    rows: dict[str, dict[str, Any]] = {}
    for system in systems:
        row = rows[system.name] = {
            "system": system.name,
            "vectors": system.vectors,
            "queries": system.queries,
        }
        with _noting(row):
            row["version"] = version_of(system)
    return rows


def _finished(rows: dict[str, dict[str, Any]], runs: Mapping[str, Measured]) -> list[dict[str, Any]]:
    return [row if "problem" in row else row | runs[name].row() for name, row in rows.items()]


@contextmanager
def _noting(row: dict[str, Any]) -> Iterator[None]:
    """A system that fails is a row that says why; the others go on."""
    try:
        yield
    except Unavailable as problem:
        row["problem"] = str(problem)


def _working(
    ready: Mapping[str, Worker], rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Worker]]:
    return ((name, worker) for name, worker in ready.items() if "problem" not in rows[name])


def _in_turn(
    ready: Mapping[str, Worker], asked: Sequence[T], rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, T]]:
    """What each system is asked, a few questions at a time, so that the machine's load hits all alike."""
    for start in range(0, len(asked), IN_TURN):
        for name in ready:
            for one in asked[start : start + IN_TURN]:
                if "problem" not in rows[name]:
                    yield name, one


def _scores(found: Sequence[str], question: Question) -> dict[str, float]:
    ids = list(dict.fromkeys(found))
    recalls = {f"recall@{k}": recall_at(k, ids, question.evidence) for k in RECALL_AT}
    return {**recalls, "mrr": reciprocal_rank(ids, question.evidence)}


def _fill(
    system: System, worker: Worker, memories: Sequence[Memory], patience: float, measured: Measured
) -> None:
    started = time.monotonic()
    while measured.indexed < len(memories):
        measured.index(worker, memories[measured.indexed : measured.indexed + AT_ONCE])
        seconds = time.monotonic() - started
        say(f"{system.name}: {measured.indexed:,} memories in {seconds:.0f} s")
        if seconds > patience:
            break
