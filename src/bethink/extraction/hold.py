"""Hold back a fact that would replace who somebody is, and keep what was said until it is confirmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bethink.extraction.duplicates import stands_in
from bethink.extraction.extractors.contract import SOURCE, from_messages
from bethink.extraction.patterns.changes import change_cue, is_said
from bethink.extraction.patterns.keys import slug
from bethink.extraction.patterns.surroundings import speak_of_a_text
from bethink.memories.revise import forget
from bethink.records import Fact, Message, Space
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.shapes.outcomes import FactSet, Status
from bethink.store import Tx, contexts, facts, journal, memories, messages
from bethink.store.journal import note
from bethink.text.identity import Decision, Mention, in_a_text, is_short_for, may_replace
from bethink.text.slots import kind_of, named
from bethink.text.traces import strings_in

CONFIDENCE = 40  # in what is held back: a prompt calls it unsure
_CONFIRMED = "it was said again, and is a fact now"


@dataclass(frozen=True, slots=True)
class Held:
    """A fact that stayed, and the memory of what was said instead."""

    outcome: FactSet
    draft: FactDraft
    memory: MemoryDraft | None  # None where a context says it already


def weigh(
    tx: Tx, space: Space, current: Fact, draft: FactDraft, said: Mapping[str, Message], now: datetime
) -> Decision | None:
    """Whether a draft may replace the current fact; None where that is no question of identity."""
    kind = kind_of(draft.category, draft.key)
    over = current.expires_at is not None and current.expires_at <= now
    if kind is None or over or current.value == draft.value:
        return None
    saying = _saying([said[id_] for id_ in draft.provenance if id_ in said], draft.value)
    if not saying:  # nothing is known of where it was said, so nothing speaks against it
        return None
    value, earlier = draft.value, _earlier(tx, space, draft)
    sure = [one for one in (*earlier, *saying) if not speak_of_a_text(one.content, value)]
    if not any(one in sure for one in saying):
        return in_a_text(draft.key, current.value, value)
    cues = (change_cue(one.content, value, kind) for one in saying if one in sure and one.role == "user")
    cue = next((cue for cue in cues if cue), None)
    mentions = [Mention(one.id, one.session_id, one.content) for one in sure]
    return may_replace(draft.key, current.value, value, cue, mentions)


def gives_another_name(
    tx: Tx, space: Space, drafts: Sequence[FactDraft], now: datetime
) -> frozenset[str | None]:
    """Whose facts a message cannot be about: it gives another name than theirs, and not as a change.

    "My name is Bob. I moved to Berlin." is a text of Bob's where the user is known as Anna.
    """
    found: set[str | None] = set()
    for draft in drafts:
        about = named(draft.category, draft.key, draft.value)
        if about is None or about.subject is not None or about.slot.name != "name":
            continue
        current = facts.current(tx, space.id, draft.person_id, draft.category, draft.key)
        if current is None or is_short_for(current.value, draft.value):
            continue
        said = messages.by_ids(tx, space.id, draft.provenance)
        decision = weigh(tx, space, current, draft, said, now)
        if decision is not None and not decision.replace and not decision.same:
            found.add(draft.person_id)
    return frozenset(found)


def hold(
    tx: Tx,
    space: Space,
    current: Fact,
    draft: FactDraft,
    said: Mapping[str, Message],
    reason: str,
    now: datetime,
    actor: str,
) -> Held:
    """Leave the fact as it is, say why in the journal, and draft a memory of what was said."""
    after = {"value": draft.value, "provenance": list(draft.provenance)}
    journal.add(tx, [note(space, now, actor, "held", current, reason=reason, after=after)])
    outcome = FactSet(status=Status.HELD, id=current.id, reason=reason, fact=current)
    known = [said[id_] for id_ in draft.provenance if id_ in said]
    memory = MemoryDraft(
        content=draft.source_context or f"{draft.key.replace('_', ' ')}: {draft.value}",
        category=draft.category,
        person_id=draft.person_id,
        session_id=known[-1].session_id if known else None,
        source=SOURCE,
        source_ref=from_messages(known) | {"messages": list(draft.provenance)},
        observed_at=max((message.sent_at for message in known), default=now),
    )
    given = any(stands_in(memory, one.content, -1.0, 1.0) for one in contexts.list_all(tx, space.id))
    return Held(outcome, draft, None if given else held_back(memory, draft, reason))


def held_back(memory: MemoryDraft, draft: FactDraft, reason: str) -> MemoryDraft:
    """A memory of what was said, beside the one of what is true rather than in its place."""
    metadata = {**memory.metadata, "held": reason}
    update = {"key": _key(draft), "metadata": metadata, "confidence": min(memory.confidence, CONFIDENCE)}
    return memory.model_copy(update=update)


def confirm(tx: Tx, space: Space, draft: FactDraft, now: datetime, actor: str) -> None:
    """Withdraw the memory of an earlier mention, when the fact says it."""
    if known := memories.by_keys(tx, space.id, [_key(draft)]).get(_key(draft)):
        forget(tx, space, [known.id], now, actor, reason=_CONFIRMED, action="withdrawn")


def _saying(known: Sequence[Message], value: str) -> Sequence[Message]:
    """The messages that say a value in so many words, else all that it was taken from."""
    return [one for one in known if one.role == "user" and is_said(one.content, value)] or known


def _earlier(tx: Tx, space: Space, draft: FactDraft) -> list[Message]:
    known = memories.by_keys(tx, space.id, [_key(draft)]).get(_key(draft))
    ids = strings_in(known.source_ref.get("messages")) if known else []
    return list(messages.by_ids(tx, space.id, list(ids)).values())


def _key(draft: FactDraft) -> str:
    """The key of what is held back: the same for everyone who says this value of this fact."""
    return f"held:{draft.person_id or ''}:{draft.category}/{draft.key}:{slug(draft.value)}"[-NAME_CHARS:]
