"""Ranked lists made one, weighed, and cut to what fits. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from bethink.clock import local
from bethink.index.vectors.nearest import Ranked
from bethink.models.embed.traits import Reading
from bethink.settings import RecallSettings
from bethink.shapes.outcomes import Hit, RecallResult
from bethink.store.entries import unpacked
from bethink.store.rows import Brief
from bethink.text.dates.calendar import Days
from bethink.text.dates.mentions import asks_when, mentioned
from bethink.text.terms import analyse

_SATURATION, _NORM = 1.2, 0.75  # BM25's k1 and b
_SPARE = 7  # days by which a record's own words may be less exact than twice the query's


@dataclass(frozen=True, slots=True)
class When:
    """The days a query speaks of, on the clock of the space; none when it speaks of no time."""

    windows: tuple[Days, ...] = ()
    zone: tzinfo | None = None
    is_asked: bool = False  # it asks for a time, so that whatever speaks of one may be the answer

    def fits(self, brief: Brief) -> bool:
        """Whether a record is of one of these days, or speaks of them about as exactly."""
        if not self.windows:
            return False
        day = local(brief.observed_at, self.zone).date()
        if any(first <= day <= last for first, last in self.windows):
            return True
        spoken = [(m.first, m.last) for m in unpacked(brief.mentioned_at, brief.text)]
        return any(_meet(window, days) for window in self.windows for days in spoken)


def asked_when(query: str, now: datetime, timezone: str) -> When:
    """The time that a query asks about, such as "what happened last Friday" or "in June 2023"."""
    zone = ZoneInfo(timezone)
    found = mentioned(query, local(now, zone))
    windows = tuple((mention.first, mention.last) for mention in found)
    return When(windows, zone, is_asked=asks_when(query))


def _meet(window: Days, spoken: Days) -> bool:
    overlap = spoken[0] <= window[1] and window[0] <= spoken[1]
    return overlap and (spoken[1] - spoken[0]).days <= 2 * (window[1] - window[0]).days + _SPARE


_DAY = timedelta(days=1)
_ASKING = ("?", "？", "؟", "\u037e", "か", "吗", "嗎", "까")  # marks, and particles that need none


@dataclass(slots=True)
class Candidate:
    """A record that may come back, and every part of its score."""

    brief: Brief
    entry: int | None = None  # of the index; None for what the search itself did not find
    fused: float = 0.0
    vector: float | None = None
    terms: float | None = None
    late: float | None = None
    pinned: float = 0.0
    person: float = 0.0
    speaker: float = 0.0
    time: float = 0.0
    answer: float = 0.0
    recency: float = 0.0
    rerank: float = 0.0

    @property
    def score(self) -> float:
        return (
            self.fused
            + self.pinned
            + self.person
            + self.speaker
            + self.time
            + self.answer
            + self.recency
            + self.rerank
        )

    @property
    def relevance(self) -> float:
        """The score whatever the record's age: an old question passes on as much as a new one."""
        return self.score - self.recency


@dataclass(frozen=True, slots=True)
class Asked:
    """What the scores depend on besides the records."""

    now: datetime
    person_hints: frozenset[str]
    speaker: str | None  # the one participant the query names
    age_counts: bool
    when: When = field(default_factory=When)


def weigh(candidate: Candidate, asked: Asked, settings: RecallSettings) -> None:
    """Fill in the boosts of one candidate."""
    brief = candidate.brief
    candidate.pinned = settings.pinned_boost if brief.pinned else 0.0
    candidate.person = settings.person_boost if brief.person_id in asked.person_hints else 0.0
    if asked.age_counts and not brief.pinned:
        days = max((asked.now - brief.observed_at) / _DAY, 0.0)
        candidate.recency = -settings.age_penalty * min(1.0, days / settings.age_days)
    if asked.speaker is not None and brief.speaker == asked.speaker:
        candidate.speaker = settings.speaker_boost
    if asked.when.windows and asked.when.fits(brief):
        candidate.time = settings.time_boost
    if asked.when.is_asked and brief.mentioned_at:
        candidate.time += settings.when_boost


