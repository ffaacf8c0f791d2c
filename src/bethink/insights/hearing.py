"""Reads the messages of a channel with the model of worth and the learned heads of insights."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence

from bethink.errors import ModelError
from bethink.insights.cues import read
from bethink.insights.drafts import Step
from bethink.insights.heads import Heads, load_heads
from bethink.insights.learned import BOUNDS, follow
from bethink.insights.linking import KINDS, Heard, own, standing
from bethink.insights.words import names_of, speakers_of, terms_of
from bethink.models.worth import Worth
from bethink.models.worth.channel import AHEAD, State, before_of
from bethink.models.worth.said import Floats
from bethink.records import Message
from bethink.shapes.insights import Insight, InsightKind

AGAIN = 20  # messages before the new ones that are read again, for what may be guessed
_LINES = 4  # of what was said of an insight: the first and the newest
_KEPT = 2000  # points of texts
_MOST_SENTENCES = 12  # of a message that are looked at for a title
_SHORT = 12  # characters: a sentence with fewer is no title
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_SPEAKERS = ("user", "contact")
_log = logging.getLogger(__name__)


class Hearing:
    """Hears channels, where the models are there."""

    def __init__(self, worth: Worth) -> None:
        self._worth, self._failed = worth, False
        self._heads: Heads | None = None
        self._points: dict[str, Floats] = {}

    async def steps(
        self, messages: Sequence[Message], earlier: Sequence[Message], open_: Sequence[Insight]
    ) -> list[Step] | None:
        """What new messages of a channel make of it; None where only the rules can say. `earlier` are the
        messages before them."""
        if (heads := self._loaded()) is None:
            return None
        speakers = speakers_of([*earlier, *messages], open_)
        names = names_of(speakers)
        said = [one for one in (*earlier, *messages) if one.role in _SPEAKERS]
        heard: list[Heard] = []
        for place, message in enumerate(said):
            before = said[max(0, place - AHEAD) : place]
            one = await asyncio.to_thread(self._hear, heads, message, before, speakers, names)
            if one is None:
                return None
            heard.append(one)
        standing_ = []
        for insight in open_:
            points = await asyncio.to_thread(self._points_of, heads, insight)
            if points is None:
                return None
            standing_.append(standing(insight, points, names))
        return follow(heard, standing_, heads, names, frozenset(one.id for one in earlier))

    def _loaded(self) -> Heads | None:
        if self._heads is None and not self._failed and self._worth.enabled:
            try:
                self._heads = load_heads()
            except ModelError as error:
                self._failed = True
                _log.warning("Insights are found by rules alone: %s", error.message)
        return self._heads

    def _hear(
        self, heads: Heads, message: Message, before: Sequence[Message], speakers: frozenset[str],
        names: frozenset[str],
    ) -> Heard | None:  # fmt: skip
        text, context = message.content, before_of([(one.name or "", one.content) for one in before])
        state, point = self._worth.state_now(context, text), self._point(heads, text)
        if state is None or point is None:
            return None
        last = before[-1] if before else None
        chances = heads.chances(state, own(message, last, speakers))
        titles = self._titles(heads, message, context, last, speakers, chances)
        return Heard(message, chances, point, terms_of(text, names), read(text).kind, titles)

    def _titles(
        self, heads: Heads, message: Message, context: str, last: Message | None, speakers: frozenset[str],
        chances: Floats,
    ) -> dict[InsightKind, str]:  # fmt: skip
        """For each kind that a message of several sentences may be, the sentence that says it most."""
        kinds = [place for place, _ in enumerate(KINDS) if chances[place] > BOUNDS.guessed]
        sentences = [one.strip() for one in _SENTENCES.split(message.content) if len(one.strip()) >= _SHORT]
        if not kinds or len(sentences) < 2:
            return {}
        sentences = sentences[:_MOST_SENTENCES]
        rows: list[Floats] = []
        for sentence in sentences:
            state: State | None = self._worth.state_now(context, sentence)
            if state is None:
                return {}
            alone = message.model_copy(update={"content": sentence})
            rows.append(heads.chances(state, own(alone, last, speakers)))
        best = {place: max(range(len(rows)), key=lambda row: float(rows[row][place])) for place in kinds}
        return {KINDS[place]: sentences[row] for place, row in best.items()}

    def _points_of(self, heads: Heads, insight: Insight) -> list[Floats] | None:
        texts = [str(line.get("text") or "") for line in insight.details] or [insight.title]
        found = [self._point(heads, text) for text in (*texts[:1], *texts[1:][-(_LINES - 1) :])]
        points = [one for one in found if one is not None]
        return points if len(points) == len(found) else None

    def _point(self, heads: Heads, text: str) -> Floats | None:
        if (kept := self._points.get(text)) is not None:
            return kept
        if (state := self._worth.state_now("", text)) is None:
            return None
        if len(self._points) >= _KEPT:
            self._points.clear()
        self._points[text] = heads.points(state)
        return self._points[text]
