"""Choose options for a space or the server, or take the choice back; the journal keeps what was before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.records import JournalEntry, Space
from bethink.shapes.options import SERVER_WIDE, Options, Scope
from bethink.store import Tx, journal, settings


def choose(tx: Tx, space: Space, scope: Scope, changes: Mapping[str, Any], now: datetime, actor: str) -> None:
    """Store options; those that the whole server shares are stored for it, whatever the scope."""
    for place, names in _places(space, scope, changes):
        before = settings.of_space(tx, place)
        for name in names:
            settings.put(tx, place, name, changes[name], now)
        note_options(tx, space, place, now, actor, before)


def take_back(tx: Tx, space: Space, scope: Scope, names: Iterable[str], now: datetime, actor: str) -> None:
    """Forget choices, so that what lies under them holds again."""
    for place, chosen in _places(space, scope, names):
        before = settings.of_space(tx, place)
        for name in chosen:
            settings.remove(tx, place, name)
        note_options(tx, space, place, now, actor, before)


def _places(space: Space, scope: Scope, names: Iterable[str]) -> list[tuple[str, list[str]]]:
    known = [name for name in names if name in Options.model_fields]
    shared = [name for name in known if scope == "server" or name in SERVER_WIDE]
    own = [name for name in known if name not in shared]
    return [(place, some) for place, some in ((settings.SERVER, shared), (space.id, own)) if some]


def note_options(
    tx: Tx,
    space: Space,
    place: str,
    now: datetime,
    actor: str,
    before: Mapping[str, Any],
    *,
    reason: str | None = None,
) -> JournalEntry | None:
    """Note what is chosen otherwise than before, if anything; what is not chosen is in neither part."""
    after = settings.of_space(tx, place)
    missing = object()
    changed = [
        name
        for name in sorted(before.keys() | after.keys())
        if before.get(name, missing) != after.get(name, missing)
    ]
    if not changed:
        return None
    entry = JournalEntry(
        id=new_id(),
        space_id=space.id,
        at=now,
        actor=actor,
        action="updated",
        noun="options",
        record_id="server" if place == settings.SERVER else "space",
        reason=reason,
        before={name: before[name] for name in changed if name in before},
        after={name: after[name] for name in changed if name in after},
    )
    journal.add(tx, [entry])
    return entry
