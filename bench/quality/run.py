"""Take cases in and ask their questions, through the public API alone."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.quality.cases import Case, Document, Session
from bench.quality.metrics import mean, score
from bench.report import p50_p95
from bethink import AsyncBethink, Layer
from bethink.memory import AsyncSpace
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import MemoryDraft, MessageDraft

AT_ONCE = 1000  # documents stored by one call


@dataclass
class Scores:
    """The metrics of every question asked so far, and how long things took."""

    by_category: defaultdict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    by_case: defaultdict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    records: int = 0
    ingest_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    degraded: set[str] = field(default_factory=set)

    def report(self) -> dict[str, Any]:
        """Means over all questions, over those of each category and over those of each case."""
        every = [one for scores in self.by_category.values() for one in scores]
        return {
            "cases": len(self.by_case),
            "records": self.records,
            "questions": len(every),
            **mean(every),
            "records_per_second": round(self.records / max(self.ingest_seconds, 1e-9), 1),
            **p50_p95("recall", self.latencies),
            "degraded": sorted(self.degraded),
            "by_category": _means(self.by_category),
            "by_case": _means(self.by_case),
        }


async def run(memory: AsyncBethink, cases: Sequence[Case], limit: int, say: Callable[[str], None]) -> Scores:
    """Every case in a space of its own."""
    scores = Scores()
    for number, case in enumerate(cases, 1):
        say(f"case {number}/{len(cases)}: {case.id}, {case.size:,} records, {len(case.questions)} questions")
        space = memory.space(f"case {case.id}")
        started = time.perf_counter()
        names = await take_in(space, case)
        await memory.settle()
        scores.ingest_seconds += time.perf_counter() - started
        scores.records += case.size
        await ask(space, case, names, limit, scores)
    return scores


async def take_in(space: AsyncSpace, case: Case) -> dict[str, str]:
    """Store a case; the data set's name of each record by its id."""
    names: dict[str, str] = {}
    for session in case.sessions:
        names |= await _observe(space, session)
    for start in range(0, len(case.documents), AT_ONCE):
        names |= await _remember(space, case.documents[start : start + AT_ONCE])
    return names


async def ask(space: AsyncSpace, case: Case, names: dict[str, str], limit: int, scores: Scores) -> None:
    """Ask each question of a case and score what comes back."""
    layer = Layer.MESSAGE if case.sessions else Layer.MEMORY
    for question in case.questions:
        started = time.perf_counter()
        result = await space.recall(question.text, limit=limit, layers=[layer])
        scores.latencies.append(time.perf_counter() - started)
        scores.degraded.update(result.degraded)
        found = score([names[hit.id] for hit in result.hits], question.evidence, case.session_of)
        scores.by_category[question.category].append(found)
        scores.by_case[case.id].append(found)


async def _observe(space: AsyncSpace, session: Session) -> dict[str, str]:
    said = [
        MessageDraft(
            external_id=turn.id, role=turn.role, name=turn.speaker, content=turn.text, sent_at=turn.sent_at
        )
        for turn in session.turns
    ]
    seen = await space.observe(session.id, said)
    return {outcome.id: turn.id for outcome, turn in zip(seen.outcomes, session.turns, strict=True)}


async def _remember(space: AsyncSpace, documents: Sequence[Document]) -> dict[str, str]:
    """Keyed by their ids, so that two documents with one text stay two."""
    drafts = [
        MemoryDraft(key=document.id, title=document.title[:NAME_CHARS] or None, content=document.text or "-")
        for document in documents
    ]
    stored = await space.remember_many(drafts)
    return {outcome.id: document.id for outcome, document in zip(stored, documents, strict=True)}


def _means(groups: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    return {name: {"questions": len(scores), **mean(scores)} for name, scores in sorted(groups.items())}
