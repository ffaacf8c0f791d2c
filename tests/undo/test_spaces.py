"""Texts, options, names of spaces, and keys: what is refused, and what else follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink import AsyncBethink, Conflict, Settings
from bethink.access import authenticate
from bethink.clock import now
from bethink.errors import Unauthenticated
from bethink.extraction.templates import Templates
from bethink.files.narrative import ACTOR, refresh
from bethink.records import Key, Space, SpaceText
from bethink.store import journal
from bethink.testing import HashEmbedder
from tests.opened import Home
from tests.store import samples
from tests.undo.changes import Room, furnish, newest


@pytest.fixture
async def room(memory: AsyncBethink) -> Room:
    return await furnish(memory)


async def test_a_text_that_changed_since_is_left_alone(memory: AsyncBethink) -> None:
    for soul in ("Be kind. 善", "Be brief.", ""):
        await memory.texts.set_soul(soul)
    emptied, updated, _ = (await memory.journal(noun="soul")).items
    with pytest.raises(Conflict, match="the soul has changed since"):
        await memory.undo(updated.id)
    undone = await memory.undo(emptied.id)
    assert isinstance(undone.record, SpaceText)
    assert (undone.record.name, undone.record.content, undone.entry.action) == (
        "soul",
        "Be brief.",
        "restored",
    )
    await memory.undo(updated.id)
    assert await memory.texts.soul() == "Be kind. 善"


async def test_the_files_follow(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "files" / home.space
    async with home.memory(files={"folder": str(tmp_path / "files")}) as memory:
        await memory.texts.set_soul("Be kind.")
        await memory.texts.set_soul("Be brief.")
        await memory.undo((await newest(memory)).id)
        assert (folder / "SOUL.md").read_text() == "Be kind."
        (folder / "SOUL.md").write_text("Be bold.")
        with pytest.raises(Conflict, match="has changed since"):
            await memory.undo((await newest(memory)).id)
        assert await memory.texts.soul() == "Be bold.", "an edit of the file is no contradiction"
        await memory.facts.set("home", "city", "Cork")
        await memory.facts.set("home", "city", "Cork", promoted=True)
        assert "Cork" in (folder / "MEMORY.md").read_text()
        await memory.undo((await newest(memory)).id)
        assert "Cork" not in (folder / "MEMORY.md").read_text()


async def test_a_narrative_is_whose_it_was(memory: AsyncBethink) -> None:
    """Undoing is no writing: what the machine wrote, it goes on keeping up with the facts."""
    core, space = await memory.inside.here()
    templates = Templates(Settings.load(environ={}).chat.templates)

    async def refreshed() -> bool:
        return (await refresh(core.driver, space, None, templates, now())).changed

    await memory.facts.set("home", "city", "Cork")
    assert await refreshed()
    assert (await newest(memory)).actor == ACTOR
    await memory.texts.set_narrative("They live by the sea.")
    await memory.facts.set("home", "street", "Main Street")
    assert not await refreshed()
    await memory.undo((await newest(memory, noun="narrative")).id)
    assert "Cork" in await memory.texts.narrative()
    assert await refreshed()
    assert "Main Street" in await memory.texts.narrative()
    undone = await memory.undo((await newest(memory, noun="narrative")).id)
    assert undone.entry.actor != ACTOR
    await memory.texts.set_narrative("They live by the sea.")
    await memory.texts.set_narrative("They live by the river.")
    await memory.undo((await newest(memory, noun="narrative")).id)
    assert not await refreshed()
    assert await memory.texts.narrative() == "They live by the sea."


async def test_options_of_the_space_go_back_under_the_servers(database_url: str) -> None:
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as memory:
        await memory.options.update(scope="server", retention_days=30, strategy="recent")
        await memory.options.update(retention_days=None)
        found = await memory.options.get()
        assert (found.retention_days, found.strategy) == (None, "recent")
        await memory.undo((await newest(memory)).id)
        assert (await memory.options.get()).retention_days == 30, "nothing is chosen for the space again"
        server = (await memory.journal(noun="options")).items[-1]
        assert server.record_id == "server"
        await memory.undo(server.id)
        found = await memory.options.get()
        assert (found.retention_days, found.strategy, found.chosen) == (None, "hybrid", {})


async def test_options_that_changed_since_are_left_alone(memory: AsyncBethink) -> None:
    await memory.options.update(max_tokens=500)
    line = await newest(memory)
    await memory.options.update(enabled=True)
    await memory.undo(line.id)
    found = await memory.options.get()
    assert found.chosen == {"enabled": "space"}
    await memory.options.update(max_tokens=700)
    with pytest.raises(Conflict, match="the options have changed since"):
        await memory.undo(line.id)
    await memory.options.reset("max_tokens")
    with pytest.raises(Conflict, match="the options have changed since"):
        await memory.undo(line.id)


async def test_the_embedding_source_goes_back_while_recall_answers(tmp_path: Path) -> None:
    async with AsyncBethink(f"{tmp_path}/m.db") as memory:
        await memory.remember("The cat sleeps on the radiator")
        await memory.settle()
        await memory.options.update(embedding_source="none")
        assert (await memory.stats()).embedding_source == "none"
        await memory.undo((await newest(memory)).id)
        assert (await memory.stats()).embedding_source == "local"
        await memory.undo((await newest(memory)).id)
        assert (await memory.stats()).embedding_source == "none"


async def test_an_embedding_source_that_no_longer_works_stays_gone(tmp_path: Path) -> None:
    path, host = f"{tmp_path}/m.db", "http://127.0.0.1:9/v1"
    async with AsyncBethink(path, embed={"source": "none", "base_url": host}) as memory:
        await memory.options.update(embedding_source="openai")
        await memory.options.update(embedding_source="none")
        line = await newest(memory)
    async with AsyncBethink(path, embed={"source": "none"}) as memory:
        with pytest.raises(Conflict, match="no host"):
            await memory.undo(line.id)
        assert (await memory.options.get()).embedding_source == "none"


async def test_a_name_that_another_space_has_now_is_not_taken(room: Room) -> None:
    old = room.space.name
    await room.memory.spaces.rename(old, name=f"{old}-2")
    space = room.memory.space(f"{old}-2")
    line = await newest(space, noun="space", action="renamed")
    await room.memory.space(old).remember("somebody else's")
    with pytest.raises(Conflict, match=f"there is a space '{old}' already. Nothing was changed"):
        await space.undo(line.id)
    await room.memory.spaces.delete(old, confirm=old)
    undone = await space.undo(line.id)
    assert isinstance(undone.record, Space)
    assert (undone.record.name, space.name) == (old, old)
    assert await room.memory.space(old).count() == 2
    await room.memory.spaces.rename(old, display_name="A house")
    await room.memory.spaces.rename(old, display_name="A home")
    second = (await space.journal(noun="space", action="renamed")).items[1]
    with pytest.raises(Conflict, match="has changed since"):
        await space.undo(second.id)


async def test_a_key_keeps_its_secret(room: Room) -> None:
    keys = room.memory.keys
    made = await keys.create("phone", space=room.space.name)
    await keys.rename(made.id, "tablet")
    line = await newest(room.space, noun="key")
    await keys.rename(made.id, "tablet")
    assert await newest(room.space, noun="key") == line, "the same again is no change"
    rotated = await keys.rotate(made.id)
    undone = await room.space.undo(line.id)
    assert isinstance(undone.record, Key)
    assert (undone.record.name, undone.record.hint) == ("phone", rotated.hint)
    assert (await authenticate(room.memory, rotated.secret)).key.name == "phone"
    with pytest.raises(Unauthenticated):
        await authenticate(room.memory, made.secret)
    await keys.rename(made.id, "laptop")
    with pytest.raises(Conflict, match="has changed since"):
        await room.space.undo(undone.entry.id)
    renamed = await newest(room.space, noun="key")
    await keys.revoke(made.id)
    with pytest.raises(Conflict, match="was revoked, for good; make another"):
        await room.space.undo(renamed.id)


async def test_lines_of_another_space_change_nothing_here(room: Room) -> None:
    """An archive brings its journal with it, which may tell of a space and keys that are still there."""
    other = room.memory.space(f"{room.space.name}-other")
    core, here = await other.inside.here()
    there = (await room.space.inside.here())[1].id
    name = {"before": {"name": "x"}, "after": {"name": "phone"}}
    mode = {"before": {"mode": "single"}, "after": {"mode": "multi"}}
    lines = [
        samples.note(here, room.key, noun="key", action="renamed", **name),
        samples.note(here, there, noun="space", action="renamed", **name),
        samples.note(here, there, noun="space", action="updated", **mode),
    ]
    await core.driver.write(journal.add, lines)
    for line in lines:
        with pytest.raises(Conflict, match="another space"):
            await other.undo(line.id)


@pytest.mark.parametrize(
    ("noun", "action", "record_id", "before", "after"),
    [
        ("device", "forgotten", "tablet", {"nonsense": 1}, None),
        ("soul", "updated", "soul", {"content": 5}, {"content": "Be kind."}),
        ("options", "updated", "space", {"max_tokens": -1}, {"max_tokens": 500}),
        ("options", "updated", "space", {"colour": "red"}, {}),
        ("options", "updated", "space", {"embedding_source": "none"}, {}),
        ("memory", "updated", "NOTE", {"content": 5}, {"content": "Anna plays the violin"}),
        ("session", "updated", "chat", {"title": 5}, {"title": "Moving"}),
        ("session", "updated", "chat", {"title": "Moving"}, {"title": "Moving"}),
    ],
)
async def test_what_an_archive_says_is_not_believed(
    room: Room, noun: str, action: str, record_id: str, before: object, after: object
) -> None:
    core, here = await room.space.inside.here()
    of = room.note if record_id == "NOTE" else record_id
    line = samples.note(here, of, noun=noun, action=action, before=before, after=after)
    await core.driver.write(journal.add, [line])
    with pytest.raises(Conflict, match="cannot be undone, because"):
        await room.space.undo(line.id)
