"""The extractor without a model: rules that find what users say of themselves, in their own words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bethink.extraction.extractors.contract import (
    NOBODY,
    SOURCE,
    Extracted,
    Known,
    Over,
    Unread,
    from_messages,
)
from bethink.extraction.noise import own_words, why_noise
from bethink.extraction.patterns import Category, Found, extract
from bethink.extraction.patterns.endings import ended_in
from bethink.extraction.patterns.keys import slug
from bethink.extraction.secrets import why_secret
from bethink.extraction.slotted import denied, stated
from bethink.records import Message
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft, MemoryDraft

NAME = "patterns"
CONFIDENCE = 80  # of what a rule found; asked for in so many words, it is certain


class Patterns:
    """Reads every turn of the user as soon as it is there."""

    name = NAME

    def due(self, unread: Unread) -> list[Sequence[Message]]:
        """All of it: reading costs next to nothing."""
        return [unread.messages] if unread.messages else []

    async def extract(self, turns: Sequence[Message], _known: Known) -> Extracted:
        """What the rules find, off the event loop."""
        return await asyncio.to_thread(read_turns, turns)


def read_turns(turns: Sequence[Message]) -> Extracted:
    """What the users among these turns say that is worth keeping. Pure."""
    memories: list[MemoryDraft] = []
    facts: list[FactDraft] = []
    over: list[Over] = []
    left_out: list[str] = []
    for turn in turns:
        if turn.role != "user":
            continue
        text = own_words(turn.content)
        if secret := why_secret(text):
            left_out.append(secret)
        if reason := why_noise(text):
            left_out.append(reason)
            continue
        for found in extract(text):
            memories.append(_memory(found, turn))
            facts += _facts(found, turn)
            over += _over(found, turn)
        over += [Over(one.slots, one.subject, one.value, turn.person_id, turn.id) for one in ended_in(text)]
    return Extracted(memories=memories, facts=facts, over=over, left_out=left_out)


def _memory(found: Found, turn: Message) -> MemoryDraft:
    said = {"attribute": found.attribute, "subject": found.subject, "value": found.value}
    told = {name: text for name, text in said.items() if text}
    flags = {name: True for name in ("negated", "explicit") if getattr(found, name)}
    return MemoryDraft(
        content=found.content,
        type=found.type,
        key=_key(found, turn),
        category=found.category.value,
        title=None if turn.person_id else _speaker(turn),
        metadata={"extractor": NAME, **told, **flags},
        person_id=turn.person_id,
        session_id=turn.session_id,
        source=SOURCE,
        source_ref=from_messages([turn]),
        observed_at=turn.sent_at,
        confidence=100 if found.explicit else CONFIDENCE,
    )


def _facts(found: Found, turn: Message) -> list[FactDraft]:
    """What somebody is or has, which belongs in every prompt; not what they are not."""
    whose = None if turn.person_id else _speaker(turn)
    return [
        FactDraft(
            category=one.category,
            key=f"{slug(whose)}_{one.key}"[:NAME_CHARS] if whose else one.key[:NAME_CHARS],
            value=one.value,
            person_id=turn.person_id,
            source=SOURCE,
            confidence=100 if found.explicit else CONFIDENCE,
            source_context=found.content,
            provenance=[turn.id],
        )
        for one in stated(found)
    ]


def _over(found: Found, turn: Message) -> list[Over]:
    """What a statement says is not so, or should be something else."""
    if found.category is Category.CORRECTION and found.replaces and found.value:
        return [Over((), None, found.replaces, turn.person_id, turn.id, instead=found.value)]
    if not (gone := denied(found)):
        return []
    slot, subject, value = gone
    return [Over((slot,), subject, value, turn.person_id, turn.id)]


def _key(found: Found, turn: Message) -> str:
    """The statement's key, apart for everybody who says it."""
    who = turn.person_id or _speaker(turn)
    return (f"{found.key}@{slug(who)}" if who else found.key)[-NAME_CHARS:]


def _speaker(turn: Message) -> str | None:
    return turn.name if turn.name and turn.name.casefold() not in NOBODY else None
