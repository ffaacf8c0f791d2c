"""Keys: named, given another secret, made useless; and told of in the journal."""

from __future__ import annotations

import pytest

from bethink import AsyncBethink, Bethink, Conflict, InvalidInput, NotFound
from bethink.access import authenticate
from bethink.errors import Unauthenticated
from bethink.records import Role
from tests import opened
from tests.opened import unchecked

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url


async def test_a_rotated_key_has_a_new_secret_and_is_the_same_key(memory: AsyncBethink) -> None:
    made = await memory.keys.create("phone", role=Role.READER)
    rotated = await memory.keys.rotate(made.id)
    assert rotated.secret != made.secret
    assert rotated.hint == rotated.secret[-4:]
    same = ("id", "name", "role", "space", "created_at")
    assert [getattr(rotated, name) for name in same] == [getattr(made, name) for name in same]
    assert (await authenticate(memory, rotated.secret)).key.id == made.id
    with pytest.raises(Unauthenticated):
        await authenticate(memory, made.secret)


async def test_a_renamed_key_goes_on_opening(memory: AsyncBethink) -> None:
    made = await memory.keys.create("phone")
    assert (await memory.keys.rename(made.id, "Ānna’s 📱")).name == "Ānna’s 📱"
    assert (await authenticate(memory, made.secret)).key.name == "Ānna’s 📱"


async def test_a_revoked_key_stays_as_it_is(memory: AsyncBethink) -> None:
    made = await memory.keys.create("phone")
    assert (await memory.keys.revoke(made.id)).revoked_at is not None
    for change in (
        memory.keys.revoke(made.id),
        memory.keys.rotate(made.id),
        memory.keys.rename(made.id, "x"),
    ):
        with pytest.raises(Conflict, match="revoked"):
            await change
    for missing in ("nothing", "\0"):
        with pytest.raises(NotFound):
            await memory.keys.rotate(missing)


async def test_every_change_of_a_key_is_in_the_journal_without_its_secret(memory: AsyncBethink) -> None:
    made = await memory.keys.create("phone")
    await memory.keys.rename(made.id, "laptop")
    rotated = await memory.keys.rotate(made.id)
    await memory.keys.revoke(made.id)
    lines = (await memory.journal(record_id=made.id)).items
    assert [line.action for line in lines] == ["revoked", "rotated", "renamed", "created"]
    assert {(line.noun, line.actor) for line in lines} == {("key", "library")}
    assert lines[2].before == {"name": "phone", "role": "member", "hint": made.hint, "memory": None}
    assert lines[1].after == {"name": "laptop", "role": "member", "hint": rotated.hint, "memory": None}
    for secret in (made.secret, rotated.secret):
        assert secret not in repr(lines)
    with pytest.raises(Conflict, match="cannot be undone"):
        await memory.undo(lines[0].id)


def test_keys_without_await() -> None:
    with Bethink(":memory:", embed={"source": "none"}) as memory:
        made = memory.keys.create("phone", space="home")
        assert [(key.name, key.space) for key in memory.keys.list()] == [("phone", "home")]
        assert memory.keys.revoke(made.id).revoked_at is not None


async def test_the_gateways_memory_is_switched_for_a_key_and_back(memory: AsyncBethink) -> None:
    made = await memory.keys.create("phone")
    assert (await memory.keys.update(made.id, memory="off")).memory == "off"
    assert (await memory.keys.update(made.id, name="tablet")).memory == "off"
    assert (await memory.keys.update(made.id, memory=None)).memory is None
    with pytest.raises(InvalidInput, match="name"):
        await memory.keys.update(made.id, **unchecked(name=None))
