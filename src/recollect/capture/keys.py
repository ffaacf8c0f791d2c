"""Changes of keys: each in one transaction with its line in the journal of the key's space."""

from __future__ import annotations

from datetime import datetime

from recollect.accounts import KeyChange, ListedKey
from recollect.capture.note import note, values_of
from recollect.errors import Conflict, NotFound
from recollect.fields import is_storable
from recollect.records import Key
from recollect.store import Tx, journal, keys, sign_ins, spaces

_TOLD = {"name", "role", "hint", "memory"}


def issue(tx: Tx, key: Key, key_hash: str, now: datetime, actor: str) -> ListedKey:
    """Keep a new key."""
    keys.add(tx, key, key_hash)
    return _changed(tx, key.id, None, "created", now, actor)


def change(tx: Tx, key_id: str, wanted: KeyChange, now: datetime, actor: str) -> ListedKey:
    """Change what of a key can be changed."""
    before = _active(tx, key_id)
    if wanted.name is not None:
        keys.rename(tx, key_id, wanted.name)
    if "memory" in wanted.model_fields_set:
        keys.set_memory(tx, key_id, wanted.memory)
    action = "switched" if "memory" in wanted.model_fields_set else "renamed"
    return _changed(tx, key_id, before, action, now, actor)


def rotate(tx: Tx, key_id: str, hint: str, key_hash: str, now: datetime, actor: str) -> ListedKey:
    """Give a key another secret: the old one, and every browser it signed in, is locked out at once."""
    before = _active(tx, key_id)
    keys.rehash(tx, key_id, hint, key_hash)
    sign_ins.remove_of_key(tx, key_id)
    return _changed(tx, key_id, before, "rotated", now, actor)


def revoke(tx: Tx, key_id: str, now: datetime, actor: str) -> ListedKey:
    """Make a key useless from now on, and every browser it signed in."""
    before = _active(tx, key_id)
    keys.revoke(tx, key_id, now)
    sign_ins.remove_of_key(tx, key_id)
    return _changed(tx, key_id, before, "revoked", now, actor)


def _active(tx: Tx, key_id: str) -> Key:
    found = keys.get(tx, key_id) if is_storable(key_id) else None
    if found is None:
        raise NotFound(f"There is no key {key_id!r}; 'recollect keys list' shows them.", field="id")
    if found[0].revoked_at:
        raise Conflict(f"id: the key {key_id!r} was revoked, for good; make another.", field="id")
    return found[0]


def _changed(tx: Tx, key_id: str, before: Key | None, action: str, now: datetime, actor: str) -> ListedKey:
    found = keys.get(tx, key_id)
    if found is None:
        raise NotFound(f"There is no key {key_id!r}.", field="id")
    key, space_name = found
    was = values_of(before, _TOLD) if before else None
    line = note(
        spaces.get(tx, key.space_id), now, actor, action, key, before=was, after=values_of(key, _TOLD)
    )
    journal.add(tx, [line])
    return ListedKey(**key.model_dump(), space=space_name)
