"""Memories: keys, pages, filters, changes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink.errors import StoreError
from bethink.records import Memory, MemoryType, Space
from bethink.store import Driver, memories, persons
from bethink.store.filters import MemoryFilter
from tests.store import samples
from tests.store.samples import DAY, JSON, NOW, SECOND


async def test_a_key_names_one_memory_of_a_space(store: Driver, space: Space, other: Space) -> None:
    first, elsewhere = samples.memory(space, key="name"), samples.memory(other, key="name")
    keyless = [samples.memory(space), samples.memory(space)]
    await store.write(memories.add, [first, elsewhere, *keyless])
    assert await store.read(memories.by_keys, space.id, ["name", "unknown"]) == {"name": first}
    with pytest.raises(StoreError):
        await store.write(memories.add, [samples.memory(space, key="name")])


async def test_nothing_asked_for_is_nothing_found(store: Driver, space: Space) -> None:
    await store.write(memories.add, [samples.memory(space, key="name")])
    assert await store.read(memories.by_ids, space.id, []) == {}
    assert await store.read(memories.by_keys, space.id, []) == {}
    assert await store.write(memories.delete, space.id, []) == 0


async def test_an_update_changes_all_but_the_counters(store: Driver, space: Space) -> None:
    before = samples.memory(space, access_count=3, last_access_at=NOW)
    await store.write(memories.add, [before])
    changed: dict[str, Any] = {
        "content": "another note",
        "type": MemoryType.EPISODIC,
        "key": "k",
        "category": "c",
        "title": "t",
        "tags": ["x"],
        "metadata": JSON,
        "session_id": "s",
        "source": "import",
        "source_ref": {"file": "a.txt"},
        "observed_at": NOW - DAY,
        "expires_at": NOW + DAY,
        "confidence": 50,
        "pinned": True,
        "promoted": True,
        "updated_at": NOW + SECOND,
    }
    # A copy that was read before someone else counted an access must not undo the count.
    await store.write(memories.update, before.model_copy(update={**changed, "access_count": 0}))
    found = await store.read(memories.by_ids, space.id, [before.id])
    assert found == {before.id: before.model_copy(update=changed)}


async def test_delete_says_how_many_there_were(store: Driver, space: Space) -> None:
    notes = [samples.memory(space) for _ in range(3)]
    await store.write(memories.add, notes)
    assert await store.write(memories.delete, space.id, [notes[0].id, notes[1].id, "unknown"]) == 2
    assert list(await store.read(memories.by_ids, space.id, [note.id for note in notes])) == [notes[2].id]


async def test_a_memory_outlives_the_person_it_is_about(store: Driver, space: Space) -> None:
    person = samples.person(space)
    note = samples.memory(space, person_id=person.id)
    await store.write(persons.add, person)
    await store.write(memories.add, [note])
    await store.write(persons.delete, space.id, person.id)
    found = await store.read(memories.by_ids, space.id, [note.id])
    assert found[note.id].person_id is None


async def test_pages_run_from_the_newest_to_the_oldest_without_gap_or_repeat(
    store: Driver, space: Space
) -> None:
    # Three share each time of creation: the order must still be total.
    notes = [samples.memory(space, created_at=NOW + (number // 3) * SECOND) for number in range(10)]
    await store.write(memories.add, notes[5:] + notes[:5])
    newest_first = [note.id for note in reversed(notes)]
    pages = [await store.read(memories.page, space.id, MemoryFilter(), 4, offset) for offset in (0, 4, 8, 12)]
    assert [[note.id for note in page] for page in pages] == [
        newest_first[:4],
        newest_first[4:8],
        newest_first[8:],
        [],
    ]


def _corpus(space: Space) -> dict[str, Memory]:
    return {
        "plain": samples.memory(space),
        "ana": samples.memory(space, person_id="ana", session_id="s1", tags=["red", "blue"], pinned=True),
        "ben": samples.memory(space, person_id="ben", session_id="s2", tags=["blue", "红"], category="work"),
        "old": samples.memory(space, observed_at=NOW - DAY, type=MemoryType.EPISODIC, category="home"),
        "gone": samples.memory(space, expires_at=NOW, source="import", tags=["red blue"]),
        "going": samples.memory(space, expires_at=NOW + timedelta(microseconds=1), type=MemoryType.SEMANTIC),
    }


CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"plain", "ana", "ben", "old", "gone", "going"}),
    ({"types": [MemoryType.EPISODIC, MemoryType.SEMANTIC]}, {"old", "going"}),
    ({"person_ids": ["ana"]}, {"ana"}),
    ({"person_ids": ["ana", "ben", "nobody"]}, {"ana", "ben"}),
    ({"session_ids": ["s2"]}, {"ben"}),
    ({"tags": ["red"]}, {"ana"}),
    ({"tags": ["blue", "green"]}, {"ana", "ben"}),
    ({"tags": ["红"]}, {"ben"}),
    ({"categories": ["home", "work"]}, {"old", "ben"}),
    ({"sources": ["import"]}, {"gone"}),
    ({"sources": ["note"]}, {"plain", "ana", "ben", "old", "going"}),
    ({"pinned": True}, {"ana"}),
    ({"pinned": False}, {"plain", "ben", "old", "gone", "going"}),
    ({"since": NOW}, {"plain", "ana", "ben", "gone", "going"}),
    ({"since": NOW + SECOND}, set()),
    ({"until": NOW}, {"old"}),
    ({"since": NOW - DAY, "until": NOW}, {"old"}),
    ({"alive_at": NOW}, {"plain", "ana", "ben", "old", "going"}),
    ({"alive_at": NOW - SECOND}, {"plain", "ana", "ben", "old", "gone", "going"}),
    ({"tags": ["blue"], "person_ids": ["ben"], "categories": ["work"], "pinned": False}, {"ben"}),
    ({"tags": ["blue"], "pinned": True, "alive_at": NOW, "since": NOW}, {"ana"}),
    ({"tags": ["red"], "person_ids": ["ben"]}, set()),
    # A list that is empty asks for nothing, never for everything.
    ({"types": []}, set()),
    ({"person_ids": []}, set()),
    ({"session_ids": []}, set()),
    ({"tags": []}, set()),
    ({"categories": []}, set()),
    ({"sources": []}, set()),
    ({"pinned": True, "tags": []}, set()),
    ({"tags": ["' OR 1=1 --"], "categories": ["%"]}, set()),
]


async def test_each_filter_chooses_what_it_says_alone_and_combined(store: Driver, space: Space) -> None:
    notes = _corpus(space)
    for person in ("ana", "ben"):
        await store.write(persons.add, samples.person(space, id=person))
    await store.write(memories.add, notes.values())
    names = {note.id: name for name, note in notes.items()}
    for fields, expected in CASES:
        chosen = MemoryFilter(**fields)
        page = await store.read(memories.page, space.id, chosen, 100, 0)
        assert {names[note.id] for note in page} == expected, fields
        assert await store.read(memories.count, space.id, chosen) == len(expected), fields
