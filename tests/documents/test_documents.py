"""The knowledge base from end to end, on each database."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, Bethink, Conflict, DocumentProgress, InvalidInput, NotFound, TooLarge
from bethink.store import documents
from bethink.testing import HashEmbedder
from tests import opened
from tests.documents import writers
from tests.waiting import PATIENCE_SECONDS

LEAVE = "# Leave\n\n" + "Everybody has thirty days of leave a year, and asks for them in writing. " * 15
PAY = "# Pay\n\n" + "Salaries are paid on the last working day of each month by bank transfer. " * 15
OFFICE = "# Office\n\n" + "The office in Lisbon opens at eight, and there is a bakery opposite it. " * 15


@pytest.fixture
async def memory(home: opened.Home) -> AsyncIterator[AsyncBethink]:
    async with home.memory(opened.WatchedEmbedder()) as memory:
        yield memory


async def ready(memory: AsyncBethink, name: str, data: bytes) -> str:
    """Add a document and wait until it can be searched."""
    added = await memory.documents.add(data, name)
    seen = await memory.documents.wait(added.document.id)
    assert seen.status == "ready", seen.problem
    return added.document.id


async def test_a_file_is_added_found_and_quoted(memory: AsyncBethink) -> None:
    steps: list[DocumentProgress] = []
    data = writers.pdf_bytes(["The canteen is on the ground floor.", "Parental leave lasts 180 days."])
    added = await memory.documents.add(data, "handbook.pdf")
    assert (added.status, added.document.status, added.document.kind) == ("stored", "queued", "pdf")
    await memory.documents.wait(added.document.id, progress=steps.append)
    assert steps[-1].status == "ready"
    assert steps[-1].embedded == steps[-1].passages == 1
    other = await ready(memory, "pay.md", PAY.encode())

    found = await memory.documents.search("how long is parental leave?")
    hit = found.hits[0]
    assert hit.document_id == added.document.id
    assert hit.citation == "handbook.pdf, pages 1–2"
    assert (hit.part, hit.page, hit.last_page) == ("page", 1, 2)
    stands = await memory.documents.text(hit.document_id, offset=hit.first, limit=hit.last - hit.first)
    assert stands.text == hit.text
    assert {hit.snippet[first:last] for first, last in hit.marks} == {"Parental", "leave"}
    only = await memory.documents.search("parental leave", document_ids=[other])
    assert {one.document_id for one in only.hits} <= {other}
    assert not (await memory.documents.search("parental leave", document_ids=[])).hits

    whole = await memory.documents.text(added.document.id)
    assert "ground floor." in whole.text
    assert "lasts 180 days." in whole.text
    piece = await memory.documents.text(added.document.id, offset=4, limit=7)
    assert (piece.text, piece.next_offset) == (whole.text[4:11], 11)
    page = await memory.documents.list(status="ready", limit=1)
    assert (page.total, [one.id for one in page.items]) == (2, [other])
    assert (await memory.documents.get(added.document.id)).metadata["author"] == "Anna Gray"
    assert await memory.documents.original(added.document.id) == data


async def test_the_same_file_twice_is_one_document(memory: AsyncBethink) -> None:
    first = await ready(memory, "pay.md", PAY.encode())
    again = await memory.documents.add(PAY.encode(), "copy.md")
    assert (again.status, again.document.id, again.reason) == ("duplicate", first, "the same file is there")
    async with AsyncBethink(memory.settings.url, embedder=HashEmbedder(), space=f"{memory.name}-2") as other:
        assert (await other.documents.add(PAY.encode(), "pay.md")).status == "stored"
        assert not (await other.documents.list(status="failed")).items
        with pytest.raises(NotFound, match="no document"):
            await other.documents.text(first)


async def test_what_is_replaced_keeps_its_id_and_the_vectors_of_what_it_still_says(home: opened.Home) -> None:
    embedder = opened.WatchedEmbedder()
    async with home.memory(embedder) as memory:
        before = await ready(memory, "handbook.md", f"{LEAVE}\n\n{PAY}".encode())
        made = len(embedder.documents)
        replaced = await memory.documents.replace(before, f"{OFFICE}\n\n{PAY}".encode())
        assert (replaced.status, replaced.document.id) == ("replaced", before)
        await memory.documents.wait(before)
        new = embedder.documents[made:]
        assert new
        assert all("Lisbon" in text for text in new)
        assert "thirty days" not in (await memory.documents.text(before)).text
        assert not (await memory.documents.search("thirty days of leave in writing")).hits[:1] or all(
            "thirty days" not in hit.text for hit in (await memory.documents.search("thirty days")).hits
        )
        unchanged = await memory.documents.replace(before, f"{OFFICE}\n\n{PAY}".encode())
        assert unchanged.status == "duplicate"
        other = await ready(memory, "leave.md", LEAVE.encode())
        with pytest.raises(Conflict, match=f"is the document {other}"):
            await memory.documents.replace(before, LEAVE.encode())


async def test_a_question_that_no_document_answers_gets_none(tmp_path: Path) -> None:
    for floor in (True, False):
        where = {"embed": {"source": "local"}, "documents": {"floor": floor}}
        async with AsyncBethink(tmp_path / f"{floor}.db", **where) as memory:  # type: ignore[arg-type]
            await ready(memory, "pay.md", PAY.encode())
            assert (await memory.documents.search("when are wages transferred to employees?")).hits
            unrelated = await memory.documents.search("who painted the ceiling of the chapel?")
            assert bool(unrelated.hits) is not floor
            await ready(memory, "leave.md", LEAVE.encode())
            await ready(memory, "office.md", OFFICE.encode())
            found = await memory.documents.search("when are wages transferred to employees?", limit=9)
            names = [hit.document_name for hit in found.hits]
            assert names.count("leave.md") == 2, "what is weaker stands beside what answers"
            assert ("office.md" in names) is not floor


async def test_what_is_removed_leaves_nothing(memory: AsyncBethink) -> None:
    gone = await ready(memory, "leave.md", LEAVE.encode())
    assert (await memory.documents.remove(gone)).name == "leave.md"
    assert not (await memory.documents.search("days of leave")).hits
    assert (await memory.stats()).layers.get("passage") is None  # type: ignore[call-overload]
    for verb in (memory.documents.get, memory.documents.text, memory.documents.remove):
        with pytest.raises(NotFound, match="no document"):
            await verb(gone)
    assert (await memory.documents.add(LEAVE.encode(), "leave.md")).status == "stored"


async def test_why_a_file_cannot_be_read_is_its_state(memory: AsyncBethink) -> None:
    added = await memory.documents.add(writers.pdf_bytes(["Leave"], password="secret"), "a.pdf")
    seen = await memory.documents.wait(added.document.id)
    assert (seen.status, seen.passages) == ("failed", 0)
    assert "encrypted" in str(seen.problem)
    assert (await memory.documents.retry(added.document.id)).status == "queued"
    assert (await memory.documents.wait(added.document.id)).status == "failed"
    await memory.documents.replace(added.document.id, LEAVE.encode(), "leave.md")
    assert (await memory.documents.wait(added.document.id)).status == "ready"


async def test_a_file_that_comes_in_pieces_goes_on_where_it_was_cut_off(memory: AsyncBethink) -> None:
    data = LEAVE.encode()
    name = hashlib.sha256(data).hexdigest()
    assert (await memory.documents.uploaded(name)).received == 0
    await memory.documents.upload(name, data[:500], "leave.md", offset=0, size=len(data))
    assert (await memory.documents.uploaded(name)).received == 500
    with pytest.raises(Conflict, match="go on with offset 500"):
        await memory.documents.upload(name, data[600:], "leave.md", offset=600, size=len(data))
    done = await memory.documents.upload(name, data[400:], "leave.md", offset=400, size=len(data))
    assert done.added is not None
    assert done.added.status == "stored"
    assert await memory.documents.original(done.added.document.id) == data
    again = await memory.documents.uploaded(name)
    assert again.added is not None
    assert (again.received, again.added.status) == (len(data), "duplicate")
    changed = hashlib.sha256(b"abcde").hexdigest()
    await memory.documents.upload(changed, b"abcd", "a.md", offset=0, size=20)  # a size that is wrong
    with pytest.raises(Conflict, match="again from the start"):
        await memory.documents.upload(changed, b"d", "a.md", offset=3, size=3)
    assert (await memory.documents.upload(changed, b"abcde", "a.md", offset=0, size=5)).added
    other = "0" * 64
    with pytest.raises(Conflict, match="is not the file of that hash"):
        await memory.documents.upload(other, b"abc", "a.md", offset=0, size=3)
    with pytest.raises(InvalidInput, match="sha256"):
        await memory.documents.upload("../../etc/passwd", b"abc", "a.md", offset=0, size=3)


async def test_documents_are_recalled_only_where_they_are_asked_for(memory: AsyncBethink) -> None:
    await ready(memory, "leave.md", LEAVE.encode())
    await memory.remember("Anna was on leave in May")
    assert {hit.layer for hit in (await memory.recall("leave")).hits} == {"memory"}
    assert {hit.layer for hit in (await memory.recall("leave", layers=["passage"])).hits} == {"passage"}


async def test_what_is_erased_is_in_no_file_either(memory: AsyncBethink) -> None:
    document = await ready(
        memory, "notes.md", f"{LEAVE}\n\n# Anna\n\nThe surgery of Anna was in May.".encode()
    )
    receipt = await memory.erase(query="surgery of Anna")
    assert receipt.complete
    assert receipt.erased["passages"] == 1
    assert not (await memory.documents.get(document)).original
    with pytest.raises(NotFound, match="not kept"):
        await memory.documents.original(document)
    assert "thirty days" in (await memory.documents.text(document)).text
    await memory.erase(everything=True)
    assert (await memory.documents.list()).total == 0


async def test_documents_travel_in_an_archive_without_their_files(home: opened.Home, tmp_path: Path) -> None:
    archive = tmp_path / "archive.jsonl"
    async with home.memory() as memory:
        document = await ready(memory, "leave.md", LEAVE.encode())
        await memory.export(str(archive), secrets=True)
        await memory.documents.remove(document)
        imported = await memory.import_(str(archive))
        assert imported.stored["document"] == 1
        assert "thirty days" in (await memory.documents.search("thirty days of leave")).hits[0].text
        assert not (await memory.documents.get(document)).original


async def test_a_run_that_was_cut_short_goes_on(home: opened.Home) -> None:
    async with home.memory(opened.WatchedEmbedder(down=True)) as memory:
        document = (await memory.documents.add(LEAVE.encode(), "leave.md")).document.id
        seen = await memory.documents.wait(document)
        assert (seen.status, seen.passages, seen.embedded) == ("embedding", 2, 0)
        assert "switched this embedder off" in str(seen.problem), "nobody waits for what does not come"
        assert (await memory.documents.search("thirty days of leave")).hits, "it is found by its words"
    async with home.memory() as memory:
        assert (await memory.documents.wait(document)).status == "ready"


async def test_without_a_model_documents_are_found_by_their_words(home: opened.Home) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        await ready(memory, "leave.md", LEAVE.encode())
        assert (await memory.documents.search("thirty days")).hits


async def test_files_are_kept_where_a_url_says(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/elsewhere"
    async with AsyncBethink(tmp_path / "m.db", embedder=HashEmbedder(), documents={"store": store}) as memory:
        document = await ready(memory, "leave.md", LEAVE.encode())
        assert await memory.documents.original(document) == LEAVE.encode()
        assert [path.read_bytes() for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()] == [
            LEAVE.encode()
        ]
        await memory.documents.remove(document)
        assert not [path for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()]


async def test_a_file_that_comes_while_others_are_tidied_away_is_kept(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, added = threading.Event(), threading.Event()
    kept_originals = documents.kept_originals

    def slowly(*given: Any) -> set[str]:
        kept = kept_originals(*given)
        if not asked.is_set():
            asked.set()
            added.wait(PATIENCE_SECONDS)
        return kept

    await ready(memory, "pay.md", PAY.encode())
    await memory.settle()
    monkeypatch.setattr(documents, "kept_originals", slowly)
    tidying = asyncio.create_task(memory.erase(query="a word that nobody said"))
    await asyncio.to_thread(asked.wait, PATIENCE_SECONDS)
    document = (await memory.documents.add(LEAVE.encode(), "leave.md")).document.id
    added.set()
    await tidying
    assert await memory.documents.original(document) == LEAVE.encode()


def test_a_file_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "leave.md"
    file.write_text(LEAVE)
    with Bethink(":memory:", embedder=HashEmbedder(), documents={"max_bytes": 5000}) as memory:
        first = memory.documents.add(file, follow=True)
        memory.documents.wait(first.document.id)
        file.write_text(PAY)
        second = memory.documents.add(file, follow=True)
        assert (second.status, second.document.id) == ("replaced", first.document.id)
        assert memory.documents.wait(second.document.id).status == "ready"
        with pytest.raises(NotFound, match="There is no file"):
            memory.documents.add(tmp_path / "missing.md")
        with pytest.raises(TooLarge, match=r"documents\.max_bytes"):
            memory.documents.add(b"x" * 5001, "x.txt")
        with pytest.raises(InvalidInput, match="is empty"):
            memory.documents.add(b"", "x.txt")
        with pytest.raises(InvalidInput, match="say what the file is called"):
            memory.documents.add(b"x")
        assert (
            memory.documents.add(b"traversal", "../../etc/passwd\x1b[2J.txt").document.name == "passwd[2J.txt"
        )


async def test_what_waits_to_be_read_is_looked_into_when_a_text_is_erased(home: opened.Home) -> None:
    async with home.memory() as memory:
        added = await memory.documents.add(b"# Notes\n\nThe surgery of Anna went well.\n", "notes.md")
        broken = await memory.documents.add(b"%PDF-1.4 cut off", "broken.pdf")
        receipt = await memory.erase(query="surgery of Anna")
        assert receipt.erased["passages"] == 1
        assert receipt.complete
        assert receipt.storage
        assert any("broken.pdf" in note for note in receipt.storage.notes)
        await memory.settle()
        assert "surgery" not in (await memory.documents.text(added.document.id)).text
        with pytest.raises(NotFound, match="not kept"):
            await memory.documents.original(added.document.id)
        assert (await memory.documents.get(broken.document.id)).status == "failed"


async def test_what_people_set_for_themselves_is_a_document_that_always_takes_part(
    home: opened.Home, tmp_path: Path
) -> None:
    archive = tmp_path / "archive.jsonl"
    async with home.memory() as memory:
        assert not (await memory.documents.list()).items
        await memory.options.update(insight_people=["Anna Gray"], insight_topics=["harbour"])
        assert (await memory.documents.search("which topics are in focus?")).hits[0].citation == "memory.txt"
        pay = await ready(memory, "pay.md", PAY.encode())
        await memory.texts.set_soul("Answer in short sentences.")
        own = next(one for one in (await memory.documents.list()).items if one.name == "memory.txt")
        text = (await memory.documents.text(own.id)).text
        assert "People in focus: Anna Gray." in text
        assert "Topics in focus: harbour." in text
        assert "Answer in short sentences." in text
        found = await memory.documents.search("which topics are in focus?", document_ids=[pay])
        assert found.hits[0].document_id == own.id
        with pytest.raises(Conflict, match="change those"):
            await memory.documents.remove(own.id)
        await memory.options.update(insight_topics=["ferry"])
        await memory.settle()
        assert (await memory.documents.get(own.id)).status == "ready"
        await memory.export(str(archive))
        async with AsyncBethink(
            memory.settings.url, embedder=HashEmbedder(), space=f"{memory.name}-2"
        ) as other:
            await other.import_(str(archive))
            assert sorted(one.name for one in (await other.documents.list()).items) == [
                "memory.txt",
                "pay.md",
            ]
        assert "harbour" not in (await memory.documents.text(own.id)).text
        assert "ferry" in (await memory.documents.text(own.id)).text
        await memory.options.reset()
        await memory.texts.set_soul("")
        assert [one.id for one in (await memory.documents.list()).items] == [pay]


async def test_documents_take_part_in_recall_and_prompts_by_option(home: opened.Home) -> None:
    async with home.memory() as memory:
        await ready(memory, "handbook.md", f"{LEAVE}\n\n{PAY}".encode())
        await memory.remember("The leave of Tom begins on Monday.")
        query = "how many days of leave a year?"
        assert {hit.layer for hit in (await memory.recall(query)).hits} == {"memory"}
        plain = await memory.prompt(query)
        assert not plain.documents
        assert "## Documents" not in plain.text
        assert (await memory.prompt(query, layers=["passage"])).documents
        await memory.options.update(documents=True)
        assert "passage" in {hit.layer for hit in (await memory.recall(query)).hits}
        made = await memory.prompt(query)
        assert "## Documents\n- handbook.md, Leave:\n> " in made.volatile
        assert "Everybody has thirty days of leave a year" in made.volatile
        assert "The leave of Tom begins on Monday." in made.volatile
        assert made.documents[0].citation == "handbook.md, Leave"
        assert all(hit.layer != "passage" for hit in made.memories)
        assert 0 < made.tokens.documents <= 810
        assert made.tokens.volatile >= made.tokens.documents + made.tokens.memories


async def test_a_short_budget_is_shared_between_memories_and_documents(home: opened.Home) -> None:
    async with home.memory() as memory:
        await ready(memory, "handbook.md", f"{LEAVE}\n\n{PAY}".encode())
        for number in range(20):
            words = " ".join(f"word{number}of{place}" for place in range(6))
            await memory.remember(f"Leave, days, year: {words}.")
        await memory.options.update(documents=True)
        made = await memory.prompt("how many days of leave a year?", max_tokens=600, limit=20)
        assert made.tokens.total <= 660
        assert made.tokens.documents > 100
        assert made.tokens.memories > 100
        assert made.left_out.documents + made.left_out.memories > 0
