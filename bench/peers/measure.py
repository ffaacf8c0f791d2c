"""What is measured: how well each system finds the evidence, and how fast it is on a large store."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from bench.corpus import Corpus
from bench.peers.environments import Unavailable, version_of
from bench.peers.processes import Took, VectorSource, Worker, say
from bench.peers.systems import System
from bench.peers.workers.contract import Memory, spoken
from bench.quality.cases import Case
from bench.quality.metrics import recall_at, reciprocal_rank
from bench.report import p50_p95

RECALL_AT = (5, 10, 20)
DEPTH = max(RECALL_AT)
SPEED_DEPTH = 10  # hits asked for on a large store
AT_ONCE = 5000  # memories handed over at a time
IN_TURN = 10  # queries one system answers before it is the next one's turn
WARM_UP = 5


@dataclass
class Measured:
    """What one system did."""

    indexed: int = 0
    indexing: list[Took] = field(default_factory=list)
    searches: list[Took] = field(default_factory=list)
    resident: int = 0
    scores: list[dict[str, float]] = field(default_factory=list)

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
    systems: Sequence[System], cases: Sequence[Case], embedding: VectorSource
) -> list[dict[str, Any]]:
    """Every case in a new store of each system; all its questions."""
    memories = {case.id: list(turns_of(case)) for case in cases}
    say("embedding the memories, once for all systems")
    embedding.documents([spoken(memory) for turns in memories.values() for memory in turns])
    rows = []
    for system in systems:
        say(f"{system.name}: {len(cases)} cases")
        row: dict[str, Any] = {"system": system.name, "vectors": system.vectors}
        measured = Measured()
        try:
            row["version"] = version_of(system)
            for case in cases:
                with Worker(system, embedding) as worker:
                    _ask(worker, case, memories[case.id], measured)
            row |= measured.row()
        except Unavailable as problem:
            row["problem"] = str(problem)
        rows.append(row)
    return rows


def speed(
    systems: Sequence[System], text: Corpus, embedding: VectorSource, patience: float
) -> list[dict[str, Any]]:
    """One large store each; then the queries, the systems taking turns so that load hits all alike.

    A system that has not stored everything when its time is up is asked with what it has by then.
    """
    sentences: list[Memory] = [
        {"id": str(place), "text": sentence, "speaker": "", "session": "", "sent_at": ""}
        for place, sentence in enumerate(text.texts)
    ]
    rows: dict[str, dict[str, Any]] = {}
    ready: dict[str, tuple[Worker, Measured]] = {}
    with ExitStack() as opened:
        for system in systems:
            rows[system.name] = {"system": system.name, "vectors": system.vectors}
            measured = Measured()
            try:
                rows[system.name]["version"] = version_of(system)
                worker = opened.enter_context(Worker(system, embedding))
                _fill(system, worker, sentences, patience, measured)
                for query in text.queries[:WARM_UP]:
                    worker.search(query, SPEED_DEPTH)
                ready[system.name] = (worker, measured)
            except Unavailable as problem:
                rows[system.name]["problem"] = str(problem)
        for start in range(0, len(text.queries), IN_TURN):
            queries = text.queries[start : start + IN_TURN]
            for name, (worker, measured) in list(ready.items()):
                try:
                    measured.searches += [worker.search(query, SPEED_DEPTH)[1] for query in queries]
                except Unavailable as problem:
                    rows[name]["problem"] = str(problem)
                    del ready[name]
        for name, (worker, measured) in ready.items():
            measured.resident = worker.resident_bytes()
            rows[name] |= measured.row()
    return list(rows.values())


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


def _ask(worker: Worker, case: Case, memories: Sequence[Memory], measured: Measured) -> None:
    measured.indexing.append(worker.index(memories))
    measured.indexed += len(memories)
    for question in case.questions:
        ids, took = worker.search(question.text, DEPTH)
        measured.searches.append(took)
        found = list(dict.fromkeys(ids))
        scores = {f"recall@{k}": recall_at(k, found, question.evidence) for k in RECALL_AT}
        measured.scores.append({**scores, "mrr": reciprocal_rank(found, question.evidence)})
    measured.resident = max(measured.resident, worker.resident_bytes())


def _fill(
    system: System, worker: Worker, memories: Sequence[Memory], patience: float, measured: Measured
) -> None:
    started = time.monotonic()
    while measured.indexed < len(memories):
        batch = memories[measured.indexed : measured.indexed + AT_ONCE]
        measured.indexing.append(worker.index(batch))
        measured.indexed += len(batch)
        seconds = time.monotonic() - started
        say(f"{system.name}: {measured.indexed:,} memories in {seconds:.0f} s")
        if seconds > patience:
            break
