"""Spaces as a whole: made, listed, renamed, and deleted with everything in them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest

from bethink import AsyncBethink, Bethink, Conflict, InvalidInput, NotFound
from bethink.access import authenticate
from bethink.core import Change
from bethink.errors import Unauthenticated
from bethink.files.folder import SpaceFiles
from bethink.memory import AsyncSpace
from bethink.testing import HashEmbedder

NOTHING = dict.fromkeys(
    ("memories", "messages", "facts", "people", "keys", "documents", "insights", "passages", "summaries"), 0
)


@pytest.fixture
async def memory(database_url: str) -> AsyncIterator[AsyncBethink]:
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as opened:
        yield opened


async def fill(space: AsyncSpace) -> None:
    await space.remember("The door is crimson", key="door")
    await space.observe("chat", [{"content": "Is it crimson?", "name": "Ann"}])
    await space.facts.set("house", "colour", "crimson")
    await space.texts.set_soul("Be crimson")


async def test_a_space_is_made_once_and_listed_with_what_it_holds(memory: AsyncBethink) -> None:
    made = await memory.spaces.create("work", display_name="Das Büro 🏢")
    assert (made.name, made.display_name) == ("work", "Das Büro 🏢")
    with pytest.raises(Conflict):
        await memory.spaces.create("work")
    await fill(memory.space("work"))
    await memory.settle()  # its soul becomes a document, memory.txt
    await memory.keys.create("phone", space="work")
    listed = {space.name: space for space in await memory.spaces.list()}
    assert set(listed) == {"default", "work"}
    assert listed["work"].counts == NOTHING | {
        "memories": 1, "messages": 1, "facts": 1, "people": 1, "keys": 1, "documents": 1, "passages": 1,
    }  # fmt: skip
    assert await memory.spaces.get("work") == listed["work"]
    assert listed["default"].counts["memories"] == 0
    with pytest.raises(NotFound):
        await memory.spaces.get("play")


async def test_a_renamed_space_keeps_all_it_has(memory: AsyncBethink) -> None:
    await fill(memory.space("work"))
    key = await memory.keys.create("phone", space="work")
    renamed = await memory.spaces.rename("work", name="office")
    assert (renamed.name, renamed.counts["memories"]) == ("office", 1)
    assert (await authenticate(memory, key.secret)).space_name == "office"
    assert await memory.space("office").count() == 1
    assert await memory.space("work").count() == 0, "a new space, which has the old name"
    lines = (await memory.space("office").journal(noun="space")).items
    assert (lines[0].action, lines[0].before) == ("renamed", {"name": "work", "display_name": "work"})


async def test_names_that_others_rely_on_stay(memory: AsyncBethink) -> None:
    await memory.spaces.create("work")
    await memory.spaces.create("global")
    for old, new in (("default", "x"), ("global", "x"), ("work", "global"), ("work", "default")):
        with pytest.raises(Conflict):
            await memory.spaces.rename(old, name=new)
    with pytest.raises(NotFound):
        await memory.spaces.rename("play", display_name="Play")
    assert (await memory.spaces.rename("default", display_name="Home")).display_name == "Home"


async def test_a_deleted_space_is_gone_with_everything_in_it(memory: AsyncBethink) -> None:
    work, play = memory.space("work"), memory.space("play")
    await fill(work)
    await fill(play)
    await memory.settle()
    key = await memory.keys.create("phone", space="work")
    doomed = await memory.spaces.get("work")
    receipt = await memory.spaces.delete("work", confirm="work")
    assert receipt.complete, receipt
    assert (receipt.space, receipt.asked) == ("work", "space")
    assert (receipt.erased["memories"], receipt.erased["messages"], receipt.erased["facts"]) == (1, 1, 1)
    with pytest.raises(Unauthenticated):
        await authenticate(memory, key.secret)
    with pytest.raises(NotFound):
        await memory.spaces.get("work")
    assert [hit.text for hit in (await play.recall("crimson door")).hits][:1] == ["The door is crimson"]
    (line,) = (await memory.journal(noun="space", action="deleted")).items
    assert (line.record_id, line.actor, line.reason) == (doomed.id, "library", f"receipt {receipt.id}")
    assert "work" not in repr(line)
    again = await memory.spaces.create("work")
    assert again.number > doomed.number
    assert again.counts["memories"] == 0
    assert (await work.recall("crimson door", fallback=True)).hits == []


async def test_the_number_of_a_deleted_space_is_never_given_again(memory: AsyncBethink) -> None:
    await memory.count()
    numbers = []
    for _ in range(3):
        numbers.append((await memory.spaces.create("short-lived")).number)
        await memory.spaces.delete("short-lived", confirm="short-lived")
    assert len(set(numbers)) == 3


async def test_deleting_needs_the_name_twice_and_another_place_to_stand(memory: AsyncBethink) -> None:
    await fill(memory.space("work"))
    with pytest.raises(InvalidInput) as caught:
        await memory.spaces.delete("work", confirm="Work")
    assert caught.value.field == "confirm"
    with pytest.raises(Conflict, match="from another"):
        await memory.spaces.delete("default", confirm="default")
    with pytest.raises(NotFound):
        await memory.spaces.delete("play", confirm="play")
    assert await memory.space("work").count() == 1


async def test_another_process_learns_that_a_space_is_gone(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bethink.core.core.SPACE_SECONDS", 0.0)
    async with (
        AsyncBethink(database_url, embedder=HashEmbedder()) as here,
        AsyncBethink(database_url, embedder=HashEmbedder()) as there,
    ):
        await there.space("work").remember("The door is crimson")
        await here.spaces.delete("work", confirm="work")
        assert await there.space("work").count() == 0
        await there.space("work").remember("The roof is azure")
        assert [space.counts["memories"] for space in await here.spaces.list()] == [0, 1]


@pytest.mark.parametrize("what", ["everything", "person", "import"])
async def test_who_knows_a_space_by_its_old_name_makes_no_other(database_url: str, what: str) -> None:
    async with (
        AsyncBethink(database_url, embedder=HashEmbedder()) as here,
        AsyncBethink(database_url, embedder=HashEmbedder()) as there,
    ):
        team = here.space("team")
        await team.remember("The door is crimson")
        anna = (await team.household.get()).persons[0]
        crew = await there.spaces.rename("team", name="crew", display_name="The crew")
        if what == "everything":
            assert (await team.erase(everything=True)).complete
        elif what == "person":
            assert (await team.erase(person_id=anna.id)).complete
        else:
            await team.import_(BytesIO(b'[{"memory": "The roof is azure"}]'))
        assert [space.name for space in await there.spaces.list()] == ["crew", "default"]
        called = "crew" if what == "everything" else "The crew"
        household = await there.space("crew").household.get()
        assert (household.id, household.display_name) == (crew.id, called)
        assert len(household.persons) == 1


async def test_the_files_of_a_space_go_where_it_goes(tmp_path: Path) -> None:
    """Files left under a name would be taken in by the next space that has it."""
    async with AsyncBethink(
        str(tmp_path / "memory.db"), embedder=HashEmbedder(), files={"folder": str(tmp_path / "files")}
    ) as memory:
        await memory.count()
        await memory.space("work").texts.set_soul("Be crimson")
        await memory.spaces.rename("work", name="office")
        assert (tmp_path / "files" / "office" / "SOUL.md").read_text().strip() == "Be crimson"
        assert await memory.space("work").texts.soul() == ""
        assert await memory.space("office").texts.soul() == "Be crimson"
        assert (await memory.spaces.delete("office", confirm="office")).complete
        assert not (tmp_path / "files" / "office").exists()
        assert await memory.space("office").texts.soul() == ""


async def test_what_follows_a_change_of_a_space_finds_its_files_where_they_belong(tmp_path: Path) -> None:
    """Who hears of it may use them: they are where they belong, and nobody holds them."""
    folder = tmp_path / "files"
    async with AsyncBethink(
        str(tmp_path / "memory.db"), embedder=HashEmbedder(), files={"folder": str(folder)}
    ) as memory:
        await memory.count()
        await memory.space("work").texts.set_soul("Be crimson")
        core, _ = await memory.inside.here()
        seen: list[set[str]] = []

        async def look(change: Change) -> None:
            async with asyncio.timeout(10), core.part(SpaceFiles).alone(change.space):
                seen.append({path.name for path in folder.iterdir()} & {"work", "office"})

        core.changes.on("space", follow=look)
        await memory.spaces.rename("work", name="office")
        await memory.spaces.delete("office", confirm="office")
        assert seen == [{"office"}, set()]


def test_spaces_without_await() -> None:
    with Bethink(":memory:", embed={"source": "none"}) as memory:
        memory.spaces.create("work")
        assert [space.name for space in memory.spaces.list()] == ["default", "work"]
        assert memory.spaces.delete("work", confirm="work").complete
