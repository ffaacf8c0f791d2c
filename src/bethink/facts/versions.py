"""Set and drop facts. A new value closes the version there was; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.errors import NotFound
from bethink.index.describe import fact_entry
from bethink.memories.remember import check_persons
from bethink.records import Fact, Layer, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.inputs import FactDraft
from bethink.shapes.outcomes import FactSet, Status
from bethink.store import Tx, entries, facts, journal
from bethink.store.journal import note, values_of
from bethink.text.secrets import masked_record


def set_fact(
    tx: Tx,
    space: Space,
    draft: FactDraft,
    now: datetime,
    actor: str,
    *,
    because: str | None = None,
    since: datetime | None = None,
) -> FactSet:
    """Make a value current. The same value again only verifies it; another one supersedes it.

    `because` says why a value of old is set again; it is the reason that the journal gives, in place of its
    own. `since` is when it was said, if that was earlier.
    """
    check_persons(tx, space, {draft.person_id} if draft.person_id else set())
    current = facts.current(tx, space.id, draft.person_id, draft.category, draft.key)
    if current and _says_the_same(current, draft) and not _over(current, now):
        return _verify(tx, space, current, draft, now, actor)
    if current and current.promoted:
        draft = draft.model_copy(update={"promoted": True})
    fact = open_fact(tx, space, draft, current, now, actor, because=because, since=since)
    reason = f"the value was {masked_record(current).value!r}" if current else None
    status = Status.MERGED if current else Status.STORED
    return FactSet(status=status, id=fact.id, reason=reason, fact=fact, previous=current)


def open_fact(
    tx: Tx,
    space: Space,
    draft: FactDraft,
    current: Fact | None,
    now: datetime,
    actor: str,
    *,
    because: str | None = None,
    since: datetime | None = None,
) -> Fact:
    """Open a version just as the draft says, and close the one there is."""
    begins = min(since or now, now)
    if current:  # what was set by hand, or said later, is not shortened to nothing
        begins = max(begins, current.valid_from)
    fields = {name: getattr(draft, name) for name in type(draft).model_fields}
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    fact = Fact(
        id=new_id(), space_id=space.id, valid_from=begins, last_verified_at=now, created_at=now, **fields
    )
    if current:
        close_fact(tx, space, current, begins, superseded_by=fact.id)
        reason, before = f"the value was {masked_record(current).value!r}", values_of(current)
        after = values_of(fact, {"value", "provenance"})
        action = "superseded"
    else:
        reason = None
        after = values_of(fact) if because else None
        action = "restored" if because else "stored"
    facts.add(tx, fact)
    entries.put(tx, space, [fact_entry(fact)])
    line = note(space, now, actor, action, fact, reason=because or reason, before=before, after=after)
    journal.add(tx, [line])
    return fact


def drop_fact(
    tx: Tx,
    space: Space,
    person_id: str | None,
    category: str,
    key: str,
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
    action: str = "forgotten",
) -> Fact:
    """End the current version; its history stays."""
    current = facts.current(tx, space.id, person_id, category, key)
    if current is None:
        raise NotFound(f"There is no current fact {category}/{key} in this space.", field="key")
    close_fact(tx, space, current, now, superseded_by=None)
    before = values_of(current)
    journal.add(tx, [note(space, now, actor, action, current, reason=reason, before=before)])
    return current.until(now)


def end_fact(
    tx: Tx,
    space: Space,
    fact: Fact,
    at: datetime,
    now: datetime,
    actor: str,
    *,
    reason: str,
    provenance: Sequence[str] = (),
) -> Fact:
    """End a current version from when it was said to be over; the journal names the messages that say so."""
    ends = max(min(at, now), fact.valid_from)
    close_fact(tx, space, fact, ends, superseded_by=None)
    after = {"provenance": list(provenance)}
    journal.add(
        tx, [note(space, now, actor, "ended", fact, reason=reason, before=values_of(fact), after=after)]
    )
    return fact.until(ends)


def restore_fact(
    tx: Tx, space: Space, fact_id: str, now: datetime, actor: str, *, reason: str | None = None
) -> FactSet:
    """Make an earlier version current again, as a new one that lasts unless it said until when."""
    old = facts.by_ids(tx, space.id, [fact_id]).get(fact_id) if is_storable(fact_id) else None
    if old is None:
        raise NotFound(f"There is no version of a fact {fact_id!r} in this space.", field="id")
    fields = {name: getattr(old, name) for name in FactDraft.model_fields}
    if _over(old, now):
        fields["expires_at"] = None
    said = old.valid_from.isoformat(timespec="seconds")
    return set_fact(
        tx, space, FactDraft(**fields), now, actor, because=reason or f"restored as it was from {said}"
    )


def _verify(tx: Tx, space: Space, current: Fact, draft: FactDraft, now: datetime, actor: str) -> FactSet:
    update = {
        "last_verified_at": now,
        "confidence": max(current.confidence, draft.confidence),
        "promoted": draft.promoted or current.promoted,
    }
    fact = current.model_copy(update=update)
    facts.assess(tx, fact)
    before, after = values_of(current, set(update)), values_of(fact, set(update))
    journal.add(tx, [note(space, now, actor, "verified", fact, before=before, after=after)])
    return FactSet(
        status=Status.DUPLICATE, id=fact.id, reason="the value was known; verified again", fact=fact
    )


def close_fact(tx: Tx, space: Space, fact: Fact, now: datetime, superseded_by: str | None) -> None:
    """End a version, in the index too."""
    facts.close(tx, fact, now, superseded_by)
    entries.expire(tx, space, Layer.FACT, fact.id, min(now, fact.expires_at or now))


def _says_the_same(current: Fact, draft: FactDraft) -> bool:
    """The same value, for as long: without a new end the one there is stays."""
    ends = draft.expires_at if "expires_at" in draft.model_fields_set else current.expires_at
    return (current.value, current.expires_at) == (draft.value, ends)


def _over(fact: Fact, now: datetime) -> bool:
    return fact.expires_at is not None and fact.expires_at <= now