def inherit(
    answers: Mapping[str, Candidate], questions: Mapping[str, Candidate], settings: RecallSettings
) -> None:
    """Give each answer a share of its question's score; both are keyed by the question's id."""
    handed_on = {
        asked: settings.answer_share * max(question.relevance - settings.answer_floor, 0.0)
        for asked, question in questions.items()
    }
    for asked, answer in answers.items():
        answer.answer = handed_on[asked]


def rerank(read: Sequence[Candidate | Hit], ratings: Sequence[float], weight: float) -> None:
    """Mix a cross-encoder's ratings in: how far each stands above the lowest, in standard deviations.

    The lowest gets nothing rather than a penalty, so that no one read falls behind those not read.
    """
    if not read:
        return
    mean = sum(ratings) / len(ratings)
    spread = (sum((rating - mean) ** 2 for rating in ratings) / len(ratings)) ** 0.5
    for candidate, rating in zip(read, ratings, strict=True):
        candidate.rerank = weight * (rating - min(ratings)) / spread if spread > 0 else 0.0


def is_question(text: str) -> bool:
    """Whether a text ends by asking something."""
    said = _without_note(text).rstrip(" \t\n\"'”’」)*_!。")
    return said.endswith(_ASKING)


def _without_note(text: str) -> str:
    """The text without a note in brackets at its end, such as a picture's caption after the question."""
    said = text.rstrip()
    start = said.rfind("[")
    is_note = said.endswith("]") and start >= 0 and said.find("]", start) == len(said) - 1
    return said[:start].rstrip() if is_note else text


def weights(
    settings: RecallSettings, reading: Reading, *, late: bool, documents: bool
) -> tuple[float, float, float]:
    """What the lists of terms, of vectors and of late interaction weigh, by who reads the query's language.

    Late interaction compares pieces of words, which are alike in every language, so it weighs what it weighs.
    """
    vector = settings.vector_weight_with_late if late else settings.vector_weight
    vector *= {"usual": 1.0, "foreign": settings.foreign_vectors, "unread": settings.unread_vectors}[reading]
    terms = settings.terms_weight_with_late if late else settings.terms_weight
    terms *= settings.document_terms if documents else 1.0
    return terms, vector, settings.late_weight if late else 0.0


def fused_parts(
    lists: Sequence[tuple[float, Sequence[tuple[int, float]]]], k: float, score_share: float = 0.0
) -> list[dict[int, float]]:
    """What each of (weight, (id, score) best first) lists gives its ids of the fused score.

    An id that leads every list gets 1 in all.

    It is mixed of two parts, each at most 1: by rank, (k + 1) / (k + rank), and, to the extent of
    `score_share`, where its score lies between the list's last and its first. Ranks stay steady whatever the
    scores look like; scores tell a clear first from one of many.
    """
    total = sum(weight for weight, _ in lists)
    found: list[dict[int, float]] = [{} for _ in lists]
    if total <= 0:
        return found
    for part, (weight, ranked) in zip(found, lists, strict=True):
        if not ranked:
            continue
        by_rank = weight / total * (1 - score_share) * (k + 1)
        by_score = weight / total * score_share
        last = ranked[-1][1]
        spread = ranked[0][1] - last
        for rank, (id_, score) in enumerate(ranked, 1):
            lead = (score - last) / spread if spread > 0 else 1.0
            part[id_] = by_rank / (k + rank) + by_score * lead
    return found


