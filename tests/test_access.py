from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bethink import AsyncBethink
from bethink.access import authenticate, ensure_admin_key, list_spaces
from bethink.errors import AccessDenied, Conflict, InvalidInput, NotFound, Unauthenticated
from bethink.records import Role
from bethink.testing import FrozenClock, HashEmbedder


@pytest.fixture
async def memory(database_url: str) -> AsyncIterator[AsyncBethink]:
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as opened:
        yield opened


async def test_a_key_opens_the_space_it_was_made_for(memory: AsyncBethink) -> None:
    key = await memory.keys.create("phone", space="home")
    secret = key.secret
    principal = await authenticate(memory, secret)
    assert (principal.key.id, principal.key.name, principal.key.hint) == (key.id, "phone", secret[-4:])
    assert (principal.space_name, principal.key.role) == ("home", Role.MEMBER)
    assert secret.endswith(key.hint)
    await principal.space(memory).remember("Only here")
    assert [found.content for found in await memory.space("home").list()] == ["Only here"]
    assert await memory.space("work").list() == []


@pytest.mark.parametrize("secret", [None, "", "bk_", "bk_unknown", "\0", "\ud800", "x" * 100_000])
async def test_what_is_no_key_opens_nothing(memory: AsyncBethink, secret: str | None) -> None:
    await memory.keys.create("phone", space="home")
    with pytest.raises(Unauthenticated):
        await authenticate(memory, secret)


async def test_a_part_or_a_variant_of_a_key_is_no_key(memory: AsyncBethink) -> None:
    secret = (await memory.keys.create("phone", space="home")).secret
    for other in (secret[:-1], secret + "x", secret.upper(), f" {secret}", secret.removeprefix("bk_")):
        with pytest.raises(Unauthenticated):
            await authenticate(memory, other)


async def test_a_revoked_key_opens_nothing_from_then_on(memory: AsyncBethink) -> None:
    key = await memory.keys.create("phone", space="home")
    secret = key.secret
    other = (await memory.keys.create("laptop", space="home")).secret
    await authenticate(memory, secret)
    await memory.keys.revoke(key.id)
    with pytest.raises(Unauthenticated, match="revoked"):
        await authenticate(memory, secret)
    await authenticate(memory, other)
    with pytest.raises(Conflict):
        await memory.keys.revoke(key.id)
    with pytest.raises(NotFound):
        await memory.keys.revoke("nothing")


async def test_only_an_admin_key_opens_other_spaces(memory: AsyncBethink) -> None:
    for role in Role:
        secret = (await memory.keys.create("key", space="home", role=role)).secret
        principal = await authenticate(memory, secret)
        assert principal.space(memory).name == principal.space(memory, "home").name == "home"
        if role is Role.ADMIN:
            assert principal.space(memory, "work").name == "work"
        else:
            with pytest.raises(AccessDenied) as caught:
                principal.space(memory, "work")
            assert caught.value.field == "space"


async def test_a_role_that_is_needed_is_named(memory: AsyncBethink) -> None:
    secret = (await memory.keys.create("key", space="home", role=Role.READER)).secret
    principal = await authenticate(memory, secret)
    principal.require(Role.READER, Role.ADMIN)
    with pytest.raises(AccessDenied, match="reader; admin or member is needed"):
        principal.require(Role.ADMIN, Role.MEMBER)


async def test_the_first_start_makes_one_admin_key_and_no_other_start_does(memory: AsyncBethink) -> None:
    issued = await ensure_admin_key(memory)
    assert issued is not None
    principal = await authenticate(memory, issued.secret)
    assert (principal.key.role, principal.space_name) == (Role.ADMIN, memory.settings.space)
    assert await ensure_admin_key(memory) is None
    await memory.keys.revoke(principal.key.id)
    assert await ensure_admin_key(memory) is None
    assert len(await memory.keys.list()) == 1


async def test_keys_are_listed_with_their_spaces(memory: AsyncBethink) -> None:
    await memory.keys.create("phone", space="home")
    await memory.keys.create("laptop", space="work", role=Role.READER)
    found = [(key.name, key.role, key.space) for key in await memory.keys.list()]
    assert sorted(found) == [("laptop", Role.READER, "work"), ("phone", Role.MEMBER, "home")]
    assert {"home", "work"} <= set(await list_spaces(memory))


async def test_the_last_use_is_noted_at_most_once_a_minute(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        secret = (await memory.keys.create("phone", space="home")).secret
        uses = []
        for seconds in (0, 30, 31):
            clock.advance(timedelta(seconds=seconds))
            await authenticate(memory, secret)
            uses.append((await memory.keys.list())[0].last_used_at)
        assert uses == [clock.now - timedelta(seconds=61), clock.now - timedelta(seconds=61), clock.now]


@pytest.mark.parametrize("name", ["", "x" * 501, "a\0b"])
async def test_a_key_needs_a_name_that_can_be_kept(memory: AsyncBethink, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await memory.keys.create(name, space="home")
    assert caught.value.field == "name"
    assert await memory.keys.list() == []


async def test_the_key_itself_is_nowhere_in_the_database(tmp_path: Path) -> None:
    async with AsyncBethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as memory:
        secret = (await memory.keys.create("phone", space="home")).secret
        await authenticate(memory, secret)
    stored = contents(tmp_path)
    assert b"phone" in stored
    assert secret.encode() not in stored
    assert secret.removeprefix("bk_").encode() not in stored


def contents(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("memory.db*"))
