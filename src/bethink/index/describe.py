"""What the index is told of a record: the terms it is found by, and the text that is embedded. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from bethink.records import Fact, Layer, Memory, Message
from bethink.store.entries import Entry
from bethink.text.dates.mentions import mentioned
from bethink.text.encode import aaak_document, lean_document
from bethink.text.fingerprint import fingerprint
from bethink.text.terms import analyse

CONTEXT_TURNS = 2  # turns either side of a message that count as its context
CONTEXT_GAP = timedelta(hours=6)  # a longer silence ends the context
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

Style = Literal["lean", "aaak"]


def memory_entry(memory: Memory, zone: str = "UTC") -> Entry:
    """A memory as an entry; `zone` is where "yesterday" is a day."""
    parts = [_date(memory.observed_at), memory.title, memory.content, memory.category, *memory.tags]
    return Entry(
        layer=Layer.MEMORY,
        record_id=memory.id,
        observed_at=memory.observed_at,
        fingerprint=fingerprint(memory_document(memory)),
        body=terms_of(parts),
        person_id=memory.person_id,
        session_id=memory.session_id,
        expires_at=memory.expires_at,
        mentioned_at=mentioned(memory.content, _in(zone, memory.observed_at)),
    )


def fact_entry(fact: Fact) -> Entry:
    return Entry(
        layer=Layer.FACT,
        record_id=fact.id,
        observed_at=fact.valid_from,
        fingerprint=fingerprint(fact_document(fact)),
        body=terms_of([fact_document(fact), fact.source_context]),
        person_id=fact.person_id,
        expires_at=min((at for at in (fact.expires_at, fact.valid_to) if at), default=None),
    )


def message_entry(message: Message, near: Sequence[Message], style: Style) -> Entry:
    """A message as an entry; `near` are the messages around it in its session."""
    return Entry(
        layer=Layer.MESSAGE,
        record_id=message.id,
        observed_at=message.sent_at,
        fingerprint=fingerprint(message_document(message, style)),
        body=terms_of([_date(_local(message)), message.name, message.content]),
        context=terms_of(
            [part for other in near if is_context(message, other) for part in (other.name, other.content)]
        ),
        person_id=message.person_id,
        session_id=message.session_id,
        position=message.position,
        mentioned_at=mentioned(message.content, _local(message)),
    )


def is_context(message: Message, other: Message) -> bool:
    """Whether `other` was said close enough to `message` to be its context."""
    distance = abs(message.position - other.position)
    return 0 < distance <= CONTEXT_TURNS and abs(message.sent_at - other.sent_at) <= CONTEXT_GAP


def memory_document(memory: Memory) -> str:
    return lean_document(f"{memory.title}. {memory.content}" if memory.title else memory.content, None)


def fact_document(fact: Fact) -> str:
    return lean_document(f"{fact.category} {fact.key.replace('_', ' ')}: {fact.value}", None)


def message_document(message: Message, style: Style) -> str:
    if style == "lean":
        return lean_document(message.content, message.name)
    return aaak_document(
        text=message.content,
        sent_at=message.sent_at,
        tier=message.tier,
        media=[str(item.get("name") or item.get("url") or "") for item in message.attachments],
        dimensions={
            "platform": message.platform,
            "channel": message.channel,
            "person": message.contact or message.name,
            "botId": message.bot_id,
        },
        metadata=message.metadata,
    )


def _local(message: Message) -> datetime:
    """When it was where the message was sent from."""
    try:
        return message.sent_at + timedelta(minutes=message.sent_offset)
    except OverflowError:  # the last or the first day there is
        return message.sent_at


def _in(zone: str, at: datetime) -> datetime:
    try:
        return at.astimezone(ZoneInfo(zone))
    except OverflowError:  # the last or the first day there is
        return at


def _date(moment: datetime) -> str:
    # Not %B: a program that sets its locale would index the months under other names.
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def terms_of(parts: Sequence[str | None]) -> list[str]:
    """The terms of an entry's body: those of each of its parts, in order."""
    return [term for part in parts if part for term in analyse(part)]
