"""SOUL.md and MEMORY.md on disk, edited by people and by the memory."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from filelock import FileLock

from bethink import AsyncBethink, InvalidInput
from bethink.errors import Conflict, StoreError
from bethink.files import folder as files
from bethink.files.folder import SpaceFiles
from bethink.testing import FrozenClock
from tests import opened
from tests.opened import Home

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home
Both = tuple[AsyncBethink, AsyncBethink]


@pytest.fixture
async def memory(home: Home, tmp_path: Path) -> AsyncIterator[AsyncBethink]:
    async with home.memory(files={"folder": str(tmp_path / "files")}) as opened:
        yield opened


@pytest.fixture
async def both(home: Home, tmp_path: Path) -> AsyncIterator[Both]:
    """Two that share a database and its files, as two processes do."""
    files = {"folder": str(tmp_path / "files")}
    async with home.memory(files=files) as one, home.memory(files=files) as two:
        yield one, two


@pytest.fixture
def folder(home: Home, tmp_path: Path) -> Path:
    return tmp_path / "files" / home.space


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def found(folder: Path, pattern: str) -> list[Path]:
    return list(folder.rglob(pattern))


# Where they are


async def test_the_files_are_in_the_home_when_the_database_is(tmp_path: Path) -> None:
    async with AsyncBethink(embed={"source": "none"}) as memory:
        await memory.texts.set_soul("Be kind.")
    assert (tmp_path / "home" / "spaces" / "default" / "SOUL.md").read_text() == "Be kind."


async def test_without_a_folder_there_are_no_files_and_all_else_works(home: Home, tmp_path: Path) -> None:
    async with home.memory() as memory:
        assert await memory.texts.set_soul("Be kind.") == "Be kind."
        await memory.facts.set("home", "city", "Cork", promoted=True)
        assert "- city: Cork" in await memory.texts.memory_file()
        assert await memory.texts.soul() == "Be kind."
    assert found(tmp_path, "*.md") == []


@pytest.mark.parametrize(
    "name",
    [
        "../../escape", "..", "a/b", "a\\b", "a.", "nul", "con.txt", "com1",
        "Über uns", "U\u0308ber uns", "ｗｉｄｅ",
        "UPPER", "con/../x", ".locks", "018f0000-0000-7000-8000-000000000000", "trailing ", "a" * 250,
    ],
)  # fmt: skip
async def test_a_space_with_any_name_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    root = tmp_path / "files"
    async with AsyncBethink(":memory:", embed={"source": "none"}, files={"folder": str(root)}) as memory:
        space = memory.space(name)
        await space.texts.set_soul("Mine")
        _, record = await space.inside.here()
    assert (root / record.id / "SOUL.md").read_text() == "Mine"
    assert len(found(tmp_path, "SOUL.md")) == 2, "the file and the copy that was agreed on"


async def test_names_that_look_or_fold_alike_are_different_folders(tmp_path: Path) -> None:
    names = [
        "cafe",
        "Cafe",
        "CAFE",
        "caf\u00e9",
        "cafe\u0301",
        "cafe.",
        "cafe ",
        "ｃａｆｅ",
        "./cafe",
        "cafe/",
    ]
    root = tmp_path / "files"
    async with AsyncBethink(":memory:", embed={"source": "none"}, files={"folder": str(root)}) as memory:
        for name in names:
            await memory.space(name).texts.set_soul(f"I am {name!r}.")
        for name in names:
            assert await memory.space(name).texts.soul() == f"I am {name!r}."
    folders = [path.name for path in root.iterdir() if path.name != ".locks"]
    assert len({name.casefold() for name in folders}) == len(names)


async def test_what_a_removed_or_renamed_space_left_behind_is_not_taken_in_by_the_next_of_its_name(
    memory: AsyncBethink, home: Home, tmp_path: Path
) -> None:
    """As after a crash between the renaming and the moving of the files, or files that cannot be deleted."""
    root, name = tmp_path / "files", f"{home.space}-b"
    first = memory.space(name)
    await first.texts.set_soul("Only for the first.")
    _, record = await first.inside.here()
    kept = {path.relative_to(root / name): path.read_bytes() for path in found(root / name, "*.md")}
    await memory.spaces.rename(name, name=f"{name}-old")
    (root / f"{name}-old").rename(root / name)  # the files were not moved, after all
    second = memory.space(name)
    assert await second.texts.soul() == ""
    await second.texts.set_soul("Only for the second.")
    assert (root / name / "SOUL.md").read_text() == "Only for the second."
    assert await memory.space(f"{name}-old").texts.soul() == "Only for the first."
    aside = root / record.id
    assert {path.relative_to(aside): path.read_bytes() for path in found(aside, "*.md")} == kept
    await memory.spaces.delete(name, confirm=name)
    assert (root / record.id / "SOUL.md").exists()
    assert not (root / name).exists()


async def test_a_space_does_not_move_into_the_files_of_another_nor_delete_them(
    memory: AsyncBethink, home: Home, tmp_path: Path
) -> None:
    root, name = tmp_path / "files", home.space
    theirs, own = memory.space(f"{name}-theirs"), memory.space(f"{name}-own")
    await theirs.texts.set_soul("Theirs")
    await own.texts.set_soul("Own")
    await memory.spaces.rename(theirs.name, name=f"{name}-moved")
    (root / f"{name}-moved").rename(root / f"{name}-theirs")
    await memory.spaces.rename(own.name, name=f"{name}-theirs")
    assert (root / f"{name}-theirs" / "SOUL.md").read_text() == "Own"
    await memory.space(f"{name}-moved").texts.sync()
    assert (root / f"{name}-moved" / "SOUL.md").read_text() == "Theirs"
    assert await memory.space(f"{name}-theirs").texts.soul() == "Own"


async def test_nothing_is_written_while_there_is_nothing_to_write(memory: AsyncBethink, folder: Path) -> None:
    await memory.prompt("hello")
    await memory.facts.set("home", "city", "Cork")
    assert await memory.texts.soul() == ""
    assert found(folder, "*") == []


# The soul


async def test_the_soul_is_set_by_the_api_and_by_editing_its_file(memory: AsyncBethink, folder: Path) -> None:
    await memory.texts.set_soul("Be kind.\r\n")
    path = folder / "SOUL.md"
    assert path.read_text() == "Be kind.\n"
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("Be brief.\n")
    prompt = await memory.prompt("hello")
    assert prompt.stable.startswith("Be brief.")
    assert await memory.texts.soul() == "Be brief.\n"
    path.write_text("")
    assert (await memory.prompt("hello")).stable == ""


async def test_a_soul_that_was_there_before_is_taken_in(memory: AsyncBethink, folder: Path) -> None:
    os.makedirs(folder)
    (folder / "SOUL.md").write_bytes(b"\xef\xbb\xbfBe kind.\r\nAlways.\r\n")
    assert await memory.texts.soul() == "Be kind.\nAlways.\n"


async def test_a_soul_changed_on_both_sides_is_a_conflict_and_neither_is_lost(
    memory: AsyncBethink, folder: Path
) -> None:
    await memory.texts.set_soul("One")
    (folder / "SOUL.md").write_text("Two, by hand")
    core, space = await memory.inside.here()
    elsewhere = memory.space(memory.name)
    await elsewhere.texts._set("soul", "Two, by another process")
    with FrozenClock():
        done = await core.part(SpaceFiles).sync(space)
    assert done.conflicts == ["SOUL.md was edited, and meanwhile the soul was set; the latter stands"]
    assert done.kept == ["SOUL.conflict-20250101T120000.md"]
    assert (folder / done.kept[0]).read_text() == "Two, by hand"
    assert (folder / "SOUL.md").read_text() == await memory.texts.soul() == "Two, by another process"
    assert (await memory.texts.sync()).conflicts == []


async def test_a_deleted_file_comes_back(memory: AsyncBethink, folder: Path) -> None:
    await memory.texts.set_soul("Be kind.")
    (folder / "SOUL.md").unlink()
    assert await memory.texts.soul() == "Be kind."
    assert (folder / "SOUL.md").read_text() == "Be kind."


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
async def test_a_soul_that_cannot_be_kept_is_refused(memory: AsyncBethink, text: str) -> None:
    with pytest.raises(InvalidInput, match="soul"):
        await memory.texts.set_soul(text)


# MEMORY.md


async def test_promoted_facts_are_mirrored_and_no_others(memory: AsyncBethink, folder: Path) -> None:
    person = (await memory.people.list())[0]
    await memory.household.update(persons=[{"id": person.id, "display_name": "Ana"}])
    await memory.facts.set("likes", "drink", "tea", person_id=person.id, promoted=True)
    await memory.facts.set("home", "city", "Cork")
    path = folder / "MEMORY.md"
    assert path.read_text().endswith("## likes\n\n- drink (Ana): tea\n")
    await memory.facts.set("likes", "drink", "coffee", person_id=person.id)
    assert "- drink (Ana): coffee\n" in path.read_text(), "once promoted, a fact stays so"
    await memory.facts.forget("likes", "drink", person_id=person.id)
    assert path.read_text() == ""


async def test_at_most_twenty_the_surest_are_in_it(memory: AsyncBethink, folder: Path) -> None:
    for number in range(25):
        await memory.facts.set("facts", f"k{number:02}", "v", confidence=50 + number, promoted=True)
    lines = [line for line in (folder / "MEMORY.md").read_text().split("\n") if line.startswith("- ")]
    assert lines == [f"- k{number:02}: v" for number in range(5, 25)]
    assert await memory.texts.memory_file() == (folder / "MEMORY.md").read_text()


async def test_edits_are_read_back_as_changes_of_facts(memory: AsyncBethink, folder: Path) -> None:
    await memory.facts.set("likes", "drink", "tea", promoted=True)
    await memory.facts.set("likes", "colour", "teal", promoted=True)
    await memory.facts.set("home", "city", "Cork")
    path = folder / "MEMORY.md"
    edit(path, "- colour: teal\n", "")
    edit(path, "- drink: tea\n", "- drink: coffee\n- sport: chess\n\n## home\n- city: Galway\n")
    prompt = await memory.prompt("hello")
    for line in ("city: Galway", "drink: coffee", "sport: chess"):
        assert f"  - {line}" in prompt.stable
    assert "teal" not in prompt.stable
    drink = await memory.facts.get("likes", "drink")
    assert drink is not None
    assert (drink.source, drink.promoted) == ("file", True)
    assert [version.value for version in await memory.facts.history("likes", "drink")] == ["coffee", "tea"]
    assert [version.value for version in await memory.facts.history("likes", "colour")] == ["teal"]
    written = path.read_text()
    assert written.index("## home") < written.index("## likes"), "put in order again"
    assert await memory.texts.sync() == await memory.texts.sync()


async def test_an_edit_that_contradicts_is_reported_and_kept(memory: AsyncBethink, folder: Path) -> None:
    await memory.facts.set("likes", "drink", "tea", promoted=True)
    await memory.facts.set("likes", "sport", "chess", promoted=True)
    path = folder / "MEMORY.md"
    before = path.read_text()
    core, space = await memory.inside.here()
    # Another process, which does not see this folder, sets the fact meanwhile.
    async with AsyncBethink(memory.settings.url, embed={"source": "none"}, space=memory.name) as other:
        await other.facts.set("likes", "drink", "water")
    path.write_text(before.replace("drink: tea", "drink: coffee").replace("sport: chess", "sport: golf"))
    with FrozenClock():
        done = await core.part(SpaceFiles).sync(space)
    assert done.conflicts == [
        "MEMORY.md: likes / drink: is 'coffee' in the file, and meanwhile it has become 'water';"
        " the latter stands"
    ]
    assert (done.facts_set, done.read) == (1, ["MEMORY.md"])
    assert "drink: coffee" in (folder / "MEMORY.conflict-20250101T120000.md").read_text()
    written = path.read_text()
    assert "drink: water" in written
    assert "sport: golf" in written


async def test_lines_that_cannot_be_read_are_reported_and_kept(memory: AsyncBethink, folder: Path) -> None:
    await memory.facts.set("likes", "drink", "tea", promoted=True)
    path = folder / "MEMORY.md"
    edit(
        path, "- drink: tea", "Dear memory, please note:\n- drink: tea\n- {long}: yes".format(long="k" * 251)
    )
    done = await memory.texts.sync()
    assert len(done.problems) == 2
    assert "line 7 is not '- key: value'" in done.problems[0]
    assert "longer than 250 characters" in done.problems[1]
    assert "Dear memory" in (folder / done.kept[0]).read_text()
    assert "Dear memory" not in path.read_text()
    assert (await memory.texts.sync()).problems == []


async def test_a_changed_text_is_taken_in_as_an_edit_of_the_file_is(
    memory: AsyncBethink, folder: Path
) -> None:
    for key, value in (("city", "Cork"), ("wifi", "Casa"), ("drink", "tea")):
        await memory.facts.set("home", key, value, promoted=True)
    base = await memory.texts.memory_file()
    await memory.facts.set("home", "wifi", "Ponte", promoted=True)
    text = base.replace("Cork", "Porto").replace("Casa", "Torre").replace("- drink: tea\n", "")
    done = await memory.texts.set_memory_file(text + "- boat: Gaivota\nno line of a fact\n", base=base)
    assert (done.facts_set, done.facts_dropped) == (2, 1)
    assert ["has become 'Ponte'" in one for one in done.conflicts] == [True]
    assert done.problems == ["MEMORY.md: line 10 is not '- key: value'"]
    expected = "- boat: Gaivota\n- city: Porto\n- wifi: Ponte\n"
    assert (folder / "MEMORY.md").read_text().endswith(expected)
    with pytest.raises(InvalidInput, match="delete the lines"):
        await memory.texts.set_memory_file(" \n")


async def test_an_emptied_file_forgets_nothing(memory: AsyncBethink, folder: Path) -> None:
    await memory.facts.set("likes", "drink", "tea", promoted=True)
    (folder / "MEMORY.md").write_text(" \n")
    await memory.prompt("hello")
    assert await memory.facts.get("likes", "drink") is not None
    assert "drink: tea" in (folder / "MEMORY.md").read_text()


async def test_someone_renamed_is_renamed_in_the_file(memory: AsyncBethink, folder: Path) -> None:
    person = (await memory.people.list())[0]
    await memory.facts.set("likes", "drink", "tea", person_id=person.id, promoted=True)
    await memory.people.update(person.id, display_name="Ana")
    await memory.prompt("hello")
    assert "- drink (Ana): tea" in (folder / "MEMORY.md").read_text()
    edit(folder / "MEMORY.md", "tea", "coffee")
    await memory.prompt("hello")
    fact = await memory.facts.get("likes", "drink", person_id=person.id)
    assert fact is not None
    assert fact.value == "coffee"


# Trouble


async def test_a_file_that_is_no_utf8_is_a_problem_and_stays(memory: AsyncBethink, folder: Path) -> None:
    await memory.texts.set_soul("Be kind.")
    (folder / "SOUL.md").write_bytes(b"Be kind \xff")
    prompt = await memory.prompt("hello")
    assert prompt.degraded == ["a file is not UTF-8; save it as UTF-8"]
    assert prompt.stable == "Be kind."
    assert (folder / "SOUL.md").read_bytes() == b"Be kind \xff"
    (folder / "SOUL.md").write_bytes(b"Be brief")
    again = await memory.prompt("hello")
    assert (again.stable, again.degraded) == ("Be brief", [])


async def test_a_folder_that_cannot_be_written_is_a_problem_and_no_failure(
    home: Home, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    async with home.memory(files={"folder": str(blocked)}) as memory:
        outcome = await memory.facts.set("likes", "drink", "tea", promoted=True)
        assert outcome.status == "stored"
        prompt = await memory.prompt("hello")
        assert "drink: tea" in prompt.stable
        assert len(prompt.degraded) == 1
        assert str(blocked) in prompt.degraded[0]


async def test_a_space_is_renamed_and_changes_undone_without_a_folder_to_write_to(
    home: Home, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    async with home.memory(files={"folder": str(blocked)}) as memory:
        space = memory.space(f"{home.space}-before")
        await space.texts.set_soul("Be kind.")
        await space.texts.set_soul("Be brief.")
        (line,) = (await space.journal(noun="soul", action="updated")).items
        await space.undo(line.id)
        after = await memory.spaces.rename(space.name, name=f"{home.space}-after")
        assert await memory.space(after.name).texts.soul() == "Be kind."


async def test_a_turn_without_changes_reads_no_file(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.texts.set_soul("Be kind.")
    await memory.facts.set("likes", "drink", "tea", promoted=True)
    for _ in range(2):
        await memory.prompt("hello")
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("a file was read"))
    assert "Be kind." in (await memory.prompt("hello")).stable


async def test_nothing_on_disk_names_a_space_that_was_deleted(home: Home, tmp_path: Path) -> None:
    root = tmp_path / "files"
    memory = home.memory(files={"folder": str(root)})
    gone = memory.space(f"{home.space}-gone")
    await gone.facts.set("a", "b", "c", promoted=True)
    assert [path for path in root.rglob("*") if path.parent.name == ".locks"]
    receipt = await memory.spaces.delete(gone.name, confirm=gone.name)
    assert receipt.complete
    assert [path for path in root.rglob("*") if path.is_file()] == []


async def test_two_that_write_in_turns_do_not_take_each_others_lines_for_deletions(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = {"folder": str(tmp_path / "files")}
    one, two = home.memory(files=root), home.memory(files=root)
    await one.facts.set("a", "start", "0", promoted=True)
    await two.texts.sync()
    held, other_wrote, done = threading.Event(), threading.Event(), threading.Event()
    real = files._replace

    def in_turns(path: Path, text: str) -> None:
        """One is held up before its file, the other between its file and the copy of what was agreed on."""
        if path.parent.name != ".agreed" and not held.is_set():
            held.set()
            other_wrote.wait(0.5)
        elif path.parent.name == ".agreed" and "late" in text and not other_wrote.is_set():
            other_wrote.set()
            done.wait(0.5)
        real(path, text)

    monkeypatch.setattr(files, "_replace", in_turns)
    first = asyncio.ensure_future(one.facts.set("a", "early", "yes", promoted=True))
    await asyncio.to_thread(held.wait, 10)
    second = asyncio.ensure_future(two.facts.set("a", "late", "yes", promoted=True))
    await first
    done.set()
    await second
    for memory in (one, two):
        await memory.texts.sync()
    assert {fact.key for fact in await one.facts.list()} == {"start", "early", "late"}


async def test_two_at_once_and_an_editor_lose_nothing(home: Home, tmp_path: Path) -> None:
    root = {"folder": str(tmp_path / "files")}
    one, two = home.memory(files=root), home.memory(files=root)
    await one.facts.set("a", "start", "0", promoted=True)
    path = tmp_path / "files" / home.space / "MEMORY.md"
    for number in range(5):
        edit(path, "## a\n\n", f"## a\n\n- by_hand_{number}: yes\n")
        await asyncio.gather(
            one.facts.set("a", f"one_{number}", "yes", promoted=True),
            two.facts.set("a", f"two_{number}", "yes", promoted=True),
            one.prompt("x"),
            two.prompt("y"),
        )
        await one.texts.sync()
    expected = {f"{who}_{number}" for who in ("one", "two", "by_hand") for number in range(5)} | {"start"}
    assert {fact.key for fact in await one.facts.list()} == expected
    assert all(f"- {key}: " in path.read_text() for key in expected)
    assert not [name for name in os.listdir(path.parent) if "conflict" in name or name.startswith(".MEMORY")]
    await one.close()
    await two.close()


async def test_the_files_follow_a_space_that_another_process_renamed(
    both: Both, home: Home, tmp_path: Path
) -> None:
    root, (one, two) = tmp_path / "files", both
    before, after = f"{home.space}-before", f"{home.space}-after"
    await two.space(before).facts.set("a", "first", "yes", promoted=True)
    await one.spaces.rename(before, name=after)
    # It goes on knowing the old name for a while.
    await two.space(before).facts.set("a", "second", "yes", promoted=True)
    assert not (root / before).exists()
    assert "- second: yes" in (root / after / "MEMORY.md").read_text()


async def test_nothing_of_a_space_that_another_process_deleted_is_written(
    both: Both, home: Home, tmp_path: Path
) -> None:
    root, (one, two) = tmp_path / "files", both
    gone = two.space(f"{home.space}-gone")
    await gone.texts.set_soul("Be kind.")
    await one.spaces.delete(gone.name, confirm=gone.name)
    await gone.texts.sync()
    assert [path for path in root.rglob("*") if path.is_file()] == []


async def test_a_new_space_of_the_old_name_finds_nothing_of_the_one_that_was_renamed(
    both: Both, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, (one, two) = tmp_path / "files", both
    before, after = f"{home.space}-before", f"{home.space}-after"
    await one.space(before).facts.set("a", "first", "yes", promoted=True)
    edit(root / before / "MEMORY.md", "- first: yes", "- first: yes\n- pin: 1234")
    moving, go_on = threading.Event(), threading.Event()
    real = files._move

    def late(old: Path, new: Path, space_id: str) -> None:
        moving.set()
        go_on.wait(1)
        real(old, new, space_id)

    monkeypatch.setattr(files, "_move", late)
    renaming = asyncio.ensure_future(one.spaces.rename(before, name=after))
    await asyncio.to_thread(moving.wait, 10)
    making = asyncio.ensure_future(two.space(before).facts.set("b", "second", "yes", promoted=True))
    await asyncio.sleep(0.2)
    go_on.set()
    await asyncio.gather(renaming, making)
    await one.space(after).texts.sync()
    assert {fact.key for fact in await one.space(after).facts.list()} == {"first", "pin"}
    assert {fact.key for fact in await two.space(before).facts.list()} == {"second"}
    assert "second" not in (root / after / "MEMORY.md").read_text()


async def test_a_space_whose_files_another_process_is_busy_with_is_not_deleted_by_half(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "files"
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.1)
    async with home.memory(files={"folder": str(root)}) as memory:
        space = memory.space(f"{home.space}-busy")
        await space.texts.set_soul("Be kind.")
        with FileLock(root / ".locks" / space.name):
            with pytest.raises(StoreError, match="busy"):
                await memory.spaces.delete(space.name, confirm=space.name)
            memory_id = (await space.remember("Tea")).id
            await space.forget(memory_id)
            (line,) = (await space.journal(noun="memory", action="forgotten")).items
            await space.undo(line.id)
        assert [one.content for one in await space.list()] == ["Tea"]
        assert (await memory.spaces.delete(space.name, confirm=space.name)).complete


async def test_what_is_deleted_has_the_name_that_was_confirmed(
    both: Both, home: Home, tmp_path: Path
) -> None:
    root, (one, two) = tmp_path / "files", both
    name, other = f"{home.space}-name", f"{home.space}-other"
    await two.space(name).texts.set_soul("The first.")
    await one.spaces.rename(name, name=other)
    await one.space(name).texts.set_soul("The second.")
    await two.spaces.delete(name, confirm=name)  # it has just known the first by that name
    assert await one.space(other).texts.soul() == "The first."
    assert (root / other / "SOUL.md").read_text() == "The first."
    assert not (root / name).exists()


async def test_the_files_follow_a_renaming_that_is_undone_elsewhere(
    both: Both, home: Home, tmp_path: Path
) -> None:
    root, (one, two) = tmp_path / "files", both
    before, after = f"{home.space}-before", f"{home.space}-after"
    await two.space(before).texts.set_soul("Be kind.")
    await one.spaces.rename(before, name=after)
    (line,) = (await one.space(after).journal(noun="space", action="renamed")).items
    await two.space(before).undo(line.id)
    assert (root / before / "SOUL.md").read_text() == "Be kind."
    assert not (root / after).exists()


async def test_an_erasure_looks_where_the_files_are_now(both: Both, home: Home, tmp_path: Path) -> None:
    root, (one, two) = tmp_path / "files", both
    before, after = f"{home.space}-before", f"{home.space}-after"
    await two.space(before).facts.set("home", "city", "Reykjavik", promoted=True)
    await one.spaces.rename(before, name=after)
    (root / after / "MEMORY.conflict-20260101T000000.md").write_text("- city: Reykjavik")
    receipt = await two.space(before).erase(query="Reykjavik")
    assert receipt.proof is not None
    assert [place.noun for place in receipt.proof.texts_found] == ["file"]


async def test_what_is_renamed_has_the_name_that_was_given(both: Both, home: Home, tmp_path: Path) -> None:
    root, (one, two) = tmp_path / "files", both
    name, other, after = f"Büro {home.space}", f"Büro alt {home.space}", f"{home.space}-office"
    await two.space(name).facts.set("a", "first", "yes", promoted=True)
    await one.spaces.rename(name, name=other)
    await one.space(name).facts.set("a", "second", "yes", promoted=True)
    (first,) = [
        path for path in root.rglob("MEMORY.md") if "first" in path.read_text() and ".a" not in str(path)
    ]
    edit(first, "- first: yes", "- first: yes\n- pin: 1234")
    await two.spaces.rename(name, name=after)  # it has just known the first by that name
    assert {fact.key for fact in await two.space(after).facts.list()} == {"second"}
    assert "second" in (root / after / "MEMORY.md").read_text()
    await one.space(other).texts.sync()
    assert {fact.key for fact in await one.space(other).facts.list()} == {"first", "pin"}


async def test_no_lock_stays_where_there_are_no_files(both: Both, home: Home, tmp_path: Path) -> None:
    root, (one, two) = tmp_path / "files", both
    before, after = f"{home.space}-before", f"{home.space}-after"
    await two.space(before).texts.set_soul("Be kind.")
    await one.spaces.rename(before, name=after)
    await two.space(before).texts.sync()
    with pytest.raises(Conflict):
        await one.spaces.rename(home.space, name=f"{home.space}-nowhere")
    assert {path.name for path in (root / ".locks").iterdir()} <= {after, home.space}
