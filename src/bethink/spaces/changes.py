"""Changes of spaces as a whole: made, renamed, removed with all that they hold."""

from __future__ import annotations

from datetime import datetime

from bethink.clock import new_id
from bethink.erasure.erase import Erased
from bethink.errors import Conflict, NotFound
from bethink.nouns import NOUNS
from bethink.people import household
from bethink.records import Space
from bethink.shapes.accounts import GLOBAL_SPACE, ListedSpace, SpaceChange
from bethink.shapes.households import HouseholdDraft
from bethink.store import Tx, erasure, journal, spaces
from bethink.store.journal import note, values_of

_NAMES = {"name", "display_name"}


def create(tx: Tx, name: str, seed: HouseholdDraft | None, now: datetime, actor: str) -> ListedSpace:
    """Make a space that was not there before."""
    if spaces.find(tx, name):
        raise Conflict(f"name: there is a space {name!r} already.", field="name")
    made = household.ensure(tx, name, seed, now)
    journal.add(tx, [note(made, now, actor, "created", made, after=values_of(made, _NAMES))])
    return listed(tx, made)


def list_all(tx: Tx) -> list[ListedSpace]:
    """Every space with what it holds, in the order they were made."""
    counts = spaces.counts(tx)
    nothing = dict.fromkeys((noun.counted_as for noun in NOUNS if noun.counted_as), 0)
    return [
        ListedSpace(**space.model_dump(), counts=nothing | counts.get(space.id, {}))
        for space in spaces.list_all(tx)
    ]


def get(tx: Tx, name: str) -> ListedSpace:
    """One space with what it holds."""
    return listed(tx, named(tx, name))


def change(
    tx: Tx,
    space: Space,
    asked: SpaceChange,
    default: str,
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
) -> ListedSpace:
    """Call a space something else."""
    before = _claimed(tx, space, now)
    new = asked.name or before.name
    if new != before.name:
        if before.name in (default, GLOBAL_SPACE) or new == GLOBAL_SPACE:
            raise Conflict(f"name: {GLOBAL_SPACE!r} and the default space keep their names.", field="name")
        if spaces.find(tx, new):
            raise Conflict(f"name: there is a space {new!r} already.", field="name")
    update = {"name": new, "display_name": asked.display_name or before.display_name, "updated_at": now}
    after = before.model_copy(update=update)
    spaces.rename(tx, after)
    was, is_now = values_of(before, _NAMES), values_of(after, _NAMES)
    if was != is_now:
        journal.add(tx, [note(after, now, actor, "renamed", after, reason=reason, before=was, after=is_now)])
    return listed(tx, after)


def remove(tx: Tx, space: Space, home: Space, now: datetime, actor: str) -> Erased:
    """Delete a space, its keys and all that it holds. That it happened is in the journal of `home`."""
    erasure.secure(tx)
    _claimed(tx, space, now)
    erased = Erased(new_id(), erasure.everything(tx, space), whole_space=True)
    spaces.remove(tx, space, now)
    erasure.leaves_bytes(tx)
    journal.add(tx, [note(home, now, actor, "deleted", space, reason=f"receipt {erased.id}")])
    return erased


def _claimed(tx: Tx, space: Space, now: datetime) -> Space:
    """The space, held until the transaction ends, if it still has the name that it is meant by."""
    claimed = spaces.claim(tx, space.id, now)
    if claimed.name != space.name:
        raise NotFound(f"There is no space {space.name!r} any more: it has another name.", field="space")
    return claimed


def named(tx: Tx, name: str) -> Space:
    """The space of that name, which must be there."""
    if space := spaces.find(tx, name):
        return space
    raise NotFound(f"There is no space {name!r}.", field="space")


def listed(tx: Tx, space: Space) -> ListedSpace:
    return ListedSpace(**space.model_dump(), counts=spaces.counts_of(tx, space.id))
