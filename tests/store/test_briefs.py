from __future__ import annotations

from datetime import timedelta

from bethink.records import Fact, Layer, Memory, Message, Space
from bethink.store import Driver, Tx, entries, facts, memories, messages, sessions
from bethink.store.entries import Entry
from bethink.store.filters import EntryFilter
from bethink.store.rows import Brief, by_entries
from tests.store.samples import NOW


def fill(tx: Tx, space: Space) -> dict[int, str]:
    note = Memory(
        id="note",
        space_id=space.id,
        content="a note",
        observed_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        pinned=True,
    )
    tea = Fact(
        id="tea", space_id=space.id, category="drinks", key="hot", value="tea", valid_from=NOW, created_at=NOW
    )
    turn = Message(
        id="turn", space_id=space.id, session_id="chat", position=3, role="user", name="Ines", sent_at=NOW,
        content="a turn", created_at=NOW,
    )  # fmt: skip
    sessions.ensure(tx, space.id, "chat", "chat", NOW)
    memories.add(tx, [note])
    facts.add(tx, tea)
    messages.add(tx, [turn])
    over = NOW + timedelta(days=1)
    entries.put(
        tx,
        space,
        [
            Entry(Layer.MEMORY, "note", NOW, "n", ["note"]),
            Entry(Layer.FACT, "tea", NOW, "t", ["tea"], expires_at=over),
            Entry(Layer.MESSAGE, "turn", NOW, "m", ["turn"], session_id="chat", position=3),
            Entry(Layer.MEMORY, "gone", NOW, "g", ["gone"]),
        ],
    )
    found = entries.by_ids(tx, space.id, entries.allowed(tx, space.id, EntryFilter()))
    return {id_: row["record_id"] for id_, row in found.items()}


async def test_each_kind_of_record_in_short(store: Driver, space: Space) -> None:
    ids = await store.write(fill, space)
    found = await store.read(by_entries, space.id, list(ids), NOW)
    assert {ids[id_]: brief for id_, brief in found.items()} == {
        "note": Brief(Layer.MEMORY, "note", "a note", NOW, pinned=True),
        "tea": Brief(Layer.FACT, "tea", "drinks / hot: tea", NOW),
        "turn": Brief(Layer.MESSAGE, "turn", "a turn", NOW, False, None, None, "Ines", "chat", 3),
    }


async def test_what_is_over_is_left_out(store: Driver, space: Space) -> None:
    ids = await store.write(fill, space)
    found = await store.read(by_entries, space.id, list(ids), NOW + timedelta(days=1))
    assert {ids[id_] for id_ in found} == {"note", "turn"}
