"""Insights: added, extended, closed, changed, merged, forgotten, and what people do with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID, uuid5

from bethink.clock import new_id
from bethink.errors import InvalidInput, NotFound
from bethink.index.describe import Style
from bethink.index.tell import tell
from bethink.memories.remember import check_persons
from bethink.records import Json, Layer, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.insights import (
    Importance,
    Insight,
    InsightChange,
    InsightDraft,
    InsightEvent,
    InsightEventKind,
    InsightStatus,
    Urgency,
    happened,
)
from bethink.shapes.outcomes import InsightSet, Status
from bethink.store import Tx, entries, insights, journal, messages, rows
from bethink.store.journal import note, values_of
from bethink.text.slug import slug

_IDS = UUID("b6f4a1de-7c1e-4f57-9d9b-27f1a9a35a11")  # of ids that are made by rule
_PASSING = {"updated_at"}
KEPT_LINES = 200  # of details and of the timeline, the newest
T = TypeVar("T")


def insight_id(space: Space, bot_id: str, dedupe_key: str) -> str:
    """The one id that an insight with this key can have in a space."""
    return str(uuid5(_IDS, f"{space.id}\n{bot_id}\n{dedupe_key}"))


def add(tx: Tx, space: Space, draft: InsightDraft, style: Style, now: datetime, actor: str) -> InsightSet:
    """Store an insight; one that has its key is extended by what is new."""
    _check_messages(tx, space, draft.provenance)
    key = draft.dedupe_key or f"{draft.kind.value}:{slug(draft.title)}"
    if current := insights.by_key(tx, space.id, draft.bot_id, key):
        return extend(tx, space, current, draft, style, now, actor)
    made = _made(space, draft, key, now)
    rows.add(tx, "insight", [made])
    tell(tx, space, "insight", [made], style)
    journal.add(tx, [note(space, now, actor, "stored", made)])
    return InsightSet(status=Status.STORED, id=made.id, insight=made)


def _made(space: Space, draft: InsightDraft, key: str, now: datetime) -> Insight:
    at = draft.observed_at or now
    source = draft.provenance[0] if draft.provenance else None
    return Insight(
        id=insight_id(space, draft.bot_id, key),
        space_id=space.id,
        kind=draft.kind,
        title=draft.title,
        description=draft.description,
        importance=draft.importance,
        urgency=draft.urgency,
        task_label=draft.task_label or draft.kind.value,
        details=draft.details,
        timeline=[happened(at, "opened", source)],
        people=draft.people,
        platforms=draft.platforms,
        channels=draft.channels,
        bot_id=draft.bot_id,
        dedupe_key=key,
        preferences=draft.preferences,
        provenance=draft.provenance,
        due_at=draft.due_at,
        observed_at=at,
        created_at=now,
        updated_at=now,
    )


def extend(
    tx: Tx, space: Space, current: Insight, draft: InsightDraft, style: Style, now: datetime, actor: str
) -> InsightSet:
    """Let new evidence extend an insight: its timeline grows, and it becomes no less important.

    One that was closed before the evidence is open again.
    """
    at = draft.observed_at or now
    fresh = [one for one in draft.provenance if one not in current.provenance]
    if draft.provenance and not fresh:
        return InsightSet(
            status=Status.DUPLICATE, id=current.id, reason="this evidence was known", insight=current
        )
    reopens = current.closed_at is not None and at > current.closed_at
    lines = [happened(at, "reopened" if reopens else "evidence", next(iter(fresh), None))]
    after = current.model_copy(
        update={
            "importance": min(current.importance, draft.importance, key=[*Importance].index),
            "urgency": min(current.urgency, draft.urgency, key=[*Urgency].index),
            "description": current.description or draft.description,
            "details": _lines(current.details, draft.details),
            "timeline": _lines(current.timeline, lines),
            "people": _united(current.people, draft.people),
            "platforms": _united(current.platforms, draft.platforms),
            "channels": _united(current.channels, draft.channels),
            "preferences": {**current.preferences, **draft.preferences},
            "provenance": [*current.provenance, *fresh],
            "due_at": draft.due_at or current.due_at,
            "observed_at": max(at, current.observed_at),
            **(_OPEN if reopens else {}),
        }
    )
    changed = _store(tx, space, current, after, style, now, actor, "there is new evidence")
    return InsightSet(status=Status.MERGED, id=changed.id, reason="extended by new evidence", insight=changed)


_OPEN = {"status": InsightStatus.OPEN, "closed_at": None, "closed_by": None, "closed_because": None}


def get(tx: Tx, space: Space, insight_id: str) -> Insight:
    """An insight of this space, or NotFound."""
    return get_all(tx, space, [insight_id])[0]


def get_all(tx: Tx, space: Space, ids: Sequence[str]) -> list[Insight]:
    """Insights of this space, or NotFound for the first that is none."""
    found = rows.by_ids(tx, space.id, "insight", [one for one in ids if is_storable(one)])
    for id_ in ids:
        if id_ not in found:
            raise NotFound(f"There is no insight {id_!r} in this space.", field="id")
    return [found[id_] for id_ in ids]


def change(
    tx: Tx, space: Space, id_: str, wanted: InsightChange, style: Style, now: datetime, actor: str
) -> Insight:
    """Give some fields other values."""
    current = get(tx, space, id_)
    values = {name: getattr(wanted, name) for name in wanted.model_fields_set}
    return _store(tx, space, current, current.model_copy(update=values), style, now, actor, None)


def close(
    tx: Tx,
    space: Space,
    current: Insight,
    because: str,
    style: Style,
    now: datetime,
    actor: str,
    *,
    at: datetime | None = None,
    message_id: str | None = None,
    said: Json | None = None,
) -> Insight:
    """Close an insight, with the message that closes it if there is one; a closed one stays as it is."""
    if current.closed_at is not None:
        return current
    _check_messages(tx, space, [message_id] if message_id else [])
    ends = at or now
    update: dict[str, Any] = {
        "status": InsightStatus.CLOSED,
        "closed_at": ends,
        "closed_by": message_id,
        "closed_because": because,
        "timeline": _lines(current.timeline, [happened(ends, "closed", message_id)]),
    }
    if message_id:
        update["provenance"] = _united(current.provenance, [message_id])
    if said:
        update["details"] = _lines(current.details, [said])
    return _store(tx, space, current, current.model_copy(update=update), style, now, actor, None)


def resolve(
    tx: Tx,
    space: Space,
    id_: str,
    because: str,
    message_id: str | None,
    style: Style,
    now: datetime,
    actor: str,
) -> Insight:
    """Close an insight because somebody says so."""
    return close(tx, space, get(tx, space, id_), because, style, now, actor, message_id=message_id)


def reopen(tx: Tx, space: Space, id_: str, style: Style, now: datetime, actor: str) -> Insight:
    """Open a closed insight again."""
    current = get(tx, space, id_)
    if current.closed_at is None:
        return current
    timeline = _lines(current.timeline, [happened(now, "reopened")])
    after = current.model_copy(update={**_OPEN, "timeline": timeline})
    return _store(tx, space, current, after, style, now, actor, None)


def merge(
    tx: Tx, space: Space, into: str, others: Sequence[str], style: Style, now: datetime, actor: str
) -> Insight:
    """Make several insights one: what was said of the others, and done with them, goes to the first."""
    if into in others:
        raise InvalidInput("others: an insight cannot be merged into itself.", field="others")
    target, *merged = get_all(tx, space, list(dict.fromkeys([into, *others])))
    every = [target, *merged]
    details = sorted((line for one in every for line in one.details), key=lambda line: str(line.get("at")))
    timeline = sorted((line for one in every for line in one.timeline), key=lambda line: str(line.get("at")))
    after = target.model_copy(
        update={
            "importance": min((one.importance for one in every), key=[*Importance].index),
            "urgency": min((one.urgency for one in every), key=[*Urgency].index),
            "details": details[-KEPT_LINES:],
            "timeline": [*timeline, happened(now, "merged")][-KEPT_LINES:],
            "people": _united(*(one.people for one in every)),
            "platforms": _united(*(one.platforms for one in every)),
            "channels": _united(*(one.channels for one in every)),
            "provenance": _united(*(one.provenance for one in every)),
            "due_at": target.due_at or next((one.due_at for one in merged if one.due_at), None),
            "observed_at": max(one.observed_at for one in every),
        }
    )
    insights.move_events(tx, space.id, [one.id for one in merged], target.id)
    changed = _store(tx, space, target, after, style, now, actor, "other insights were merged into it")
    _drop(tx, space, merged, now, actor, f"merged into {target.id}")
    return changed


def forget(
    tx: Tx, space: Space, ids: Sequence[str], now: datetime, actor: str, *, reason: str | None = None
) -> list[Insight]:
    """Delete insights, and what was done with them; the journal keeps what they were."""
    gone = get_all(tx, space, list(dict.fromkeys(ids)))
    _drop(tx, space, gone, now, actor, reason)
    return gone


def _drop(
    tx: Tx, space: Space, gone: Sequence[Insight], now: datetime, actor: str, reason: str | None
) -> None:
    ids = [one.id for one in gone]
    rows.delete(tx, space.id, "insight", ids)
    entries.remove(tx, space, Layer.INSIGHT, ids)
    lines = [note(space, now, actor, "forgotten", one, reason=reason, before=values_of(one)) for one in gone]
    journal.add(tx, lines)


def happen(
    tx: Tx,
    space: Space,
    id_: str,
    kind: InsightEventKind,
    person_id: str | None,
    now: datetime,
    value: float = 1.0,
) -> Insight:
    """Note that somebody did something with an insight."""
    insight = get(tx, space, id_)
    check_persons(tx, space, {person_id} if person_id else set())
    event = InsightEvent(
        id=new_id(), space_id=space.id, insight_id=id_, person_id=person_id, kind=kind, value=value, at=now
    )
    rows.add(tx, "insight_event", [event])
    return insight


def _store(
    tx: Tx,
    space: Space,
    before: Insight,
    after: Insight,
    style: Style,
    now: datetime,
    actor: str,
    reason: str | None,
) -> Insight:
    names = {
        name
        for name in Insight.model_fields.keys() - _PASSING
        if getattr(before, name) != getattr(after, name)
    }
    if not names:
        return before
    changed = after.model_copy(update={"updated_at": now})
    rows.update(tx, "insight", changed)
    tell(tx, space, "insight", [changed], style)
    was, is_now = values_of(before, names), values_of(changed, names)
    journal.add(tx, [note(space, now, actor, "updated", changed, reason=reason, before=was, after=is_now)])
    return changed


def _check_messages(tx: Tx, space: Space, ids: Sequence[str]) -> None:
    """Refuse evidence that is not of this space."""
    if unknown := set(ids) - set(messages.by_ids(tx, space.id, ids)):
        raise InvalidInput(
            f"provenance: there is no message {min(unknown)!r} in this space.", field="provenance"
        )


def _lines(old: Sequence[Json], new: Sequence[Json]) -> list[Json]:
    return [*old, *(line for line in new if line not in old)][-KEPT_LINES:]


def _united(*lists: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(item for items in lists for item in items))
