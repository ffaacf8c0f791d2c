from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import AsyncRecollect
from recollect.access import (
    authenticate,
    create_key,
    ensure_admin_key,
    list_keys,
    list_spaces,
    revoke_key,
)
from recollect.errors import AccessDenied, InvalidInput, NotFound, Unauthenticated
from recollect.records import Role
from recollect.testing import FrozenClock, HashEmbedder


@pytest.fixture
async def memory(database_url: str) -> AsyncIterator[AsyncRecollect]:
    async with AsyncRecollect(database_url, embedder=HashEmbedder()) as opened:
        yield opened


async def test_a_key_opens_the_space_it_was_made_for(memory: AsyncRecollect) -> None:
    key, secret = await create_key(memory, space="home", name="phone")
    principal = await authenticate(memory, secret)
    assert principal.key.model_copy(update={"last_used_at": None}) == key
    assert (principal.space_name, principal.key.role) == ("home", Role.MEMBER)
    assert secret.endswith(key.hint)
    await principal.space(memory).remember("Only here")
    assert [found.content for found in await memory.space("home").list()] == ["Only here"]
    assert await memory.space("work").list() == []


@pytest.mark.parametrize("secret", [None, "", "rk_", "rk_unknown", "\0", "\ud800", "x" * 100_000])
async def test_what_is_no_key_opens_nothing(memory: AsyncRecollect, secret: str | None) -> None:
    await create_key(memory, space="home", name="phone")
    with pytest.raises(Unauthenticated):
        await authenticate(memory, secret)


async def test_a_part_or_a_variant_of_a_key_is_no_key(memory: AsyncRecollect) -> None:
    _, secret = await create_key(memory, space="home", name="phone")
    for other in (secret[:-1], secret + "x", secret.upper(), f" {secret}", secret.removeprefix("rk_")):
        with pytest.raises(Unauthenticated):
            await authenticate(memory, other)


async def test_a_revoked_key_opens_nothing_from_then_on(memory: AsyncRecollect) -> None:
    key, secret = await create_key(memory, space="home", name="phone")
    _, other = await create_key(memory, space="home", name="laptop")
    await authenticate(memory, secret)
    await revoke_key(memory, key.id)
    with pytest.raises(Unauthenticated, match="revoked"):
        await authenticate(memory, secret)
    await authenticate(memory, other)
    for gone in (key.id, "nothing"):
        with pytest.raises(NotFound):
            await revoke_key(memory, gone)


async def test_only_an_admin_key_opens_other_spaces(memory: AsyncRecollect) -> None:
    for role in Role:
        _, secret = await create_key(memory, space="home", name="key", role=role)
        principal = await authenticate(memory, secret)
        assert principal.space(memory).name == principal.space(memory, "home").name == "home"
        if role is Role.ADMIN:
            assert principal.space(memory, "work").name == "work"
        else:
            with pytest.raises(AccessDenied) as caught:
                principal.space(memory, "work")
            assert caught.value.field == "space"


async def test_a_role_that_is_needed_is_named(memory: AsyncRecollect) -> None:
    _, secret = await create_key(memory, space="home", name="key", role=Role.READER)
    principal = await authenticate(memory, secret)
    principal.require(Role.READER, Role.ADMIN)
    with pytest.raises(AccessDenied, match="reader; admin or member is needed"):
        principal.require(Role.ADMIN, Role.MEMBER)


async def test_the_first_start_makes_one_admin_key_and_no_other_start_does(memory: AsyncRecollect) -> None:
    secret = await ensure_admin_key(memory)
    assert secret is not None
    principal = await authenticate(memory, secret)
    assert (principal.key.role, principal.space_name) == (Role.ADMIN, memory.settings.space)
    assert await ensure_admin_key(memory) is None
    await revoke_key(memory, principal.key.id)
    assert await ensure_admin_key(memory) is None
    assert len(await list_keys(memory)) == 1


async def test_keys_are_listed_with_their_spaces(memory: AsyncRecollect) -> None:
    await create_key(memory, space="home", name="phone")
    await create_key(memory, space="work", name="laptop", role=Role.READER)
    found = [(key.name, key.role, space) for key, space in await list_keys(memory)]
    assert sorted(found) == [("laptop", Role.READER, "work"), ("phone", Role.MEMBER, "home")]
    assert {"home", "work"} <= set(await list_spaces(memory))


async def test_the_last_use_is_noted_at_most_once_a_minute(memory: AsyncRecollect) -> None:
    with FrozenClock() as clock:
        _, secret = await create_key(memory, space="home", name="phone")
        uses = []
        for seconds in (0, 30, 31):
            clock.advance(timedelta(seconds=seconds))
            await authenticate(memory, secret)
            uses.append((await list_keys(memory))[0][0].last_used_at)
        assert uses == [clock.now - timedelta(seconds=61), clock.now - timedelta(seconds=61), clock.now]


@pytest.mark.parametrize("name", ["", "x" * 501, "a\0b"])
async def test_a_key_needs_a_name_that_can_be_kept(memory: AsyncRecollect, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await create_key(memory, space="home", name=name)
    assert caught.value.field == "name"
    assert await list_keys(memory) == []


async def test_the_key_itself_is_nowhere_in_the_database(tmp_path: Path) -> None:
    async with AsyncRecollect(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as memory:
        _, secret = await create_key(memory, space="home", name="phone")
        await authenticate(memory, secret)
    stored = contents(tmp_path)
    assert b"phone" in stored
    assert secret.encode() not in stored
    assert secret.removeprefix("rk_").encode() not in stored


def contents(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("memory.db*"))
