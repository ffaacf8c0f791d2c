"""What the index is told of a record: the terms it is found by, and the text that is embedded. Pure.

Neither is made of secrets, however they are shown: those are masked first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from bethink.clock import local
from bethink.records import Fact, Layer, Memory, Message, MessageTier
from bethink.store.entries import Entry
from bethink.text.dates.mentions import mentioned
from bethink.text.secrets import masked_record
from bethink.text.terms import analyse

# Raise the number when the way a text is prepared for the index changes: every entry then counts as changed.
VERSION = "bethink-entry-text-v1"

_OFFSET = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MASK = 0xFFFFFFFFFFFFFFFF


def fnv64a(data: bytes) -> int:
    """The 64-bit FNV-1a hash."""
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def fingerprint(text: str, version: str = VERSION) -> str:
    """16 hexadecimal digits that change with the text and with the version of its preparation."""
    return f"{fnv64a(f'{version}:{text}'.encode('utf-8', 'surrogatepass')):016x}"


LIMIT = 8000

_NONE = "none"
_LINE = LIMIT // 8  # room for each line beside the text
_SENTENCE_END = re.compile(r"[.!?…]['\")\]]*(?=\s)|[。！？｡]")
_JOINERS = frozenset("\u200c\u200d")
_LONGEST_SEQUENCE = 32


def cut(text: str, limit: int = LIMIT) -> str:
    """At most `limit` characters, up to the end of a line, sentence, clause or word in the last quarter."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    start = limit - limit // 4
    ends = (
        text.rfind("\n", start, limit + 1),
        max(
            (m.end() for m in _SENTENCE_END.finditer(text, start - 1, limit + 1) if m.end() <= limit),
            default=-1,
        ),
        text.rfind("; ", start, limit) + 1,
        text.rfind(" ", start, limit + 1),
    )
    end = next((end for end in ends if start <= end <= limit), None)
    return text[: between_sequences(text, limit)] if end is None else text[:end].rstrip()


def between_sequences(text: str, limit: int) -> int:
    """The nearest place up to `limit` that tears no accent, emoji sequence or surrogate pair apart."""
    for end in range(limit, max(limit - _LONGEST_SEQUENCE, 0), -1):
        if not _continues(text[end - 1], text[end]):
            return end
    return limit


def _continues(before: str, character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or character in _JOINERS
        or before in _JOINERS
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= character <= "\udfff")
    )


def lean_text(text: str, speaker: str | None) -> str:
    """The text, led by who said it."""
    said = _collapse(text)
    return cut(f"{_collapse(speaker)}: {said}" if speaker and speaker.strip() else said)


def aaak_text(
    *,
    text: str,
    sent_at: datetime,
    tier: str,
    media: Sequence[str],
    dimensions: Mapping[str, str | None],
    metadata: Mapping[str, Any],
) -> str:
    """The AAAK document: lines for Text, Time (Unix milliseconds), Tier, Media, Dimensions and Metadata.

    At most 8000 characters in all: the text gives way to what surrounds it, and that is kept short.
    """
    around = "\n".join(
        f"{name}: {cut(value, _LINE) or _NONE}"
        for name, value in (
            ("Time", str(_milliseconds(sent_at))),
            ("Tier", _collapse(tier)),
            ("Media", ", ".join(filter(None, map(_collapse, media)))),
            ("Dimensions", "; ".join(_pairs(dimensions))),
            ("Metadata", "; ".join(_pairs(_flat(metadata)))),
        )
    )
    room = LIMIT - len(around) - len("Text: ") - 1
    return f"Text: {cut(_collapse(text), room)}\n{around}"


