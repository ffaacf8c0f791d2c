"""How an insight is written down that a message of a channel is evidence of. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from bethink.records import Message
from bethink.shapes.insights import Importance, InsightDraft, InsightKind, Urgency, said
from bethink.text.dates.mentions import mentioned
from bethink.text.secrets import masked
from bethink.text.terms import query_terms

TITLE_CHARS, DESCRIPTION_CHARS = 140, 2000
SOON = timedelta(days=2)  # due within so long: urgent
Weight = tuple[Importance, Urgency]
WEIGHTS: Mapping[InsightKind, Weight] = {
    InsightKind.INCIDENT: (Importance.CRITICAL, Urgency.IMMEDIATE),
    InsightKind.BUG_REPORT: (Importance.HIGH, Urgency.MEDIUM),
    InsightKind.DECISION: (Importance.HIGH, Urgency.LOW),
    InsightKind.TASK: (Importance.MEDIUM, Urgency.MEDIUM),
    InsightKind.QUESTION: (Importance.MEDIUM, Urgency.MEDIUM),
    InsightKind.MEETING: (Importance.MEDIUM, Urgency.MEDIUM),
    InsightKind.FEATURE_REQUEST: (Importance.MEDIUM, Urgency.LOW),
    InsightKind.RELATIONSHIP: (Importance.LOW, Urgency.LOW),
    InsightKind.PREFERENCE: (Importance.MEDIUM, Urgency.LOW),
    InsightKind.EVENT: (Importance.LOW, Urgency.LOW),
}
_HOUR = re.compile(
    r"(?<!\d)([01]?\d|2[0-3])\s?(?::|h|\.|：)\s?([0-5]\d)?(?!\d)|\b(?:at|um|a las|à|às) (\d{1,2})\b"
    r"|\b(\d{1,2}) ?(?:uhr|h)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Closing:
    """An insight that a message ends, by its key."""

    bot_id: str
    dedupe_key: str
    because: str
    message: Message


Step = InsightDraft | Closing


def draft_of(
    message: Message,
    kind: InsightKind,
    key: tuple[str, str],
    names: frozenset[str],
    *,
    urgent: bool = False,
    title: str | None = None,
) -> InsightDraft:
    """The insight that a message is evidence of.

    `key` is its bot and its dedupe key, `names` are the words of the names of those who speak in the channel.
    """
    importance, urgency = WEIGHTS[kind]
    due = due_at(message, kind) if kind in (InsightKind.TASK, InsightKind.MEETING) else None
    if urgent or (due and due - message.sent_at <= SOON):
        urgency = min(urgency, Urgency.URGENT, key=[*Urgency].index)
    text = masked(" ".join(message.content.split()))
    return InsightDraft(
        title=clipped(masked(title) if title else text, TITLE_CHARS),
        kind=kind,
        description=clipped(text, DESCRIPTION_CHARS),
        importance=importance,
        urgency=urgency,
        details=[said(message.sent_at, clipped(text, DESCRIPTION_CHARS), message.name, message.id)],
        people=_people(message, names),
        platforms=[message.platform],
        channels=[message.channel] if message.channel else [],
        bot_id=key[0],
        dedupe_key=key[1],
        provenance=[message.id],
        due_at=due,
        observed_at=message.sent_at,
    )


def _people(message: Message, names: frozenset[str]) -> list[str]:
    """Who said it, and who of those who speak here is named in it."""
    people = [message.name] if message.name else []
    for word in re.findall(r"[^\W\d_]{2,}", message.content):
        if word[0].isupper() and set(query_terms(word)) & names and word not in people:
            people.append(word)
    return people


def due_at(message: Message, kind: InsightKind) -> datetime | None:
    """The end of the day that a message speaks of; for a meeting, the hour."""
    ahead = timedelta(minutes=message.sent_offset)
    try:
        local = message.sent_at + ahead
    except OverflowError:  # the first or the last day there is
        return None
    days = [one.last if kind is InsightKind.TASK else one.first for one in mentioned(message.content, local)]
    day = next((one for one in days if one >= local.date()), None)
    if day is None:
        return None
    hour = time(23, 59)
    if kind is InsightKind.MEETING and (clock := _HOUR.search(message.content)):
        hours = int(next(part for part in (clock[1], clock[3], clock[4]) if part))
        hour = time(hours, int(clock[2] or 0)) if hours < 24 else hour
    try:
        return datetime.combine(day, hour, local.tzinfo) - ahead
    except OverflowError:
        return None


def clipped(text: str, limit: int) -> str:
    """A text of at most so many characters, cut at a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip() + "…"