def summed(parts: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """What all lists together give each id."""
    fused: dict[int, float] = {}
    for part in parts:
        for id_, share in part.items():
            fused[id_] = fused.get(id_, 0.0) + share
    return fused


def best_of(fused: dict[int, float], count: int) -> dict[int, float]:
    """The `count` ids with the highest scores; of equals those that came first."""
    if len(fused) <= count:
        return fused
    best = sorted(fused, key=fused.__getitem__, reverse=True)[:count]
    return {id_: fused[id_] for id_ in best}


LOWEST, HIGHEST = 1, 8000  # token budgets are brought into this range


def within_budget(tokens: Iterable[int], limit: int, budget: int | None) -> list[int]:
    """The places of the texts to keep, in order: at most `limit`, together within the budget.

    The first is always kept. One that does not fit is passed over, so a long text does not hide the rest.
    """
    if budget is None:
        return [place for place, _ in zip(range(limit), tokens, strict=False)]
    budget = min(max(budget, LOWEST), HIGHEST)
    kept: list[int] = []
    spent = 0
    for place, cost in enumerate(tokens):
        if len(kept) == limit:
            break
        if not kept or spent + cost <= budget:
            kept.append(place)
            spent += cost
    return kept


Parts = Mapping[str, Mapping[int, float]]  # what the lists by terms, by vector and by token vectors give ids
Lists = Callable[[Ranked | None, Ranked | None, Ranked | None], Parts]


def parts_of(id_: int | None, parts: Parts) -> dict[str, float]:
    """What each list gives an id."""
    return {name: part[id_] for name, part in parts.items() if id_ is not None and id_ in part}


def on_one_scale(hits: Sequence[Hit], weights: Mapping[str, float], give: Lists) -> list[Hit]:
    """Hits of several searches with scores that can be compared: fused anew, as if one search had found them.

    Each search has ranked its own finds, so that the first of each is worth the same, however well it fits.
    `weights` are those of the query's terms in all that was searched, `give` tells what the lists by terms,
    by vector and by token vectors give.
    """
    by_words = _worth_by_words(hits, weights)
    lists = [
        _ranked((place, worth) for place, worth in enumerate(by_words) if hits[place].terms is not None),
        _ranked((place, hit.vector) for place, hit in enumerate(hits) if hit.vector is not None),
        _ranked((place, hit.late) for place, hit in enumerate(hits) if hit.late is not None),
    ]
    if not any(lists):
        return list(hits)
    parts = give(*lists)
    found = summed(parts.values())
    return [
        hit.model_copy(
            update={"fused": new, "fused_by": parts_of(place, parts), "score": hit.score - hit.fused + new}
        )
        for place, hit in enumerate(hits)
        for new in (found.get(place, 0.0),)
    ]


def _ranked(scores: Iterable[tuple[int, float]]) -> Ranked | None:
    return sorted(scores, key=lambda item: item[1], reverse=True) or None


def _worth_by_words(hits: Sequence[Hit], weights: Mapping[str, float]) -> list[float]:
    """How much each says of what is asked for, by BM25 over the hits."""
    read = [Counter(analyse(" ".join(_words_of(hit)))) for hit in hits]
    average = sum(words.total() for words in read) / max(len(read), 1) or 1.0
    return [
        sum(
            weight * words[term] / (words[term] + _SATURATION * (1 - _NORM + _NORM * words.total() / average))
            for term, weight in weights.items()
            if words[term]
        )
        for words in read
    ]


def _words_of(hit: Hit) -> Iterator[str]:
    yield hit.text
    yield from (text for name in ("title", "name") if (text := getattr(hit.record, name, None)))


def unite(own: RecallResult, shared: RecallResult, limit: int, budget: int | None) -> RecallResult:
    """The hits of both, best first and of equals the newer, as many as one answer may have."""
    hits = sorted(
        (*own.hits, *shared.hits), key=lambda hit: (hit.score, hit.observed_at, hit.id), reverse=True
    )
    kept = [hits[place] for place in within_budget([hit.tokens for hit in hits], limit, budget)]
    return RecallResult(
        query=own.query,
        hits=kept,
        engine=own.engine if own.hits else shared.engine,
        degraded=list(dict.fromkeys([*own.degraded, *shared.degraded])),
        tokens=sum(hit.tokens for hit in kept),
        latency_ms=max(own.latency_ms, shared.latency_ms),
    )
