"""How near a message of a channel is to what is open there: the numbers that the learned heads read. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import log1p, sqrt

import numpy as np

from bethink.insights.cues import asks, says
from bethink.insights.words import shared, terms_of
from bethink.models.worth.said import INSIGHTS, Floats
from bethink.records import Message
from bethink.shapes.insights import Insight, InsightKind

FAR = 6  # messages since something was last said of it; more make no difference
_SHARED = 4  # words; more make no difference
_LONG = 25  # characters from which on a message is not short
KINDS = tuple(InsightKind(name) for name in INSIGHTS if name != "closes")
_CLOSES = INSIGHTS.index("closes")


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """A message of a channel: what it says by itself, and how likely it is evidence of each of `INSIGHTS`."""

    message: Message
    chances: Floats
    points: Floats  # what it is about, read alone: one row a layer, of length 1
    terms: frozenset[str]
    cue: InsightKind | None = None  # the kind that its words tell
    titles: dict[InsightKind, str] = field(default_factory=dict)  # the sentence that says it


@dataclass(eq=False)
class Standing:
    """Something that is open in a channel, as far as messages are compared with it."""

    kind: InsightKind
    bot_id: str
    key: str
    at: datetime  # when something was last said of it
    points: list[Floats]
    terms: frozenset[str]
    names: list[str]  # who said something of it, the first of them first
    texts: list[str]
    ids: set[str] = field(default_factory=set)  # of the messages that speak of it
    ago: int = FAR  # messages since
    sure: float = 1.0
    told: bool = True  # whether it is an insight, not just a guess
    untold: list[Heard] = field(default_factory=list)  # messages that are not part of the insight yet

    def extend(self, heard: Heard) -> None:
        """Another message speaks of it."""
        message = heard.message
        self.at, self.ago = message.sent_at, 0
        self.points.append(heard.points)
        self.terms |= heard.terms
        if message.name and message.name not in self.names:
            self.names.append(message.name)
        self.texts.append(message.content)
        self.ids.add(message.id)


def own(message: Message, before: Message | None, names: Collection[str]) -> list[float]:
    """What a message tells by its words and its place; `names` are those who speak in the channel."""
    text = message.content
    gap = message.sent_at - before.sent_at if before else timedelta(days=1)
    others = {_first(name) for name in names if name != message.name and len(name) > 1}
    return [
        *says(text),
        log1p(len(text)) / 5,
        log1p(max(_hours(gap), 0)) / 3,
        float(before is not None and before.name == message.name),
        float("!" in text),
        float(text[:1].isupper()),
        float(any(name in text.lower() for name in others)),
        float(len(text) < _LONG),
    ]


def pairs(heard: Heard, open_: Sequence[Standing]) -> Floats:
    """A row for each that is open: how near the message is to it."""
    return np.array([_pair(heard, one, open_) for one in open_], np.float32)


def _pair(heard: Heard, one: Standing, open_: Sequence[Standing]) -> list[float]:
    message, text, name = heard.message, heard.message.content.lower(), heard.message.name or ""
    same = [other for other in open_ if other.kind is one.kind]
    common = shared(heard.terms, one.terms)
    share = common / sqrt(1 + min(len(heard.terms), len(one.terms)))
    near = [
        max(float(row @ points[layer]) for points in one.points) for layer, row in enumerate(heard.points)
    ]
    kinds = [float(one.kind is kind) for kind in KINDS]
    closes, speaks = float(heard.chances[_CLOSES]), float(heard.chances[KINDS.index(one.kind)])
    question = float(asks(message.content))
    ago = min(one.ago + 1, FAR)
    return [
        min(common, _SHARED), float(common > 0), share, *near,
        log1p(max(_hours(message.sent_at - one.at), 0)), log1p(ago), float(ago == 1), float(ago <= FAR // 2),
        float(name in one.names), float(name == one.names[0]) if one.names else 0.0,
        float(any(_first(other) in text for other in one.names)),
        float(bool(name) and _first(name) in " ".join(one.texts).lower()),
        float(one is max(same, key=_last)), float(one is max(open_, key=_last)),
        float(len(same) == 1), log1p(len(same)), log1p(len(open_)), float(len(one.points) > 1),
        *kinds, closes, speaks, question,
        *(chance * kind for chance in (closes, speaks, question) for kind in kinds),
        *(chance * nearness for chance in (closes, speaks) for nearness in (share, *near)),
    ]  # fmt: skip


def standing(insight: Insight, points: Sequence[Floats], names: frozenset[str]) -> Standing:
    """An insight that is open; `points` is what each line of its details is about."""
    lines = [*insight.details] or [{"text": insight.title, "name": None}]
    texts = [str(line.get("text") or "") for line in lines]
    return Standing(
        kind=insight.kind,
        bot_id=insight.bot_id,
        key=insight.dedupe_key,
        at=insight.observed_at,
        points=list(points),
        terms=frozenset[str]().union(*(terms_of(text, names) for text in texts)),
        names=list(dict.fromkeys(str(line["name"]) for line in lines if line.get("name"))),
        texts=texts,
        ids=set(insight.provenance),
    )


def _last(one: Standing) -> tuple[int, datetime]:
    return -one.ago, one.at


def _first(name: str) -> str:
    return name.split()[0].lower() if name.split() else name


def _hours(span: timedelta) -> float:
    return span.total_seconds() / 3600
