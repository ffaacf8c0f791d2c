"""The reads of a recall: who might be meant, what ranked entries stand for; and the count of its hits."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from bethink.clock import now
from bethink.errors import BethinkError
from bethink.recall.plan import Plan
from bethink.recall.rank import Asked, Candidate, Parts, inherit, is_question, weigh
from bethink.records import DEFAULT_PERSON, Layer, Space
from bethink.settings import RecallSettings
from bethink.shapes.outcomes import Hit
from bethink.store import Driver, Tx, accesses, messages, persons
from bethink.store.rows import Brief, brief_of, by_entries

SHORT_CHARS = 400  # a message up to this long says it as well as what was taken from it


@dataclass(frozen=True, slots=True)
class Participants:
    """The names of everyone who might be meant, and of those who have spoken."""

    names: Sequence[str]
    speakers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Entries with their fused scores and what each list said of them."""

    fused: Mapping[int, float]
    parts: Parts
    terms: Mapping[int, float]
    vector: Mapping[int, float]
    late: Mapping[int, float]
    briefs: Mapping[int, Brief]  # those that are known already


def participants(tx: Tx, space_id: str) -> Participants:
    """Everyone a query may name in a space."""
    speakers = messages.speakers(tx, space_id)
    names = [*speakers]
    for person in persons.list_all(tx, space_id):
        names += [name for name in (person.display_name, *person.aliases) if name != DEFAULT_PERSON]
    return Participants(list(dict.fromkeys(names)), speakers)


def candidates(
    tx: Tx, space: Space, plan: Plan, ranking: Ranking, asked: Asked, settings: RecallSettings
) -> list[Candidate]:
    """Ranked entries that still hold, in short, weighed, best first."""
    pool: dict[str, Candidate] = {}
    known = {id_: ranking.briefs[id_] for id_ in ranking.fused if id_ in ranking.briefs}
    unknown = [id_ for id_ in ranking.fused if id_ not in known]
    for id_, brief in (known | by_entries(tx, space.id, unknown, plan.at)).items():
        candidate = Candidate(brief, id_, ranking.fused[id_])
        candidate.terms, candidate.vector = ranking.terms.get(id_), ranking.vector.get(id_)
        candidate.late = ranking.late.get(id_)
        weigh(candidate, asked, settings)
        pool[brief.id] = candidate
    if plan.searches:
        _add_answers(tx, space, plan, pool, asked, settings)
    return in_order(said_once(pool))


def said_once(pool: Mapping[str, Candidate]) -> Iterable[Candidate]:
    """The candidates without what only repeats a short message beside it that it was taken from."""
    for candidate in pool.values():
        brief = candidate.brief
        if brief.pinned or not brief.came_from or not _is_said(brief, pool):
            yield candidate


def _is_said(brief: Brief, pool: Mapping[str, Candidate]) -> bool:
    said = brief.text.partition(": ")[2] if brief.layer is Layer.FACT else brief.text
    beside = [pool[id_].brief for id_ in brief.sources if id_ in pool]
    return any(len(message.text) <= SHORT_CHARS and said in message.text for message in beside)


def in_order(pool: Iterable[Candidate]) -> list[Candidate]:
    """Best first; of equals the newer."""
    return sorted(pool, key=lambda item: (item.score, item.brief.observed_at, item.brief.id), reverse=True)


def _add_answers(
    tx: Tx, space: Space, plan: Plan, pool: dict[str, Candidate], asked: Asked, settings: RecallSettings
) -> None:
    """Let answers inherit from the questions found, also answers that the search itself did not find."""
    questions = {
        candidate.brief.id: candidate
        for candidate in pool.values()
        if candidate.brief.layer is Layer.MESSAGE
        and is_question(candidate.brief.text)
        and candidate.relevance > settings.answer_floor
    }
    place = {(found.brief.session_id, found.brief.position): id_ for id_, found in questions.items()}
    answers: dict[str, Candidate] = {}
    for message in messages.following(tx, space.id, list(questions)):
        if message.id not in pool:
            if plan.chosen.needs_sql:  # a filter chose the pool; an answer it left out stays out
                continue
            pool[message.id] = Candidate(brief_of(message))
            weigh(pool[message.id], asked, settings)
        answers[place[message.session_id, message.position - 1]] = pool[message.id]
    inherit(answers, questions, settings)


FLUSH_SECONDS = 1.0
_log = logging.getLogger(__name__)


class AccessLog:
    """Collects accesses and writes them a moment later."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._waiting: defaultdict[str, Counter[tuple[Layer, str]]] = defaultdict(Counter)
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def note(self, hits: Iterable[Hit]) -> None:
        """Remember that these records were recalled, each in its own space."""
        self.count((hit.record.space_id, hit.layer, hit.id) for hit in hits)

    def count(self, looked_at: Iterable[tuple[str, Layer, str]]) -> None:
        """Remember that records were looked at: of a space, by layer and id."""
        if self._closing.is_set():
            return
        for space_id, layer, id_ in looked_at:
            self._waiting[space_id][layer, id_] += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._flush_later())

    async def close(self) -> None:
        """Write what is left. Never cancels: a write cut off in the middle may or may not have counted."""
        self._closing.set()
        if self._task:
            await self._task

    async def _flush_later(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), FLUSH_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        waiting, self._waiting = self._waiting, defaultdict(Counter)
        try:
            await self._driver.write(_count, waiting, now())
        except BethinkError as error:  # a count is worth a warning, not a failed answer
            records = sum(map(len, waiting.values()))
            _log.warning("Accesses of %d records were not counted: %s", records, error.message)


def _count(tx: Tx, waiting: Mapping[str, Counter[tuple[Layer, str]]], at: datetime) -> None:
    """All spaces in one transaction: a commit each would keep the disk busy."""
    for space_id, times in waiting.items():
        accesses.count(tx, space_id, times, at)
