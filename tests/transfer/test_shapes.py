"""What other programs export becomes memories, and what is wrong with it is said by line and field."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from bethink import AsyncBethink, InvalidInput
from bethink.shapes.inputs import MemoryDraft
from bethink.transfer import shapes
from bethink.transfer.places import line_of

FILES = Path(__file__).parent / "files"


@dataclass
class Read:
    format: str
    drafts: list[MemoryDraft]
    notes: list[str]


def read_foreign(text: str) -> Read:
    """All that a file holds."""
    found = shapes.read_foreign(BytesIO(text.encode()), 1000)
    drafts = [draft for draft in found.drafts() if isinstance(draft, MemoryDraft)]
    assert found.count == len(drafts)
    return Read(found.format, drafts, found.notes)


def test_a_mem0_export() -> None:
    found = read_foreign((FILES / "mem0.json").read_text("utf-8"))
    first, second = found.drafts
    assert found.format == "mem0"
    assert (first.content, first.tags) == ("Loves hiking in the Dolomites", ["sports", "travel"])
    assert first.key == "mem0:892db2ae-06d9-49e5-8b3e-585ef9b85b8e"
    assert first.metadata == {"category": "hobby", "user_id": "alice"}
    assert first.observed_at == datetime(2024, 7, 26, 8, 1, 5, 123456, UTC)
    assert second.metadata == {"run_id": "trip-1", "user_id": "alice"}
    assert second.person_id is None
    assert found.notes == ["1 relations of the mem0 graph were left out"]


def test_a_chroma_dump() -> None:
    found = read_foreign((FILES / "chroma.json").read_text("utf-8"))
    first, last = found.drafts
    assert found.format == "chroma"
    assert (first.content, first.key) == ("The boiler is serviced every May", "chroma:a1")
    assert first.metadata == {"source": "notes.md", "page": 3}
    assert (last.key, last.metadata) == ("chroma:a3", {})
    assert found.notes == ["the record 'a2' has no document and was left out"]


def test_a_plain_list_and_json_lines() -> None:
    found = read_foreign((FILES / "list.json").read_text("utf-8"))
    assert found.format == "list"
    assert [draft.content for draft in found.drafts] == [
        "Prefers tea to coffee", "Was born in Lisbon", "Plays the oboe",
    ]  # fmt: skip
    assert found.drafts[1].metadata == {"mood": "calm"}
    assert found.drafts[1].observed_at == datetime(2020, 2, 2, tzinfo=UTC)
    assert (found.drafts[2].key, found.drafts[2].pinned) == ("import:7", True)
    lines = read_foreign('"one"\n\n{"content": "two"}\n')
    assert [draft.content for draft in lines.drafts] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[\n"fine",\n{"content": ""}\n]', r"line 3: 1\.content: must not be empty"),
        ('[\n"fine",\n42\n]', r"line 3: 1: must be a text"),
        ('[{"tags": ["a"]}]', r"line 1: 0\.content: must be there"),
        (
            '{\n"results": [\n{"memory": "a"},\n{"memory": "b",\n"metadata": 3}]}',
            r"line 4: results\.1\.metadata",
        ),
        ('{"ids": ["a"],\n"documents": ["x", "y"]}', r"line 2: documents: must be a list as long as ids"),
        (
            '{"ids": ["a"],\n"documents": [3]}',
            r"line 2: documents\.0\.content: Input should be a valid string",
        ),
        ('{"ids": ["a"], "documents": null}', r"line 1: documents: is null"),
        ('{"hello": "there"}', r"line 1: the file's shape is not known; known are"),
        ('["a",\n"b"', r"line 2: is not valid JSON"),
        ('"one"\n{"content": 3}\n', r"line 2: 1\.content"),
        ('"one"\n{broken\n', r"line 2: is not valid JSON"),
        ("", r"line 1: is not valid JSON"),
        ('[{"content": "a", "created_at": "soon"}]', r"line 1: 0\.observed_at"),
    ],
)
def test_a_bad_file_is_refused_by_line_and_field(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_foreign(text)


def test_the_line_of_a_byte() -> None:
    raw = b'{\n "a": [1,\n\n  {"b": 2}]}'
    assert [line_of(BytesIO(raw), raw.index(mark)) for mark in (b"{", b"a", b"1", b"b")] == [1, 2, 2, 4]


@pytest.mark.parametrize("name", ["mem0", "chroma", "list"])
async def test_a_file_is_imported_once_however_often(memory: AsyncBethink, name: str) -> None:
    done = await memory.import_(FILES / f"{name}.json")
    assert (done.format, done.restored) == (name, False)
    count = await memory.count()
    assert done.stored == {"memory": count}
    again = await memory.import_(str(FILES / f"{name}.json"))
    assert (again.stored, again.duplicates) == ({"memory": 0}, {"memory": count})
    assert await memory.count() == count
    if name == "mem0":
        assert (await memory.recall("which nuts?", limit=1)).hits[0].text == "Is allergic to peanuts"
    assert (await memory.journal(limit=1)).items[0].action == "imported"


async def test_rows_of_facts_become_pinned_facts(memory: AsyncBethink, tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    file.write_text(
        """[{"id": 1, "category": "preferences", "key": "coffee_order", "value": "oat milk latte",
             "createdAt": "2024-05-01T08:00:00Z"},
            {"category": "home", "key": "city", "value": "Lisbon", "source": "tool_call", "embedding": null},
            {"content": "Likes tea", "category": "drinks"}]"""
    )
    done = await memory.import_(file)
    assert (done.format, done.stored) == ("list", {"memory": 1, "fact": 2})
    again = await memory.import_(file)
    assert (again.stored, again.duplicates) == ({"memory": 0}, {"memory": 1, "fact": 2})
    city, coffee = await memory.facts.list(promoted=True)
    assert (city.value, city.source, city.confidence) == ("Lisbon", "tool_call", 95)
    assert (coffee.value, coffee.source, coffee.confidence) == ("oat milk latte", "imported", 70)
    assert coffee.valid_from == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert [note.content for note in await memory.list()] == ["Likes tea"]
    assert "oat milk latte" in (await memory.prompt()).text


async def test_nothing_of_a_bad_file_is_stored(memory: AsyncBethink, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text('["good",\n""]')
    with pytest.raises(InvalidInput, match=r"line 2: 1\.content"):
        await memory.import_(file)
    file.write_bytes(b'["good",\n"\xff"]')
    with pytest.raises(InvalidInput, match="line 2: is not UTF-8"):
        await memory.import_(file)
    with pytest.raises(InvalidInput, match=r"nowhere\.json cannot be read"):
        await memory.import_(tmp_path / "nowhere.json")
    assert await memory.count() == 0
