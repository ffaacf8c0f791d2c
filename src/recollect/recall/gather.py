"""The reads of a recall: who and what is in scope, and the records behind the ranked entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.index.backfill import records
from recollect.recall.plan import Plan
from recollect.recall.score import Asked, Candidate, inherit, is_question, weigh
from recollect.records import DEFAULT_PERSON, Layer, Message, Space
from recollect.settings import RecallSettings
from recollect.store import Tx, entries, messages, persons
from recollect.store.columns import moment


@dataclass(frozen=True, slots=True)
class Scope:
    """The newest entries in scope, the names of everyone who might be meant, and of those who have spoken."""

    newest: Sequence[int]
    names: Sequence[str]
    speakers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Entries with their fused scores and what each list said of them."""

    fused: Mapping[int, float]
    terms: Mapping[int, float]
    vector: Mapping[int, float]
    late: Mapping[int, float]


def survey(tx: Tx, space: Space, plan: Plan, depth: int) -> Scope:
    newest = entries.newest(tx, space.id, plan.chosen, plan.at, depth)
    speakers = messages.speakers(tx, space.id)
    names = [*speakers]
    for person in persons.list_all(tx, space.id):
        names += [name for name in (person.display_name, *person.aliases) if name != DEFAULT_PERSON]
    return Scope(newest, list(dict.fromkeys(names)), speakers)


def candidates(
    tx: Tx, space: Space, plan: Plan, ranking: Ranking, asked: Asked, settings: RecallSettings
) -> list[Candidate]:
    """The records of ranked entries that still hold, weighed, best first."""
    rows = entries.by_ids(tx, space.id, list(ranking.fused))
    found = records(tx, space.id, [(Layer(row["layer"]), row["record_id"]) for row in rows.values()])
    pool: dict[str, Candidate] = {}
    for id_, row in rows.items():
        layer = Layer(row["layer"])
        record = found.get((layer, row["record_id"]))
        if record is None or (row["expires_at"] is not None and moment(row["expires_at"]) <= plan.at):
            continue
        candidate = Candidate(layer, record, moment(row["observed_at"]), fused=ranking.fused[id_])
        candidate.terms, candidate.vector = ranking.terms.get(id_), ranking.vector.get(id_)
        candidate.late = ranking.late.get(id_)
        weigh(candidate, asked, settings)
        pool[record.id] = candidate
    if plan.searches:
        _add_answers(tx, space, plan, pool, asked, settings)
    return in_order(pool.values())


def in_order(pool: Iterable[Candidate]) -> list[Candidate]:
    """Best first; of equals the newer."""
    return sorted(pool, key=lambda item: (item.score, item.observed_at, item.record.id), reverse=True)


def _add_answers(
    tx: Tx, space: Space, plan: Plan, pool: dict[str, Candidate], asked: Asked, settings: RecallSettings
) -> None:
    """Let answers inherit from the questions found, also answers that the search itself did not find."""
    questions = {
        candidate.record.id: candidate
        for candidate in pool.values()
        if isinstance(candidate.record, Message)
        and is_question(candidate.record)
        and candidate.relevance > settings.answer_floor
    }
    place = {(q.record.session_id, q.record.position): id_ for id_, q in questions.items()}  # type: ignore[union-attr]
    answers: dict[str, Candidate] = {}
    for message in messages.following(tx, space.id, list(questions)):
        if message.id not in pool:
            if plan.chosen.needs_sql:  # a filter chose the pool; an answer it left out stays out
                continue
            pool[message.id] = Candidate(Layer.MESSAGE, message, message.sent_at)
            weigh(pool[message.id], asked, settings)
        answers[place[message.session_id, message.position - 1]] = pool[message.id]
    inherit(answers, questions, settings)
