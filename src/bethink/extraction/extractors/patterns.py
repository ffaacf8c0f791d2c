"""The extractor without a chat model: what users say that is worth keeping, in their own words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bethink.extraction.asked_to_forget import marked
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
from bethink.extraction.patterns.changes import says_change
from bethink.extraction.patterns.endings import ended_in
from bethink.extraction.patterns.keys import slug
from bethink.extraction.slotted import denied, stated
from bethink.extraction.worth import Kept, judge, moved, with_wishes, without_material, without_secrets
from bethink.models.worth import Unit, Worth
from bethink.records import Message
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.text.secrets import why_secret

NAME = "patterns"
CONFIDENCE = 80  # of what a rule found; asked for in so many words, it is certain
SURE = 0.3  # of a slot, from which on it is told
CHANGED = 0.8  # chance that something no longer holds, where the words say so


class Patterns:
    """Reads every turn of the user as soon as it is there: the rules, and the model of worth if there is one.

    `least` is the worth from which on something is kept.
    """

    name = NAME

    def __init__(self, worth: Worth | None = None, least: float = 0.9) -> None:
        self._worth, self._least = worth, least

    def due(self, unread: Unread) -> list[Sequence[Message]]:
        """All of it: reading costs little."""
        return [unread.messages] if unread.messages else []

    async def extract(self, turns: Sequence[Message], known: Known) -> Extracted:
        """What is worth keeping, off the event loop."""
        before = known.before[-1].content if known.before else ""
        return await asyncio.to_thread(read_turns, turns, self._worth, self._least, before)


def read_turns(
    turns: Sequence[Message], worth: Worth | None = None, least: float = 0.9, before: str = ""
) -> Extracted:
    """What the users among these turns say that is worth keeping; `before` is what was said just before."""
    memories: list[MemoryDraft] = []
    facts: list[FactDraft] = []
    over: list[Over] = []
    left_out: list[str] = []
    read: dict[str, Mapping[int, Unit]] = {}
    for turn in turns:
        said, before = before, turn.content
        if turn.role != "user":
            continue
        text = own_words(turn.content)
        if secret := why_secret(text):
            left_out.append(secret)
        noise, found = why_noise(text), extract(text)
        units = worth.read_now(said, text) if worth and text.strip() else None
        if units is None:
            if noise:
                left_out.append(noise)
                continue
            memories += [_memory(one, turn) for one in found]
            facts += [fact for one in found for fact in _facts(one, turn)]
            over += _all_over(text, found, turn)
            continue
        units = with_wishes(text, without_material(text, marked(text, without_secrets(text, units))))
        units = [_as_change(text, unit) for unit in units]
        read[turn.id] = moved(units, text, turn.content)
        judged = judge(text, units, found, least)
        left_out += [noise] if noise and not judged.kept else judged.left_out
        memories += [_of_unit(one, turn) for one in judged.kept]
        words = {one.found: one.content for one in judged.kept if one.found}
        facts += [fact for one in judged.facts for fact in _facts(one, turn, words.get(one))]
        over += _all_over(text, judged.facts, turn)
    return Extracted(memories=memories, facts=facts, over=over, left_out=left_out, units=read)


def _as_change(text: str, unit: Unit) -> Unit:
    """The unit as one that says a change, where its words do: "he swapped me to insulin"."""
    if unit.sure < SURE or not says_change(text[unit.start : unit.end], unit.slot):
        return unit
    return replace(unit, replaces=max(unit.replaces, CHANGED))


def _all_over(text: str, found: Sequence[Found], turn: Message) -> list[Over]:
    """What a turn says is over: by the rules' finds, and by what it says in so many words."""
    ends = [Over(one.slots, one.subject, one.value, turn.person_id, turn.id) for one in ended_in(text)]
    return [*(end for one in found for end in _over(one, turn)), *ends]


def _of_unit(kept: Kept, turn: Message) -> MemoryDraft:
    """A memory of what the model of worth takes for worth keeping."""
    unit = kept.unit
    told = {"unit": kept.number, "units": kept.units, "kind": unit.kind, "worth": unit.worth}
    if unit.sure >= SURE:
        told["slot"] = unit.slot
    if kept.found is not None:
        draft = _memory(kept.found, turn)
        update = {"content": kept.content, "metadata": {**draft.metadata, **told}}
        return draft.model_copy(update=update)
    return MemoryDraft(
        content=kept.content,
        type=kept.type,
        category=unit.kind,
        title=None if turn.person_id else _speaker(turn),
        metadata={"extractor": NAME, **told},
        person_id=turn.person_id,
        session_id=turn.session_id,
        source=SOURCE,
        source_ref=from_messages([turn]),
        observed_at=turn.sent_at,
        confidence=CONFIDENCE,
    )


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


def _facts(found: Found, turn: Message, words: str | None = None) -> list[FactDraft]:
    """What somebody is or has, which belongs in every prompt; not what they are not.

    `words` are those of the memory that says the same, where it has others than the rule found.
    """
    whose = None if turn.person_id else _speaker(turn)
    return [
        FactDraft(
            category=one.category,
            key=f"{slug(whose)}_{one.key}"[:NAME_CHARS] if whose else one.key[:NAME_CHARS],
            value=one.value,
            person_id=turn.person_id,
            source=SOURCE,
            confidence=100 if found.explicit else CONFIDENCE,
            source_context=words or found.content,
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
