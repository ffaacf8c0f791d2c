"""Notes from end to end, on each database: files that people write, found by line and by meaning."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bethink import AsyncBethink, Bethink, Conflict, NotFound
from bethink.testing import HashEmbedder
from tests import opened
from tests.waiting import PATIENCE_SECONDS

ANNA = "# Anna\n\nAnna looks after the harbour budget.\nShe speaks PORTUGUESE.\n"


@pytest.fixture
async def memory(home: opened.Home, tmp_path: Path) -> AsyncIterator[AsyncBethink]:
    async with home.memory(files={"folder": str(tmp_path / "files")}) as memory:
        yield memory


@pytest.fixture
async def folder(memory: AsyncBethink) -> Path:
    folder = await memory.notes.folder()
    assert folder is not None
    (folder / "people").mkdir(parents=True)
    return folder


async def test_notes_are_listed_searched_and_read(memory: AsyncBethink, folder: Path) -> None:
    assert (await memory.notes.list()).total == 0
    (folder / "people" / "anna.md").write_text(ANNA)
    (folder / "plan.json").write_text(json.dumps({"project": "Harbour", "budget": 900}))
    (folder / "people" / "empty.md").write_text("")
    (folder / "people" / ".draft.md").write_text("budget")
    (folder / "people" / "photo.png").write_bytes(b"budget")
    synced = await memory.notes.sync()
    assert (synced.added, synced.changed, synced.removed) == (["people/anna.md", "plan.json"], [], [])
    await memory.settle()
    listed = (await memory.notes.list()).items
    assert [(one.file, one.kind, one.status) for one in listed] == [
        ("people/anna.md", "people", "ready"),
        ("people/empty.md", "people", None),
        ("plan.json", "notes", "ready"),
    ]
    found = await memory.notes.search("Budget")
    assert [(one.file, one.line) for one in found.items] == [("people/anna.md", 3), ("plan.json", 1)]
    first = found.items[0]
    assert [first.text[a:b] for a, b in first.marks] == ["budget"]
    assert [one.file for one in (await memory.notes.search("BUDGET", kind="people")).items] == [
        "people/anna.md"
    ]
    assert (await memory.notes.search("budget", limit=1)).more
    assert [one.line for one in (await memory.notes.search("portuguese")).items] == [4]
    assert (await memory.notes.read("people/anna.md")).text == ANNA
    hit = (await memory.documents.search("who looks after the harbour budget?")).hits[0]
    assert hit.citation == "people/anna.md, Anna"
    for file in ("../SOUL.md", "people/../../SOUL.md", "/etc/passwd", "people/.draft.md", "none.md"):
        with pytest.raises(NotFound, match="no note"):
            await memory.notes.read(file)


async def test_notes_of_any_language(memory: AsyncBethink, folder: Path) -> None:
    (folder / "a.md").write_text("预算会议\nميزانية الميناء\nDIE STRASSE ÜBER ALLES 🎈\ncafe\u0301 au lait")
    for text, line in (("预算", 1), ("الميناء", 2), ("über", 3), ("🎈", 3), ("CAFÉ", 4)):
        assert [one.line for one in (await memory.notes.search(text)).items] == [line]


async def test_edits_are_taken_in_and_what_is_deleted_goes(memory: AsyncBethink, folder: Path) -> None:
    anna, ben = folder / "people" / "anna.md", folder / "people" / "ben.md"
    anna.write_text(ANNA)
    ben.write_text("# Ben\n\nBen repairs the crane of the shipyard.")
    await memory.notes.sync()
    await memory.settle()
    before = {one.file: one.document_id for one in (await memory.notes.list()).items}
    anna.write_text("# Anna\n\nAnna moved to the fire brigade.")
    assert (await memory.notes.sync()).changed == ["people/anna.md"]
    await memory.settle()
    assert {one.file: one.document_id for one in (await memory.notes.list()).items} == before
    found = await memory.documents.search("who moved to the fire brigade?")
    assert found.hits[0].document_name == "people/anna.md"
    anna.write_text(ben.read_text())
    await memory.notes.sync()
    assert [one.name for one in (await memory.documents.list()).items] == ["people/ben.md"]
    ben.unlink()
    anna.unlink()
    assert (await memory.notes.sync()).removed == ["people/ben.md"]
    assert not (await memory.documents.list()).items
    assert not (await memory.documents.search("crane of the shipyard")).hits


async def test_a_document_that_is_a_note_is_changed_by_its_file_only(
    memory: AsyncBethink, folder: Path
) -> None:
    (folder / "people" / "anna.md").write_text(ANNA)
    await memory.notes.sync()
    (document,) = (await memory.documents.list()).items
    with pytest.raises(Conflict, match="folder of notes"):
        await memory.documents.remove(document.id)
    with pytest.raises(Conflict, match="folder of notes"):
        await memory.documents.replace(document.id, b"else", "else.md")


async def test_secrets_are_masked_and_not_found_by_themselves(memory: AsyncBethink, folder: Path) -> None:
    (folder / "wifi.md").write_text("# Home\n\nMy wifi password is kestrel-9-Orchid!\n")
    assert "kestrel" not in (await memory.notes.read("wifi.md")).text
    (line,) = (await memory.notes.search("wifi password")).items
    assert "kestrel" not in line.text
    assert not (await memory.notes.search("kestrel-9")).items
    assert "kestrel" in (await memory.notes.read("wifi.md", secrets=True)).text


async def test_no_link_leads_out_of_the_folder_and_no_note_into_another_space(
    memory: AsyncBethink, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key.md").write_text("budget")
    (folder / "link.md").symlink_to(tmp_path / "outside" / "key.md")
    (folder / "linked").symlink_to(tmp_path / "outside")
    (folder / "mine.md").write_text("my budget")
    assert [one.file for one in (await memory.notes.search("budget")).items] == ["mine.md"]
    async with AsyncBethink(
        memory.settings.url,
        embedder=HashEmbedder(),
        space=f"{memory.name}-2",
        files={"folder": memory.settings.files_folder},
    ) as other:
        assert not (await other.notes.list()).items
        assert not (await other.notes.search("budget")).items
        with pytest.raises(NotFound):
            await other.notes.read("mine.md")


async def test_an_erasure_names_the_notes_that_still_say_it_and_erasing_everything_deletes_them(
    memory: AsyncBethink, folder: Path
) -> None:
    (folder / "people" / "anna.md").write_text(ANNA)
    await memory.notes.sync()
    await memory.settle()
    receipt = await memory.erase(query="harbour budget")
    assert receipt.erased["passages"] == 1
    assert receipt.proof is not None
    assert [place.id for place in receipt.proof.texts_found] == ["notes/people/anna.md"]
    assert not receipt.complete
    await memory.notes.sync()
    await memory.settle()
    assert not (await memory.documents.search("harbour budget")).hits
    whole = await memory.erase(everything=True)
    assert whole.complete
    assert whole.storage is not None
    assert any("folder of notes" in note for note in whole.storage.notes)
    assert not await asyncio.to_thread(folder.exists)
    assert (await memory.notes.list()).total == 0


async def test_what_cannot_be_read_is_said(memory: AsyncBethink, folder: Path) -> None:
    (folder / "long.md").write_text("word " * 250_000)
    (folder / "binary.md").write_bytes(b"\0\1\2")
    synced = await memory.notes.sync()
    assert ["long.md is longer" in problem for problem in synced.problems] == [True]
    await memory.settle()
    states = {one.file: one.problem for one in (await memory.notes.list()).items}
    assert "holds no text" in str(states["binary.md"])


async def test_a_server_takes_notes_in_as_they_change(memory: AsyncBethink, folder: Path) -> None:
    (folder / "people" / "anna.md").write_text(ANNA)
    await memory.take_over()
    await until(memory, 1)
    (folder / "people" / "ben.md").write_text("# Ben\n\nBen repairs cranes.")
    await until(memory, 2)
    (folder / "people" / "anna.md").unlink()
    await until(memory, 1)


async def until(memory: AsyncBethink, count: int) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while (await memory.documents.list()).total != count:
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


def test_without_files_there_are_no_notes(tmp_path: Path) -> None:
    with Bethink(tmp_path / "m.db", embedder=HashEmbedder()) as memory:
        assert memory.notes.folder() is None
        assert memory.notes.list().total == 0
        assert memory.notes.sync().added == []
        assert not memory.notes.search("x").items
