"""What was read in messages: stored as it is, found by time and worth, gone with its message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bethink.errors import StoreError
from bethink.records import Space
from bethink.store import Driver, Tx, erasure, memories, messages, sessions, units
from bethink.store.units import ReadUnit, Spoken
from tests.store import samples
from tests.store.samples import DAY, NOW, TEXTS

TEXT = "I ski. 我住在上海。 🎿"


@pytest.fixture
async def said(store: Driver, space: Space) -> list[str]:
    """The ids of three messages, a day apart."""
    await store.write(sessions.ensure, space.id, "chat", "chat", NOW)
    made = [
        samples.message(space, "chat", number, content=TEXT, name="Ana", sent_at=NOW + number * DAY)
        for number in (1, 2, 3)
    ]
    await store.write(messages.add, made)
    return [message.id for message in made]


async def read(store: Driver, space: Space, *ids: str) -> list[Spoken]:
    found = await store.read(units.of_messages, space.id, ids)
    return [one for id_ in ids for one in found.get(id_, [])]


async def standing(store: Driver, space: Space) -> list[tuple[str, int]]:
    found = await store.read(units.standing, space.id, 0.7, 0.3, 100)
    return [(one.unit.message_id, one.unit.number) for one in found]


async def test_every_field_comes_back_with_the_words_and_who_said_them(
    store: Driver, space: Space, said: list[str]
) -> None:
    whole = ReadUnit(
        space.id, said[0], 7, 7, 13, NOW, 0.123, "roleplay", 0.456, "habit", "diet", 0.5, 0.6, 0.7,
        bytes(range(208, 256)), "a memory", NOW + DAY, said[1], True,
    )  # fmt: skip
    plain = samples.unit(space, said[0], 2, first=0, last=6)
    await store.write(units.put, space.id, [said[0]], [whole, plain])
    first, second = await read(store, space, said[0])
    assert (first, second) == (
        Spoken(plain, None, "Ana", "I ski."),
        Spoken(whole, None, "Ana", "我住在上海。"),
    )
    assert await store.read(units.of_messages, space.id, []) == {}
    assert said[1] not in await store.read(units.of_messages, space.id, said)


@pytest.mark.parametrize("text", TEXTS)
async def test_words_are_cut_where_python_would(store: Driver, space: Space, text: str) -> None:
    await store.write(sessions.ensure, space.id, "chat", "chat", NOW)
    message = samples.message(space, "chat", 1, content=text)
    await store.write(messages.add, [message])
    await store.write(units.put, space.id, [message.id], [samples.unit(space, message.id, first=1, last=9)])
    (one,) = await read(store, space, message.id)
    assert one.text == text[1:9]


async def test_what_is_dangerous_to_miss_is_found_however_old_it_is(
    store: Driver, space: Space, said: list[str]
) -> None:
    made = [
        samples.unit(space, said[0], 0, slot="allergy", sure=0.9, worth=0.3, harm=0.4),
        samples.unit(space, said[0], 1, slot="allergy", sure=0.5),
        samples.unit(space, said[0], 2, slot="allergy", sure=0.9, worth=0.1),
        samples.unit(space, said[0], 3, slot="allergy", sure=0.9, harm=0.6),
        samples.unit(space, said[0], 4, slot="allergy", sure=0.9, withdrawn=True),
        samples.unit(space, said[1], 0, slot="medicine", sure=0.9, until=NOW + DAY, sent_at=NOW + DAY),
        samples.unit(space, said[2], 0, slot="home", sure=0.9, sent_at=NOW + 2 * DAY),
    ]
    await store.write(units.put, space.id, said, made)

    async def vital(limit: int) -> list[tuple[str, int]]:
        found = await store.read(units.vital, space.id, ["allergy", "medicine"], 0.8, 0.2, 0.5, limit)
        return [(one.unit.message_id, one.unit.number) for one in found]

    assert await vital(10) == [(said[0], 0), (said[1], 0)], "what holds comes first"
    assert await vital(1) == [(said[0], 0)]


async def test_the_newest_that_are_worth_something_stand(
    store: Driver, space: Space, said: list[str]
) -> None:
    made = [samples.unit(space, id_, sent_at=NOW + n * DAY) for n, id_ in enumerate(said)]
    made += [
        samples.unit(space, said[0], 1, worth=0.6),
        samples.unit(space, said[0], 2, harm=0.5),
        samples.unit(space, said[0], 3, withdrawn=True),
    ]
    await store.write(units.put, space.id, said, made)
    assert await standing(store, space) == [(id_, 0) for id_ in reversed(said)]
    newest = await store.read(units.newest, space.id, 0.7, 2)
    assert [one.unit.message_id for one in newest] == [said[2], said[1]]
    recent = await store.read(units.recent, space.id, 0.5, NOW, 9)
    assert [one.unit.number for one in recent] == [0, 1, 2, 3], (
        "what was withdrawn is known, so as to stay so"
    )
    assert await store.read(units.withdrawn, space.id, said) == {said[0]}


async def test_what_became_a_memory_stands_as_long_as_that_does(
    store: Driver, space: Space, said: list[str]
) -> None:
    fact = samples.memory(space, source_ref={"fact": "f1"})
    expiring = samples.memory(space, expires_at=NOW + DAY)
    await store.write(memories.add, [fact, expiring])
    made = [
        samples.unit(space, said[0], number, memory_id=id_)
        for number, id_ in enumerate((fact.id, expiring.id, "long gone", None))
    ]
    await store.write(units.put, space.id, [said[0]], made)
    found = await store.read(units.standing, space.id, 0.7, 0.3, 100)
    assert [(one.unit.number, one.fact_id) for one in found] == [(0, "f1"), (3, None)]
    assert list(await store.read(units.of_memories, space.id, [fact.id, "unknown"])) == [fact.id]
    assert await store.read(units.of_memories, space.id, []) == {}


async def test_read_again_a_unit_stays_what_it_became(store: Driver, space: Space, said: list[str]) -> None:
    first, second, third = (samples.unit(space, said[0], number, first=number) for number in range(3))
    await store.write(units.put, space.id, [said[0]], [replace(first, memory_id="m"), second, third])
    like = samples.unit(space, said[1], sent_at=NOW + DAY)
    await store.write(units.end, second, like, replaced=False)
    found = (await read(store, space, said[0]))[1].unit
    assert (found.until, found.until_message, found.replaced) == (NOW + DAY, said[1], False)
    instead = samples.unit(space, said[2], sent_at=NOW + 2 * DAY)
    await store.write(units.end, second, instead, replaced=True)
    await store.write(units.end, second, like, replaced=True)
    await store.write(units.withdraw, [third])
    before = await read(store, space, said[0])
    found = before[1].unit
    assert (found.until, found.until_message, found.replaced) == (NOW + 2 * DAY, said[2], True), "the first"
    await store.write(units.put, space.id, [said[0]], [first, second, third])
    assert await read(store, space, said[0]) == before
    moved = replace(third, first=1, last=3)
    await store.write(units.put, space.id, [said[0]], [moved])
    assert [one.unit for one in await read(store, space, said[0])] == [moved], "another place, another unit"
    await store.write(units.withdraw, [moved])
    await store.write(units.forget, space.id, [said[0]])
    await store.write(units.put, space.id, [said[0]], [moved])
    assert [one.unit for one in await read(store, space, said[0])] == [moved], "the message was edited"


async def test_what_a_message_had_ended_holds_again_without_it(
    store: Driver, space: Space, said: list[str]
) -> None:
    old, new = samples.unit(space, said[0]), samples.unit(space, said[1])
    await store.write(units.put, space.id, said[:2], [old, new])
    await store.write(units.end, old, new, replaced=True)
    assert await store.write(units.revive, space.id, [said[2]]) == set()
    assert await store.write(units.revive, space.id, [said[1]]) == {(said[0], 0)}
    assert [one.unit for one in await read(store, space, said[0])] == [old]
    assert await store.write(units.revive, space.id, []) == set()


async def test_they_go_with_their_message_and_with_all(store: Driver, space: Space, said: list[str]) -> None:
    made = [samples.unit(space, id_) for id_ in said]
    await store.write(units.put, space.id, said, made)
    await store.write(messages.delete, space.id, said[0])
    assert [one.unit.message_id for one in await read(store, space, *said)] == said[1:]
    with pytest.raises(StoreError):
        await store.write(units.put, space.id, [said[0]], [made[0]])

    def everything(tx: Tx) -> int:
        return erasure.everything(tx, space)["units"]

    assert await store.write(everything) == 2
    assert await read(store, space, *said) == []


async def test_unlinked_they_name_nothing_that_is_gone(store: Driver, space: Space, said: list[str]) -> None:
    made = [samples.unit(space, said[0]), samples.unit(space, said[0], 1, memory_id="gone")]
    await store.write(units.put, space.id, [said[0]], made)
    await store.write(units.end, made[0], samples.unit(space, said[1]), replaced=True)
    await store.write(units.unlink, space.id, [said[1], "gone"])
    assert [one.unit for one in await read(store, space, said[0])] == [made[0]]
    await store.write(units.unlink, space.id, [])
