"""The score of a candidate beyond its fused rank: what it is, who said it, how old it is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bethink.recall.when import When
from bethink.settings import RecallSettings
from bethink.store.briefs import Brief

_DAY = timedelta(days=1)
_ASKING = ("?", "？", "؟", "\u037e", "か", "吗", "嗎", "까")  # marks, and particles that need none


@dataclass(slots=True)
class Candidate:
    """A record that may come back, and every part of its score."""

    brief: Brief
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
    if asked.when.fits(brief):
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


def rerank(read: Sequence[Candidate], ratings: Sequence[float], weight: float) -> None:
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
