"""Who may do what: a key opens its space, and its role says how far."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from recollect.clock import new_id, now
from recollect.errors import AccessDenied, NotFound, Unauthenticated
from recollect.inputs import check_name
from recollect.memory import AsyncRecollect, AsyncSpace
from recollect.records import Key, Role
from recollect.store import keys, spaces

PREFIX = "rk_"
TOUCH_AFTER = timedelta(minutes=1)  # a key's last use is noted at most so often


@dataclass(frozen=True)
class Principal:
    """Who is asking: a key, its role, and the space it belongs to."""

    key: Key
    space_name: str

    def space(self, memory: AsyncRecollect, name: str | None = None) -> AsyncSpace:
        """The space to work in: the key's own, or for an admin any that is named."""
        if name and name != self.space_name and self.key.role is not Role.ADMIN:
            raise AccessDenied(f"This key opens only its own space, not {name!r}.", field="space")
        return memory.space(name or self.space_name, actor=f"key:{self.key.hint}")

    def require(self, *roles: Role) -> None:
        """Refuse a key whose role is none of these."""
        if self.key.role not in roles:
            allowed = " or ".join(role.value for role in roles)
            raise AccessDenied(f"This key has the role {self.key.role.value}; {allowed} is needed.")


async def create_key(
    memory: AsyncRecollect, *, space: str, name: str, role: Role = Role.MEMBER
) -> tuple[Key, str]:
    """Make a key. The secret is returned this once; only its hash is kept."""
    check_name(name, "name")
    engine = await memory._opened()
    home = await engine.space(space)
    secret = PREFIX + secrets.token_urlsafe(32)
    key = Key(id=new_id(), space_id=home.id, name=name, role=role, hint=secret[-4:], created_at=now())
    await engine.driver.write(keys.add, key, _hash(secret))
    return key, secret


async def list_keys(memory: AsyncRecollect) -> list[tuple[Key, str]]:
    """Every key with the name of its space."""
    engine = await memory._opened()
    return await engine.driver.read(keys.list_all)


async def revoke_key(memory: AsyncRecollect, key_id: str) -> None:
    """Make a key useless from now on."""
    engine = await memory._opened()
    if not await engine.driver.write(keys.revoke, key_id, now()):
        raise NotFound(f"There is no active key {key_id!r}; 'recollect keys list' shows them.", field="id")


async def ensure_admin_key(memory: AsyncRecollect) -> str | None:
    """On the very first start, make an admin key and return its secret; otherwise None."""
    if await list_keys(memory):
        return None
    _, secret = await create_key(memory, space=memory.settings.space, name="admin", role=Role.ADMIN)
    return secret


async def list_spaces(memory: AsyncRecollect) -> list[str]:
    """The names of all spaces."""
    engine = await memory._opened()
    return [space.name for space in await engine.driver.read(spaces.list_all)]


async def authenticate(memory: AsyncRecollect, secret: str | None) -> Principal:
    """The principal of a key, found by its hash, so that no comparison can leak the key by its timing."""
    if not secret:
        raise Unauthenticated
    engine = await memory._opened()
    found = await engine.driver.read(keys.find, _hash(secret))
    if found is None:
        raise Unauthenticated("This key is unknown or was revoked.")
    key, space_name = found
    if key.last_used_at is None or now() - key.last_used_at > TOUCH_AFTER:
        await engine.driver.write(keys.touch, key.id, now())
    return Principal(key, space_name)


def _hash(secret: str) -> str:
    # Keys are 256 random bits: a plain hash cannot be reversed, and a slow one would only slow requests.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
