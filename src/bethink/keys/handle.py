"""The façade's part about keys: who may use the server, and how far."""

from __future__ import annotations

import secrets
from typing import Unpack

from bethink.clock import new_id, now
from bethink.core import Handle
from bethink.keys import changes as key_changes
from bethink.records import Key
from bethink.shapes.accounts import IssuedKey, KeyChange, KeyDraft, ListedKey
from bethink.shapes.fields import checked
from bethink.shapes.keywords import KeyChanges, KeyFields
from bethink.store import keys
from bethink.store.keys import hashed

PREFIX = "bk_"
HINT_CHARS = 4


class AsyncKeys:
    """The keys of a server, of every space. A secret is returned when it is made; only its hash is kept."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def create(self, name: str, **fields: Unpack[KeyFields]) -> IssuedKey:
        """Make a key for a space, by default a member's for this one; a space that is not there is made."""
        core, home = await self._space.inside.here()
        draft = checked(KeyDraft, {"name": name, **fields})
        opened = home if draft.space is None else await core.spaces.ensured(draft.space)
        secret, at = _new_secret(), now()
        hint = secret[-HINT_CHARS:]
        key = Key(id=new_id(), space_id=opened.id, name=draft.name, role=draft.role, hint=hint, created_at=at)
        made = await core.driver.write(key_changes.issue, key, hashed(secret), at, self._space.inside.actor)
        return _issued(made, secret)

    async def list(self) -> list[ListedKey]:
        """Every key, revoked ones too, in the order they were made."""
        core, _ = await self._space.inside.here()
        found = await core.driver.read(keys.list_all)
        return [ListedKey(**key.model_dump(), space=space) for key, space in found]

    async def rename(self, key_id: str, name: str) -> ListedKey:
        """Call a key something else."""
        return await self.update(key_id, name=name)

    async def update(self, key_id: str, **changes: Unpack[KeyChanges]) -> ListedKey:
        """Change what is given of a key. `memory` says whether the gateway uses it; None: as its space."""
        core, _ = await self._space.inside.here()
        change = checked(KeyChange, changes)
        return await core.driver.write(key_changes.change, key_id, change, now(), self._space.inside.actor)

    async def rotate(self, key_id: str) -> IssuedKey:
        """Give a key a new secret. The old one is dead at once, and browsers it signed in are signed out."""
        core, _ = await self._space.inside.here()
        secret = _new_secret()
        changed = await core.driver.write(
            key_changes.rotate, key_id, secret[-HINT_CHARS:], hashed(secret), now(), self._space.inside.actor
        )
        return _issued(changed, secret)

    async def revoke(self, key_id: str) -> ListedKey:
        """Make a key useless from now on; browsers it signed in are signed out."""
        core, _ = await self._space.inside.here()
        return await core.driver.write(key_changes.revoke, key_id, now(), self._space.inside.actor)


def _new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def _issued(key: ListedKey, secret: str) -> IssuedKey:
    return IssuedKey(**key.model_dump(), secret=secret)
