"""What mem0 takes and gives, from and to what we have: messages, expiry, memories, histories. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from bethink.errors import InvalidInput
from bethink.integrations.mem0_filters import OWNERS
from bethink.records import JournalEntry, Json
from bethink.records import Memory as Note
from bethink.shapes.outcomes import Hit, Status
from bethink.shapes.weaving import text_of

Messages = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
Expiry = date | str | None
EVENTS: Final = {Status.STORED: "ADD", Status.MERGED: "UPDATE", Status.DUPLICATE: "NONE"}
EXPIRATION: Final = "expiration_date"
_BESIDE = ("actor_id", "role", EXPIRATION)  # kept in the metadata, shown beside them
_IDENTITY = (*OWNERS, "actor_id")
_ACTIONS = {"stored": "ADD", "forgotten": "DELETE", "restored": "ADD"}
_SCORES = ("fused", "vector", "terms", "late", "recency", "rerank")


def said(messages: Messages) -> list[dict[str, Any]]:
    """The messages that were given, in whichever way."""
    given = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    listed = [given] if isinstance(given, Mapping) else given
    if not isinstance(listed, Sequence) or not all(isinstance(one, Mapping) for one in listed):
        raise InvalidInput(
            "messages: must be a text, a message or a list of messages, such as"
            ' {"role": "user", "content": "I like tea"}.',
            field="messages",
        )
    return [dict(one) for one in listed]


def as_notes(messages: Messages) -> list[tuple[str, dict[str, str]]]:
    """The texts of messages with who said each; instructions are nobody's memory."""
    found = []
    for one in said(messages):
        text = text_of(one.get("content")).strip()
        if text and one.get("role") != "system":
            who = {"role": one.get("role"), "actor_id": one.get("name")}
            found.append((text, {name: str(value) for name, value in who.items() if value}))
    return found


def own_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """The caller's metadata, without what would give a memory to somebody else."""
    return {name: value for name, value in (metadata or {}).items() if name not in _IDENTITY}


def expiry(given: Expiry) -> tuple[str | None, datetime | None]:
    """A day as mem0 writes it, and when a memory that is good for all of that day ends."""
    if given is None:
        return None, None
    try:
        day = date.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        day = None
    if not isinstance(day, date):
        raise InvalidInput(f"{EXPIRATION}: must be a day such as 2031-05-01.", field=EXPIRATION)
    day = day.date() if isinstance(day, datetime) else day
    return day.isoformat(), datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def fields_of(note: Note) -> dict[str, Any]:
    """What filters look at."""
    times = {"created_at": note.created_at.isoformat(), "updated_at": note.updated_at.isoformat()}
    return {**times, **note.metadata}


def told(space: str, note: Note) -> Json:
    """A memory as mem0 shows it."""
    kept = {name: value for name, value in note.metadata.items() if value is not None}
    beside = {name: kept.pop(name) for name in (*OWNERS, *_BESIDE) if name in kept}
    return {
        "id": f"{space}/{note.id}",
        "memory": note.content,
        "hash": hashlib.md5(note.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": kept or None,
        "created_at": note.created_at.isoformat(),
        "updated_at": note.updated_at.isoformat(),
        **beside,
    }


def told_hit(space: str, hit: Hit, note: Note, *, explain: bool) -> Json:
    """A memory that was found, with how well it fits."""
    score: Json = {"score": max(hit.score, 0.0)}
    if explain:
        score["score_details"] = {name: getattr(hit, name) for name in _SCORES}
    return told(space, note) | score


def history(memory_id: str, lines: Sequence[JournalEntry], note: Note | None) -> list[Json]:
    """Lines of the journal, newest first, as mem0's history: what each made of the text, oldest first."""
    found: list[Json] = []
    text = note.content if note else None
    kept = note.metadata if note else _metadata_of(lines)
    who = {name: kept.get(name) for name in ("actor_id", "role")}
    for line in lines:
        before = (line.before or {}).get("content")
        if line.action == "forgotten":
            old, new = before, None
        elif line.action == "stored":
            old, new = None, text
        elif before is None:
            continue  # nothing was said anew
        else:
            old, new = before, (line.after or {}).get("content", text)
        text = old
        found.append(
            {
                "id": line.id, "memory_id": memory_id, "old_memory": old, "new_memory": new,
                "event": _ACTIONS.get(line.action, "UPDATE"), "created_at": line.at.isoformat(),
                "updated_at": line.at.isoformat(), "is_deleted": line.action == "forgotten", **who,
            }
        )  # fmt: skip
    return found[::-1]


def _metadata_of(lines: Sequence[JournalEntry]) -> Mapping[str, Any]:
    """The metadata of a memory that is gone, as the journal has them."""
    kept = ((line.before or {}).get("metadata") for line in lines if line.action == "forgotten")
    found = next(kept, None)
    return found if isinstance(found, Mapping) else {}
