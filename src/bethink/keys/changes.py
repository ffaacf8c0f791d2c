"""Changes of keys: each in one transaction with its line in the journal of the key's space."""

from __future__ import annotations

from datetime import datetime

from bethink.errors import Conflict, NotFound
from bethink.records import Key
from bethink.shapes.accounts import KeyChange, ListedKey
from bethink.shapes.fields import is_storable
from bethink.store import Tx, journal, keys, sign_ins, spaces
from bethink.store.journal import note, values_of

_TOLD = {"name", "role", "hint", "memory"}


def issue(tx: Tx, key: Key, key_hash: str, now: datetime, actor: str) -> ListedKey:
    """Keep a new key."""
    keys.add(tx, key, key_hash)
    return _changed(tx, key.id, None, "created", now, actor)


def change(
    tx: Tx, key_id: str, wanted: KeyChange, now: datetime, actor: str, *, reason: str | None = None
) -> ListedKey:
    """Change what of a key can be changed."""
    before = active(tx, key_id)
    given = {name: getattr(wanted, name) for name in wanted.model_fields_set}
    changes = {name: value for name, value in given.items() if getattr(before, name) != value}
    if not changes:
        key, space_name = _found(tx, key_id)
        return ListedKey(**key.model_dump(), space=space_name)
    if "name" in changes:
        keys.rename(tx, key_id, changes["name"])
    if "memory" in changes:
        keys.set_memory(tx, key_id, changes["memory"])
    action = "switched" if "memory" in changes else "renamed"
    return _changed(tx, key_id, before, action, now, actor, reason)


def rotate(tx: Tx, key_id: str, hint: str, key_hash: str, now: datetime, actor: str) -> ListedKey:
    """Give a key another secret: the old one, and every browser it signed in, is locked out at once."""
    before = active(tx, key_id)
    keys.rehash(tx, key_id, hint, key_hash)
    sign_ins.remove_of_key(tx, key_id)
    return _changed(tx, key_id, before, "rotated", now, actor)


def revoke(tx: Tx, key_id: str, now: datetime, actor: str) -> ListedKey:
    """Make a key useless from now on, and every browser it signed in."""
    before = active(tx, key_id)
    keys.revoke(tx, key_id, now)
    sign_ins.remove_of_key(tx, key_id)
    return _changed(tx, key_id, before, "revoked", now, actor)


def active(tx: Tx, key_id: str) -> Key:
    """A key that was not revoked."""
    found = keys.get(tx, key_id) if is_storable(key_id) else None
    if found is None:
        raise NotFound(f"There is no key {key_id!r}; 'bethink keys list' shows them.", field="id")
    if found[0].revoked_at:
        raise Conflict(f"id: the key {key_id!r} was revoked, for good; make another.", field="id")
    return found[0]


def _changed(
    tx: Tx,
    key_id: str,
    before: Key | None,
    action: str,
    now: datetime,
    actor: str,
    reason: str | None = None,
) -> ListedKey:
    key, space_name = _found(tx, key_id)
    was, after = values_of(before, _TOLD) if before else None, values_of(key, _TOLD)
    home = spaces.get(tx, key.space_id)
    journal.add(tx, [note(home, now, actor, action, key, reason=reason, before=was, after=after)])
    return ListedKey(**key.model_dump(), space=space_name)


def _found(tx: Tx, key_id: str) -> tuple[Key, str]:
    if found := keys.get(tx, key_id):
        return found
    raise NotFound(f"There is no key {key_id!r}.", field="id")
