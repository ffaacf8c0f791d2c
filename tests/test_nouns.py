"""A kind of record from elsewhere, declared through the contract alone, is treated like those known here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, Conflict, Layer, NotFound, SettingsError
from bethink.clock import new_id, now
from bethink.contracts import Archived, Indexed, Line, Noun, Reference
from bethink.errors import InvalidInput, MigrationError
from bethink.index.describe import Style, fingerprint, terms_of
from bethink.index.tell import tell
from bethink.journal.ways import NEW, USUAL
from bethink.memory import AsyncSpace
from bethink.nouns import NOUNS
from bethink.records import JournalEntry, Record, Space, Utc
from bethink.shapes.outcomes import Hit
from bethink.store import Tx, entries, journal, rows
from bethink.store.entries import Entry
from bethink.store.journal import note, values_of
from bethink.testing import HashEmbedder
from tests.opened import unchecked

MADE = datetime(2024, 5, 1, 12, tzinfo=UTC)
QUERIES = """
-- name: briefs
SELECT entries.id, bookmarks.id, bookmarks.title || ': ' || bookmarks.note, entries.observed_at, FALSE,
  entries.mentioned_at
FROM entries JOIN bookmarks ON bookmarks.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)
"""
MIGRATION = """
CREATE TABLE bookmarks (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  note TEXT NOT NULL,
  created_at {int} NOT NULL
){strict};
"""


class Bookmark(Record):
    id: str
    space_id: str
    url: str
    title: str
    note: str
    created_at: Utc


def document(bookmark: Bookmark) -> str:
    return f"{bookmark.title}. {bookmark.note}"


def described(bookmark: Bookmark, _zone: str, _style: Style) -> Entry:
    return Entry(
        layer=Layer("bookmark"),
        record_id=bookmark.id,
        observed_at=bookmark.created_at,
        fingerprint=fingerprint(document(bookmark)),
        body=terms_of([bookmark.title, bookmark.note, bookmark.url]),
    )


INDEXED = Indexed(
    code=9,
    brief="bookmarks.briefs",
    entry=described,
    embedded=lambda bookmark, _: document(bookmark),
    line=lambda bookmark, text: Line(f"{text} ({bookmark.url})"),
)
BOOKMARK = Noun(
    "bookmark",
    Bookmark,
    "bookmarks",
    counted_as="bookmarks",
    indexed=INDEXED,
    archived=Archived(long=("url", "note")),
    texts=lambda bookmark: (bookmark.url, bookmark.title, bookmark.note),
    ways=USUAL,
    mutable=("url", "title", "note"),
    final={"stored": NEW.format("forget it")},
)


# The room of the noun: three transactions, each with its line in the journal.
def keep(tx: Tx, space: Space, bookmark: Bookmark) -> JournalEntry:
    rows.add(tx, "bookmark", [bookmark])
    tell(tx, space, "bookmark", [bookmark], "lean")
    return noted(tx, note(space, now(), "ann", "stored", bookmark))


def change(tx: Tx, space: Space, id_: str, **fields: Any) -> JournalEntry:
    before = rows.by_ids(tx, space.id, "bookmark", [id_])[id_]
    after = before.model_copy(update=fields)
    rows.update(tx, "bookmark", after)
    tell(tx, space, "bookmark", [after], "lean")
    names = set(fields)
    was, is_now = values_of(before, names), values_of(after, names)
    return noted(tx, note(space, now(), "ann", "updated", after, before=was, after=is_now))


def forget(tx: Tx, space: Space, id_: str) -> JournalEntry:
    before = rows.by_ids(tx, space.id, "bookmark", [id_])[id_]
    rows.delete(tx, space.id, "bookmark", [id_])
    entries.remove(tx, space, Layer("bookmark"), [id_])
    return noted(tx, note(space, now(), "ann", "forgotten", before, before=values_of(before)))


def noted(tx: Tx, line: JournalEntry) -> JournalEntry:
    journal.add(tx, [line])
    return line


async def do(space: AsyncSpace, work: Any, *args: Any, **fields: Any) -> JournalEntry:
    core, record = await space.inside.here()
    line: JournalEntry = await core.driver.write(work, record, *args, **fields)
    await core.changed("bookmark", record)
    return line


async def add(space: AsyncSpace, title: str, text: str = "how to grow leeks in clay") -> str:
    _, record = await space.inside.here()
    bookmark = Bookmark(
        id=new_id(),
        space_id=record.id,
        url="https://leeks.test/clay",
        title=title,
        note=text,
        created_at=MADE,
    )
    await do(space, keep, bookmark)
    return bookmark.id


async def all_of(space: AsyncSpace) -> list[Bookmark]:
    hits = (await space.recall("", strategy="recent", layers=[Layer("bookmark")], limit=100)).hits
    return sorted(map(bookmark_of, hits), key=lambda one: one.title)


def bookmark_of(hit: Hit) -> Bookmark:
    record: Record = hit.record
    assert isinstance(record, Bookmark)
    return record


@pytest.fixture
def bookmarks(tmp_path: Path) -> Iterator[None]:
    """While a test runs, there are bookmarks."""
    folder = tmp_path / "sql"
    (folder / "migrations").mkdir(parents=True)
    (folder / "bookmarks.sql").write_text(QUERIES.lstrip())
    (folder / "migrations" / "9001_bookmarks.sql").write_text(MIGRATION)
    NOUNS.register(replace(BOOKMARK, sql=folder))
    yield
    if "bookmark" in NOUNS.by_name:
        NOUNS.remove("bookmark")


@pytest.fixture
async def memory(request: pytest.FixtureRequest, database_url: str) -> AsyncIterator[AsyncBethink]:
    request.getfixturevalue("bookmarks")
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as opened:
        yield opened


async def test_it_is_indexed_and_counted(memory: AsyncBethink) -> None:
    await add(memory, "Leeks")
    await memory.remember("Leeks are sown in March")
    await memory.settle()
    stats = await memory.stats()
    assert {layer: (one.total, one.embedded) for layer, one in stats.layers.items()} == {
        "bookmark": (1, 1), "memory": (1, 1),
    }  # fmt: skip
    assert (await memory.spaces.get(memory.name)).counts["bookmarks"] == 1
    assert (await memory.spaces.list())[0].counts["bookmarks"] == 1
    assert await memory.reindex(force=True) == 2
    assert stats.model_dump(mode="json")["layers"][Layer("bookmark")] == {"total": 1, "embedded": 1}


@pytest.mark.parametrize("options", [{}, {"strategy": "semantic"}, {"limit": 3}])
async def test_it_is_recalled_in_its_layer_and_in_all(memory: AsyncBethink, options: dict[str, Any]) -> None:
    id_ = await add(memory, "Leeks")
    await add(memory, "Bicycles", "how to mend a flat tyre")
    await memory.remember_many([{"content": f"Leeks and clay, part {number}"} for number in range(8)])
    await memory.settle()
    (first, *_) = (await memory.recall("grow leeks in clay", layers=[Layer("bookmark")], **options)).hits
    assert (first.layer, first.id, first.text) == ("bookmark", id_, "Leeks: how to grow leeks in clay")
    assert bookmark_of(first).title == "Leeks"
    assert first.model_dump(mode="json", by_alias=True)["record"]["url"] == "https://leeks.test/clay"
    everywhere = (await memory.recall("grow leeks in clay", **options)).hits
    assert {hit.layer for hit in everywhere} >= {Layer("bookmark"), Layer.MEMORY}
    only = (await memory.recall("grow leeks in clay", layers=["memory"], **options)).hits
    assert {hit.layer for hit in only} == {Layer.MEMORY}


async def test_a_change_is_found_and_what_was_before_is_not(memory: AsyncBethink) -> None:
    id_ = await add(memory, "Leeks")
    await do(memory, change, id_, note="where zucchini thrive")
    await memory.settle()
    (hit,) = (await memory.recall("zucchini", layers=[Layer("bookmark")])).hits
    assert hit.terms
    assert (await memory.recall("grow", layers=[Layer("bookmark")])).hits[0].terms is None


async def test_it_has_a_line_in_a_prompt(memory: AsyncBethink) -> None:
    await add(memory, "Leeks")
    await memory.settle()
    prompt = await memory.prompt("how do I grow leeks?")
    assert "- 2024-05-01: Leeks: how to grow leeks in clay (https://leeks.test/clay)\n" in prompt.volatile


async def exported(space: AsyncSpace) -> bytes:
    archive = BytesIO()
    await space.export(archive)
    return archive.getvalue()


async def test_it_is_exported_and_imported(memory: AsyncBethink, tmp_path: Path) -> None:
    id_ = await add(memory, "Leeks")
    archive = await exported(memory)
    copy = memory.space("copy")
    for expected in (1, 0):
        done = await copy.import_(BytesIO(archive))
        assert done.stored.get("bookmark", 0) == expected
    await memory.settle()
    (copied,) = await all_of(copy)
    assert (copied.title, copied.url) == ("Leeks", "https://leeks.test/clay")
    assert copied.id != id_
    assert [one.id for one in await all_of(memory)] == [id_]
    (hit,) = (await copy.recall("leeks", layers=[Layer("bookmark")])).hits
    assert hit.terms
    async with AsyncBethink(str(tmp_path / "another.db"), embedder=HashEmbedder()) as elsewhere:
        assert (await elsewhere.import_(BytesIO(archive))).restored
        assert await exported(elsewhere) == archive


async def test_it_is_erased_and_that_is_proved(memory: AsyncBethink) -> None:
    id_ = await add(memory, "Leeks")
    kept = await add(memory, "Bicycles", "how to mend a flat tyre")
    await do(memory, change, id_, title="More leeks")
    await memory.remember("Read: how to grow leeks in clay, again")
    await memory.settle()
    would = await memory.erase(query="GROW leeks", dry_run=True)
    assert ("bookmark", id_) in [(one.noun, one.id) for one in would.records]
    receipt = await memory.erase(query="https://leeks.test/clay")
    assert (receipt.erased["bookmarks"], receipt.complete) == (2, True)  # both have that address
    assert receipt.proof is not None
    assert [one.noun for one in receipt.proof.elsewhere] == ["memory"]
    assert await all_of(memory) == []
    lines = (await memory.journal(limit=100)).items
    assert not [line for line in lines if line.record_id in (id_, kept)]
    assert b"leeks.test" not in await exported(memory)


async def test_it_is_erased_with_everything(memory: AsyncBethink) -> None:
    await add(memory, "Leeks")
    await memory.settle()
    receipt = await memory.erase(everything=True)
    assert (receipt.erased["bookmarks"], receipt.complete) == (1, True)
    assert await all_of(memory) == []
    assert (await memory.stats()).layers == {}


async def test_a_change_and_a_deletion_are_undone(memory: AsyncBethink) -> None:
    id_ = await add(memory, "Leeks")
    (was,) = await all_of(memory)
    line = await do(memory, change, id_, title="Onions")
    undone = await memory.undo(line.id)
    assert undone.record.model_dump() == was.model_dump()
    assert undone.model_dump(mode="json")["record"]["title"] == "Leeks"
    assert await all_of(memory) == [was]
    with pytest.raises(Conflict, match="has changed since"):
        await memory.undo(line.id)

    line = await do(memory, forget, id_)
    assert await all_of(memory) == []
    for there in (True, False, True):
        line = (await memory.undo(line.id)).entry
        assert await all_of(memory) == ([was] if there else [])
    await memory.settle()
    (hit,) = (await memory.recall("leeks", layers=[Layer("bookmark")])).hits
    assert hit.terms

    (first,) = (await memory.journal(noun="bookmark", action="stored")).items
    with pytest.raises(Conflict, match="a bookmark was stored, which cannot be undone: it was new"):
        await memory.undo(first.id)


async def test_no_space_sees_or_changes_those_of_another(memory: AsyncBethink) -> None:
    mine, theirs = memory.space("mine"), memory.space("theirs")
    await add(mine, "Mine")
    id_ = await add(theirs, "Theirs")
    line = await do(theirs, change, id_, title="Still theirs")
    await memory.settle()
    before = await exported(theirs)
    for query in ("leeks", "theirs", ""):
        for strategy in ("hybrid", "semantic", "recent"):
            found = await mine.recall(query, strategy=strategy, layers=[Layer("bookmark")])
            assert {bookmark_of(hit).title for hit in found.hits} == {"Mine"}
    assert b"heirs" not in await exported(mine)
    with pytest.raises(NotFound):
        await mine.undo(line.id)
    _, space = await mine.inside.here()
    core, _ = await theirs.inside.here()
    await core.driver.write(rows.delete, space.id, "bookmark", [id_])
    await mine.erase(query="leeks")
    await mine.erase(everything=True)
    assert await exported(theirs) == before
    assert await all_of(mine) == []


@pytest.mark.usefixtures("bookmarks")
async def test_a_database_that_holds_it_is_not_opened_without_it(database_url: str) -> None:
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as memory:
        await add(memory, "Leeks")
    NOUNS.remove("bookmark")
    with pytest.raises(MigrationError, match=r"a noun that is not registered \(migration 9001\)"):
        await AsyncBethink(database_url, embedder=HashEmbedder()).open()


async def test_a_layer_that_nobody_declared_is_refused(tmp_path: Path) -> None:
    async with AsyncBethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as memory:
        with pytest.raises(InvalidInput, match="layers"):
            await memory.recall("leeks", **unchecked(layers=["bookmark"]))
        core, space = await memory.inside.here()
        with pytest.raises(ValueError, match="'bookmark' is neither a noun"):
            await core.changed("bookmark", space)


@pytest.mark.parametrize(
    ("noun", "problem"),
    [
        (replace(BOOKMARK, name="fact"), "its name or its table is taken"),
        (replace(BOOKMARK, table="facts"), "its name or its table is taken"),
        (replace(BOOKMARK, indexed=replace(INDEXED, code=2)), "the code 2 of its layer is taken"),
        (replace(BOOKMARK, indexed=replace(INDEXED, code=16)), "must be 1 to 15"),
        (replace(BOOKMARK, references=(Reference("shelf_id", "shelf"),)), "it refers to 'shelf'"),
        (replace(BOOKMARK, archived=None), "it must say how it is archived"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(noun: Noun[Bookmark], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        NOUNS.register(noun)
    assert "bookmark" not in NOUNS.by_name
    assert NOUNS.by_name["fact"].record is not Bookmark


def test_a_migration_among_our_own_numbers_is_refused(tmp_path: Path) -> None:
    from bethink.store.migrate import migrations

    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "0999_bookmarks.sql").write_text(MIGRATION)
    NOUNS.register(replace(BOOKMARK, sql=tmp_path))
    try:
        with pytest.raises(MigrationError, match="'bookmarks' of a noun must be numbered from 1000 on"):
            migrations("sqlite")
    finally:
        NOUNS.remove("bookmark")


def test_no_two_nouns_share_a_layer_for_as_long_as_there_are_databases() -> None:
    """Codes are part of stored ids: whoever changes one makes every database unreadable."""
    assert {name: NOUNS.codes[name] for name in ("fact", "memory", "message")} == {
        "fact": 1, "memory": 2, "message": 3,
    }  # fmt: skip