def _milliseconds(moment: datetime) -> int:
    """Unix time; a moment without an offset is in UTC."""
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _flat(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Two levels as one, keys sorted; keys that begin with two underscores are private and left out."""
    flat: dict[str, Any] = {}
    for key, value in _public(metadata):
        if isinstance(value, Mapping):
            flat |= {
                f"{key}.{inner}": below for inner, below in _public(value) if not isinstance(below, Mapping)
            }
        else:
            flat[key] = value
    return dict(sorted(flat.items()))


def _public(values: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    return ((str(key), value) for key, value in values.items() if not str(key).startswith("__"))


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        plain = _plain(value)
        if plain:
            yield f"{_collapse(key)}: {plain}"


def _plain(value: Any) -> str:
    """A value in words; of a list, its plain items; nothing for what is missing or nested deeper."""
    if value is None or isinstance(value, Mapping):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, (_plain(item) for item in value if not isinstance(item, list | tuple))))
    return _collapse(str(value))


def _collapse(text: str) -> str:
    return " ".join(text.split())


CONTEXT_TURNS = 2  # turns either side of a message that count as its context
CONTEXT_GAP = timedelta(hours=6)  # a longer silence ends the context
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

Style = Literal["lean", "aaak"]
# A fingerprint is that of a fresh message: another tier says nothing new, and needs no new vector.
_FRESH = {"tier": MessageTier.SHORT}
SENT_OFFSET = "sent_offset"  # in the `source_ref` of a memory: the offset of the message that it is from


def memory_entry(memory: Memory, zone: str = "UTC") -> Entry:
    """A memory as an entry; `zone` is where "yesterday" is a day, unless it tells of its speaker's clock."""
    memory = masked_record(memory)
    parts = [_date(memory.observed_at), memory.title, memory.content, memory.category, *memory.tags]
    return Entry(
        layer=Layer.MEMORY,
        record_id=memory.id,
        observed_at=memory.observed_at,
        fingerprint=fingerprint(_embedded_memory(memory)),
        body=terms_of(parts),
        person_id=memory.person_id,
        session_id=memory.session_id,
        expires_at=memory.expires_at,
        mentioned_at=mentioned(memory.content, _where_said(memory, zone)),
    )


def fact_entry(fact: Fact) -> Entry:
    fact = masked_record(fact)
    text = _embedded_fact(fact)
    return Entry(
        layer=Layer.FACT,
        record_id=fact.id,
        observed_at=fact.valid_from,
        fingerprint=fingerprint(text),
        body=terms_of([text, fact.source_context]),
        person_id=fact.person_id,
        expires_at=min((at for at in (fact.expires_at, fact.valid_to) if at), default=None),
    )


def message_entry(message: Message, near: Sequence[Message], style: Style) -> Entry:
    """A message as an entry; `near` are the messages around it in its session."""
    return masked_entry(masked_record(message), [masked_record(other) for other in near], style)


def masked_entry(message: Message, near: Sequence[Message], style: Style) -> Entry:
    """The same of messages whose secrets are masked already."""
    return Entry(
        layer=Layer.MESSAGE,
        record_id=message.id,
        observed_at=message.sent_at,
        fingerprint=fingerprint(_embedded_message(message.model_copy(update=_FRESH), style)),
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


def embedded_memory(memory: Memory) -> str:
    return _embedded_memory(masked_record(memory))


def _embedded_memory(memory: Memory) -> str:
    return lean_text(f"{memory.title}. {memory.content}" if memory.title else memory.content, None)


def embedded_fact(fact: Fact) -> str:
    return _embedded_fact(masked_record(fact))


def _embedded_fact(fact: Fact) -> str:
    return lean_text(f"{fact.category} {fact.key.replace('_', ' ')}: {fact.value}", None)


def embedded_message(message: Message, style: Style) -> str:
    return _embedded_message(masked_record(message), style)


def _embedded_message(message: Message, style: Style) -> str:
    if style == "lean":
        return lean_text(message.content, message.name)
    return aaak_text(
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
    return _ahead(message.sent_at, message.sent_offset)


def _where_said(memory: Memory, zone: str) -> datetime:
    """When it was for who said it: on their own clock, where a message told of that."""
    offset = memory.source_ref.get(SENT_OFFSET)
    return (
        _ahead(memory.observed_at, offset)
        if isinstance(offset, int)
        else local(memory.observed_at, ZoneInfo(zone))
    )


def _ahead(at: datetime, minutes: int) -> datetime:
    try:
        return at + timedelta(minutes=minutes)
    except OverflowError:  # the last or the first day there is
        return at


def _date(moment: datetime) -> str:
    # Not %B: a program that sets its locale would index the months under other names.
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def terms_of(parts: Sequence[str | None]) -> list[str]:
    """The terms of an entry's body: those of each of its parts, in order."""
    return [term for part in parts if part for term in analyse(part)]
