"""/api/journal: who changed what, when and why; and undo."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from bethink.access import require_undoing
from bethink.records import Utc
from bethink.rest.callers import Asking, ReadSpace, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name
from bethink.shapes.rights import Cursor, JournalPage, Undone

router = APIRouter(prefix="/api/journal", tags=["journal"], route_class=KeyRoute)


@dataclass(frozen=True)
class ChosenLines:
    """Which lines to list."""

    record_id: Annotated[Name | None, Query(alias="recordId", description="Of this record.")] = None
    noun: Annotated[Name | None, Query(description="Of such records: memory, fact, message, …")] = None
    action: Annotated[Name | None, Query(description="Such changes: stored, updated, forgotten, …")] = None
    actor: Annotated[Name | None, Query(description="Made by this actor, such as key:ab12.")] = None
    since: Annotated[Utc | None, Query(description="Made at this time or later.")] = None
    until: Annotated[Utc | None, Query(description="Made before this time.")] = None
    cursor: Annotated[Cursor | None, Query(description="The `nextCursor` of the piece before.")] = None


@router.get("", summary="Read the journal", response_description="The changes.", responses=problems())
async def list_journal(
    space: ReadSpace, chosen: Annotated[ChosenLines, Depends()], limit: Limit = 50
) -> JournalPage:
    """Every change of the space, newest first: who made it, what it replaced, and why."""
    return await space.journal(limit=limit, **asdict(chosen))


@router.post(
    "/{id}/undo",
    summary="Undo a change",
    response_description="The record as it is now, and the new line of the journal.",
    responses=problems(404, 409),
)
async def undo(
    space: WriteSpace,
    asking: Asking,
    entry_id: Annotated[Name, Path(alias="id", description="The line's id.")],
) -> Undone:
    """Bring back what an update, a merge, an edit, a removal or a renaming replaced.

    Refused when what the change left is no longer what there is. Undoing is noted, and can be undone.
    Changes of keys, of a space's name and of the server's options need an admin key.
    """
    await require_undoing(asking, space, entry_id)
    return await space.undo(entry_id)
