"""The extractor without a model: rules that find what users say of themselves, in their own words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bethink.extraction.extractors.contract import SOURCE, Extracted, Known, Unread, from_messages
from bethink.extraction.noise import own_words, why_noise
from bethink.extraction.patterns import Category, Found, extract
from bethink.extraction.patterns.keys import slug
from bethink.records import Message
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.text.secrets import why_secret

NAME = "patterns"
CONFIDENCE = 80  # of what a rule found; asked for in so many words, it is certain
_NOBODY = frozenset({"user", "human", "me", "you"})  # names that tell nobody apart


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
            if fact := _fact(found, turn):
                facts.append(fact)
    return Extracted(memories=memories, facts=facts, left_out=left_out)


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


def _fact(found: Found, turn: Message) -> FactDraft | None:
    """What somebody is or has, which belongs in every prompt; not what they are not."""
    if found.category is not Category.IDENTITY or found.negated or not (found.attribute and found.value):
        return None
    whose = None if turn.person_id else _speaker(turn)
    about = found.key.partition(":")[2].replace(":", "_")  # what tells several values apart is in there
    return FactDraft(
        category="identity",
        key=f"{slug(whose)}_{about}"[:NAME_CHARS] if whose else about[:NAME_CHARS],
        value=found.value,
        person_id=turn.person_id,
        source=SOURCE,
        confidence=100 if found.explicit else CONFIDENCE,
        source_context=found.content,
        provenance=[turn.id],
    )


def _key(found: Found, turn: Message) -> str:
    """The statement's key, apart for everybody who says it."""
    who = turn.person_id or _speaker(turn)
    return (f"{found.key}@{slug(who)}" if who else found.key)[-NAME_CHARS:]


def _speaker(turn: Message) -> str | None:
    return turn.name if turn.name and turn.name.casefold() not in _NOBODY else None
