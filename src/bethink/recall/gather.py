"""The reads of a recall: who might be meant, and what the ranked entries stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bethink.recall.plan import Plan
from bethink.recall.score import Asked, Candidate, inherit, is_question, weigh
from bethink.records import DEFAULT_PERSON, Layer, Space
from bethink.settings import RecallSettings
from bethink.store import Tx, messages, persons
from bethink.store.briefs import Brief, brief_of, by_entries

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
        candidate = Candidate(brief, fused=ranking.fused[id_])
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
