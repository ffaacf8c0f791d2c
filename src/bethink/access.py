"""Who may do what: a key opens its space, and its role says how far. A browser's session stands for a key."""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from bethink.clock import now
from bethink.errors import AccessDenied, NotFound, StoreError, Unauthenticated
from bethink.keys.handle import AsyncKeys
from bethink.memory import AsyncBethink, AsyncSpace
from bethink.records import JournalEntry, Key, Role
from bethink.shapes.accounts import GLOBAL_SPACE, IssuedKey
from bethink.store import Tx, journal, keys, sign_ins, spaces
from bethink.store.keys import hashed

TOUCH_AFTER = timedelta(minutes=1)  # a key's last use is noted at most so often
NOTING_SECONDS = 0.3  # nobody waits longer for that
MOST_NOTED = 10_000  # keys whose last note is remembered
LINK_LASTS = timedelta(seconds=60)
MOST_LINKS = 20  # that one key has at a time
ACTOR = "server"
_log = logging.getLogger(__name__)
_noted: dict[str, datetime] = {}  # when it was last tried to note the use of a key, by the key's id


@dataclass(frozen=True)
class Principal:
    """Who is asking: a key, its role, and the space it belongs to."""

    key: Key
    space_name: str
    expires_at: datetime | None = None  # when a browser's session ends

    @property
    def actor(self) -> str:
        """Who the journal says made a change."""
        return f"key:{self.key.hint}"

    def space(self, memory: AsyncBethink, name: str | None = None) -> AsyncSpace:
        """The space to work in: the key's own, or for an admin any that is named."""
        if name and name != self.space_name and self.key.role is not Role.ADMIN:
            raise AccessDenied(f"This key opens only its own space, not {name!r}.", field="space")
        return memory.space(name or self.space_name, actor=self.actor)

    def require(self, *roles: Role) -> None:
        """Refuse a key whose role is none of these."""
        if self.key.role not in roles:
            allowed = " or ".join(role.value for role in roles)
            raise AccessDenied(f"This key has the role {self.key.role.value}; {allowed} is needed.")

    def require_writing(self, space: AsyncSpace) -> None:
        """Refuse a key that may not change a space; the global space is changed by admins only."""
        if space.name == GLOBAL_SPACE:
            self.require(Role.ADMIN)
        self.require(Role.ADMIN, Role.MEMBER)


async def require_space(memory: AsyncBethink, space: AsyncSpace) -> None:
    """Refuse the name of a space that is not there, which using it would make."""
    core = await memory.inside.opened()
    await core.spaces.existing(space.name)


async def require_undoing(principal: Principal, space: AsyncSpace, entry_id: str) -> None:
    """Refuse to undo what only admins may change: keys, the names of spaces, options of the whole server."""
    core, here = await space.inside.here()
    line = await core.driver.read(journal.find, here.id, entry_id)
    if line and _is_the_servers(line):
        principal.require(Role.ADMIN)


def _is_the_servers(line: JournalEntry) -> bool:
    renamed = (line.noun, line.action) == ("space", "renamed")
    return line.noun == "key" or renamed or (line.noun, line.record_id) == ("options", "server")


async def ensure_admin_key(memory: AsyncBethink) -> IssuedKey | None:
    """On the very first start, make an admin key and return it with its secret; otherwise None."""
    own = memory.space(memory.settings.space, actor=ACTOR)
    issued = AsyncKeys(own)
    return None if await issued.list() else await issued.create("admin", role=Role.ADMIN)


async def list_spaces(memory: AsyncBethink) -> list[str]:
    """The names of all spaces."""
    core = await memory.inside.opened()
    return [space.name for space in await core.driver.read(spaces.list_all)]


async def authenticate(memory: AsyncBethink, secret: str | None) -> Principal:
    """The principal of a key, found by its hash, so that no comparison can leak the key by its timing."""
    if not secret:
        raise Unauthenticated
    core = await memory.inside.opened()
    found = await core.driver.peek_once(keys.find, hashed(secret))
    if found is None:
        raise Unauthenticated("This key is unknown or was revoked.")
    await _note_use(memory, found[0])
    return Principal(*found)


async def authenticate_session(memory: AsyncBethink, token: str) -> Principal:
    """The principal of a browser's session, found by its hash like a key."""
    core = await memory.inside.opened()
    longest = timedelta(days=memory.settings.server.session_days)
    found = await core.driver.peek(sign_ins.find, "session", hashed(token), now(), longest)
    if found is None:
        raise Unauthenticated("You are signed out: 'bethink studio' prints a link that signs you in.")
    await _note_use(memory, found[0])
    return Principal(*found)


async def make_link(memory: AsyncBethink, key_id: str | None = None) -> str:
    """A token that signs a browser in once, within a minute, with a key: by default the first admin key."""
    core = await memory.inside.opened()
    active = [key for key, _ in await core.driver.read(keys.list_all) if key.revoked_at is None]
    chosen = [key for key in active if (key.id == key_id if key_id else key.role is Role.ADMIN)]
    if not chosen:
        what = f"active key {key_id!r}" if key_id else "active admin key"
        raise NotFound(f"There is no {what}: bethink keys create NAME --role admin", field="key")
    token = secrets.token_urlsafe(32)
    at = now()
    ends = at + LINK_LASTS
    await core.driver.write(sign_ins.add, "link", hashed(token), chosen[0].id, at, ends, MOST_LINKS)
    return token


async def redeem_link(memory: AsyncBethink, token: str) -> tuple[str, datetime]:
    """Turn a link's token into a session's, once."""
    core = await memory.inside.opened()
    key_id = await core.driver.write(_take_link, hashed(token), now())
    if key_id is None:
        raise Unauthenticated("This link was used or has run out: 'bethink studio' prints another.")
    return await begin_session(memory, key_id)


async def begin_session(memory: AsyncBethink, key_id: str) -> tuple[str, datetime]:
    """The token of a new session of a key, and when it ends."""
    core = await memory.inside.opened()
    token, at = secrets.token_urlsafe(32), now()
    server = memory.settings.server
    ends = at + timedelta(days=server.session_days)
    await core.driver.write(sign_ins.add, "session", hashed(token), key_id, at, ends, server.sessions_per_key)
    return token, ends


async def end_session(memory: AsyncBethink, token: str) -> None:
    """Make a session's token useless."""
    core = await memory.inside.opened()
    await core.driver.write(sign_ins.remove, hashed(token))


def _take_link(tx: Tx, token_hash: str, at: datetime) -> str | None:
    found = sign_ins.find(tx, "link", token_hash, at, LINK_LASTS)
    return found[0].id if found and sign_ins.remove(tx, token_hash) else None


async def _note_use(memory: AsyncBethink, key: Key) -> None:
    """Note when a key was last used. While others write to the database for long, nobody waits for that."""
    at = now()
    last = max((use for use in (key.last_used_at, _noted.get(key.id)) if use), default=None)
    if last is not None and at - last <= TOUCH_AFTER:
        return
    while len(_noted) >= MOST_NOTED:
        _noted.pop(next(iter(_noted)))
    _noted[key.id] = at
    core = await memory.inside.opened()
    try:
        async with asyncio.timeout(NOTING_SECONDS):
            await core.driver.write(keys.touch, key.id, at)
    except (StoreError, TimeoutError) as error:
        reason = str(error) or f"that took longer than {NOTING_SECONDS:g} s"
        _log.warning("The last use of the key %s was not noted: %s", key.hint, reason)
