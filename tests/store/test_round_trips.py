"""What goes into the store comes out the same: every column of every noun, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink.records import MemoryType, Record, Role, Space, Switch
from bethink.store import (
    Driver,
    Tx,
    contexts,
    devices,
    documents,
    extractions,
    facts,
    insights,
    journal,
    keys,
    memories,
    messages,
    persons,
    rows,
    sessions,
    spaces,
)
from bethink.store.rows import Table
from tests.store import samples
from tests.store.samples import JSON, NOW, TEXTS

ODD = TEXTS[7] + TEXTS[9]
LATER = NOW + timedelta(days=400, microseconds=1)
ANA = "ana-id"


@dataclass(frozen=True)
class Noun:
    """How one kind of record is made, stored and read back."""

    full: Callable[[Space], Any]
    bare: Callable[[Space], Any]
    add: Callable[[Tx, Any], object]
    get: Callable[[Tx, Any], Any]


def _add_in_session(tx: Tx, message: Any) -> None:
    sessions.ensure(tx, message.space_id, message.session_id, "chat", NOW)
    messages.add(tx, [message])


def _add_extraction(tx: Tx, extraction: Any) -> None:
    sessions.ensure(tx, extraction.space_id, extraction.session_id, "chat", NOW)
    extractions.add(tx, [extraction])


# Times to the microsecond, numbers that are not their default, text that is not ASCII; no field left out.
NOUNS = {
    "memory": Noun(
        lambda space: samples.memory(
            space,
            ODD,
            type=MemoryType.PROCEDURAL,
            key=TEXTS[2],
            category=TEXTS[4],
            title=TEXTS[5],
            tags=["a", TEXTS[3], "🐈"],
            metadata=JSON,
            person_id=ANA,
            session_id="chat 1",
            source="import",
            source_ref=JSON,
            observed_at=LATER,
            expires_at=LATER + timedelta(days=1),
            confidence=7,
            pinned=True,
            promoted=True,
            access_count=3,
            last_access_at=LATER,
            archived_at=LATER,
            archived_into="another",
            updated_at=LATER,
        ),
        samples.memory,
        lambda tx, record: memories.add(tx, [record]),
        lambda tx, record: memories.by_ids(tx, record.space_id, [record.id])[record.id],
    ),
    "message": Noun(
        lambda space: samples.message(
            space,
            "chat 1",
            17,
            external_id="e-1 🐈",
            role="assistant",
            name=TEXTS[4],
            platform="telegram",
            channel=TEXTS[2],
            contact=TEXTS[5],
            bot_id="bot",
            person_id=ANA,
            sent_at=datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
            sent_offset=-570,
            content=ODD,
            attachments=[JSON, {}],
            metadata=JSON,
            tier="mid",
            importance=0.1,
            pinned=True,
            access_count=2,
            last_access_at=LATER,
            archived_at=LATER,
            summary_id="s1",
        ),
        lambda space: samples.message(space, "chat 1", 1),
        _add_in_session,
        lambda tx, record: messages.by_ids(tx, record.space_id, [record.id])[record.id],
    ),
    "fact": Noun(
        lambda space: samples.fact(
            space,
            ODD,
            person_id=ANA,
            category=TEXTS[2],
            key=TEXTS[4],
            source="inferred",
            confidence=0,
            source_context=TEXTS[5],
            provenance=["m1", TEXTS[3]],
            expires_at=LATER,
            last_verified_at=LATER,
            promoted=True,
            access_count=4,
            last_access_at=LATER,
            valid_to=LATER,
            superseded_by="f2",
        ),
        samples.fact,
        facts.add,
        lambda tx, record: facts.by_ids(tx, record.space_id, [record.id])[record.id],
    ),
    "extraction": Noun(
        lambda space: samples.extraction(
            space,
            "chat 🐈",
            extractor=TEXTS[2],
            first_position=3,
            last_position=2**40,
            status="failed",
            reason=ODD,
            attempts=7,
            model=TEXTS[4],
            counts={"facts": 2, TEXTS[3]: 0},
            at=LATER,
        ),
        samples.extraction,
        _add_extraction,
        lambda tx, record: extractions.find(tx, record.space_id, record.id),
    ),
    "person": Noun(
        lambda space: samples.person(
            space,
            ODD,
            pronouns="she/her",
            role=TEXTS[2],
            aliases=["Annie", TEXTS[4]],
            birth_date="1990-02-29",
            notes=TEXTS[5],
            voice_ids=["v 1", TEXTS[3]],
            left_at=LATER,
            updated_at=LATER,
        ),
        samples.person,
        persons.add,
        lambda tx, record: persons.find(tx, record.space_id, record.id),
    ),
    "device": Noun(
        lambda space: samples.device(
            space, TEXTS[2], name=ODD, primary_person_id=ANA, created_at=LATER, updated_at=LATER
        ),
        samples.device,
        devices.put,
        lambda tx, record: devices.find(tx, record.space_id, record.id),
    ),
    "session": Noun(
        lambda space: samples.session(
            space,
            "chat 🐈",
            title=ODD,
            platform=TEXTS[2],
            metadata=JSON,
            last_message_at=LATER,
            context_ids=["c1", TEXTS[2]],
        ),
        samples.session,
        lambda tx, record: tx.run("sessions.insert", Table(type(record)).columns(record)),
        lambda tx, record: sessions.find(tx, record.space_id, record.id),
    ),
    "context": Noun(
        lambda space: samples.context(space, ODD, name=TEXTS[4], created_at=LATER, updated_at=LATER),
        samples.context,
        contexts.add,
        lambda tx, record: contexts.by_ids(tx, record.space_id, [record.id])[record.id],
    ),
    "document": Noun(
        lambda space: samples.document(
            space, name=ODD, problem=TEXTS[2], metadata=JSON, original=False, path=TEXTS[4], status="failed"
        ),
        samples.document,
        documents.add,
        lambda tx, record: documents.by_ids(tx, record.space_id, [record.id])[record.id],
    ),
    "insight": Noun(
        lambda space: samples.insight(
            space,
            ODD,
            description=TEXTS[2],
            importance="high",
            urgency="low",
            status="closed",
            details=[JSON],
            timeline=[JSON],
            people=["Ana"],
            platforms=["slack"],
            channels=["#é"],
            bot_id="b",
            preferences=JSON,
            provenance=["m1"],
            due_at=LATER,
            closed_at=LATER,
            closed_by="m2",
            closed_because="done",
        ),
        samples.insight,
        lambda tx, record: rows.add(tx, "insight", [record]),
        lambda tx, record: insights.by_key(tx, record.space_id, record.bot_id, record.dedupe_key),
    ),
    "key": Noun(
        lambda space: samples.key(
            space, ODD, role=Role.READER, last_used_at=LATER, hint="🐈", memory=Switch.OFF
        ),
        samples.key,
        lambda tx, record: keys.add(tx, record, f"hash of {record.id}"),
        lambda tx, record: (keys.find(tx, f"hash of {record.id}") or (None,))[0],
    ),
    "journal": Noun(
        lambda space: samples.note(space, ODD, reason=TEXTS[2], before=JSON, after={}, imported=True),
        samples.note,
        lambda tx, record: journal.add(tx, [record]),
        lambda tx, record: journal.newest(tx, record.space_id, limit=1)[0],
    ),
    "space": Noun(
        lambda space: space.model_copy(
            update={
                "id": "s2",
                "number": 77,
                "name": TEXTS[2],
                "display_name": ODD,
                "mode": "multi",
                "timezone": "Asia/Kathmandu",
                "locale": "ne-NP",
                "settings": JSON,
                "updated_at": LATER,
            }
        ),
        lambda space: space.model_copy(update={"id": "s3", "number": 78, "name": "bare"}),
        lambda tx, record: tx.run("spaces.insert", Table(type(record)).columns(record)),
        lambda tx, record: spaces.find(tx, record.name),
    ),
}


@pytest.mark.parametrize("noun", NOUNS)
async def test_every_column_comes_back_as_it_went_in(noun: str, store: Driver, space: Space) -> None:
    await store.write(persons.add, samples.person(space, id=ANA))
    for record in (NOUNS[noun].full(space), NOUNS[noun].bare(space)):
        await store.write(NOUNS[noun].add, record)
        found = await store.read(NOUNS[noun].get, record)
        assert found == record
        assert _types(found) == _types(record)


@pytest.mark.parametrize("noun", NOUNS)
def test_the_full_sample_leaves_no_column_at_its_default(noun: str) -> None:
    space = Space(id="s", number=1, name="s", display_name="s", created_at=NOW, updated_at=NOW)
    record: Record = NOUNS[noun].full(space)
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in type(record).model_fields.items()
        if not field.is_required()
    }
    # A key that is found is not revoked, so its column is tested with the keys.
    left = {name for name, value in defaults.items() if getattr(record, name) == value} - {"revoked_at"}
    assert left == set()


@pytest.mark.parametrize("noun", ["memory", "message", "fact"])
async def test_any_text_comes_back_as_it_went_in(noun: str, store: Driver, space: Space) -> None:
    field = "value" if noun == "fact" else "content"
    makers: dict[str, Callable[[int, str], Any]] = {
        "memory": lambda _, text: samples.memory(space, text),
        "message": lambda number, text: samples.message(space, "chat", number, content=text),
        "fact": lambda number, text: samples.fact(space, text, key=str(number)),
    }
    records = [makers[noun](number, text) for number, text in enumerate(TEXTS)]

    def add_all(tx: Tx) -> None:
        for record in records:
            NOUNS[noun].add(tx, record)

    await store.write(add_all)
    found = await store.read(lambda tx: [getattr(NOUNS[noun].get(tx, record), field) for record in records])
    assert found == TEXTS


def _types(record: Record) -> dict[str, type]:
    return {name: type(getattr(record, name)) for name in type(record).model_fields}
