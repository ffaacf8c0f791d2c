"""What was read of a session, what failed, and what is to be read again."""

from __future__ import annotations

import pytest

from bethink.errors import StoreError
from bethink.records import ExtractionStatus, Space
from bethink.store import Driver, erasure, extractions, sessions
from bethink.store.rows import micros
from tests.store import samples
from tests.store.samples import DAY, NOW, SECOND


@pytest.fixture
async def session(store: Driver, space: Space) -> str:
    return (await store.write(sessions.ensure, space.id, "chat", "chat", NOW)).id


async def test_a_failed_one_is_found_until_a_later_try_succeeds(
    store: Driver, space: Space, session: str
) -> None:
    older = samples.extraction(space, session, status="failed", reason="no answer", at=NOW)
    newer = samples.extraction(space, session, status="failed", at=NOW + SECOND, first_position=3)
    good = samples.extraction(space, session, at=NOW + DAY)
    await store.write(extractions.add, [newer, good, older])
    assert await store.read(extractions.failed, space.id, NOW + DAY, 10) == [older, newer]
    assert await store.read(extractions.failed, space.id, NOW, 10) == [older]
    assert await store.read(extractions.failed, space.id, NOW + DAY, 1) == [older]

    again = older.model_copy(
        update={"status": ExtractionStatus.OK, "reason": None, "attempts": 3, "model": "m", "at": NOW + DAY}
        | {"counts": {"facts": 2}}
    )
    assert await store.write(extractions.mark, again)
    assert await store.read(extractions.find, space.id, older.id) == again
    assert await store.read(extractions.failed, space.id, NOW + DAY, 10) == [newer]
    assert not await store.write(extractions.mark, again.model_copy(update={"id": "unknown"}))


async def test_they_are_listed_newest_first_and_by_page(store: Driver, space: Space, session: str) -> None:
    made = [samples.extraction(space, session, at=NOW + (n // 2) * SECOND) for n in range(4)]
    skipped = samples.extraction(space, session, status="skipped", extractor="stale", at=NOW + DAY)
    await store.write(extractions.add, [*made, skipped])
    first = await store.read(lambda tx: extractions.newest(tx, space.id, limit=3))
    assert [one.id for one in first] == [skipped.id, made[3].id, made[2].id]
    place = (micros(first[-1].at), first[-1].id)
    rest = await store.read(lambda tx: extractions.newest(tx, space.id, before=place, limit=9))
    assert [one.id for one in rest] == [made[1].id, made[0].id]
    of_stale = await store.read(lambda tx: extractions.newest(tx, space.id, extractor="stale", limit=9))
    assert of_stale == [skipped]
    by_status = await store.read(
        lambda tx: extractions.newest(tx, space.id, status=ExtractionStatus.SKIPPED, limit=9)
    )
    assert by_status == [skipped]
    assert await store.read(lambda tx: extractions.newest(tx, space.id, session_id="no", limit=9)) == []


async def test_each_extractor_has_its_own_place_and_goes_back_when_a_message_changes(
    store: Driver, space: Space, session: str
) -> None:
    assert await store.read(extractions.reached, space.id, session, "facts") == 0
    spans = [("facts", 1, 5), ("facts", 6, 10), ("stale", 1, 7), ("patterns", 1, 10)]
    await store.write(
        extractions.add,
        [
            samples.extraction(
                space,
                session,
                extractor=name,
                first_position=first,
                last_position=last,
                model=None if name == "patterns" else "a model",
            )
            for name, first, last in spans
        ],
    )
    assert await store.read(extractions.reached, space.id, session, "facts") == 10
    assert await store.read(extractions.reached, space.id, session, "stale") == 7
    assert await store.write(extractions.reopen, space.id, session, 7) == 3
    assert await store.read(extractions.reached, space.id, session, "facts") == 5
    assert await store.read(extractions.reached, space.id, session, "stale") == 0
    assert await store.read(extractions.reached, space.id, session, "patterns") == 6


async def test_they_go_with_their_session(store: Driver, space: Space, session: str) -> None:
    await store.write(extractions.add, [samples.extraction(space, session)])
    await store.write(erasure.session, space.id, session)
    assert await store.read(lambda tx: extractions.newest(tx, space.id, limit=9)) == []
    with pytest.raises(StoreError):
        await store.write(extractions.add, [samples.extraction(space, session)])
