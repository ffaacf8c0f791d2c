"""Messages: the order of a session, external ids, speakers."""

from __future__ import annotations

import pytest

from bethink.errors import StoreError
from bethink.records import Message, Space
from bethink.store import Driver, Tx, messages, persons, sessions
from tests.store import samples
from tests.store.samples import JSON, NOW, TEXTS


def converse(tx: Tx, space: Space, session_id: str, turns: int) -> list[Message]:
    """Store a session, the last turn first."""
    sessions.ensure(tx, space.id, session_id, "chat", NOW)
    said = [samples.message(space, session_id, position) for position in range(1, turns + 1)]
    messages.add(tx, reversed(said))
    return said


async def test_a_window_holds_both_ends_in_order(store: Driver, space: Space) -> None:
    said = await store.write(converse, space, "chat-1", 6)
    await store.write(converse, space, "chat-2", 6)
    assert await store.read(messages.window, space.id, "chat-1", 2, 4) == said[1:4]
    assert await store.read(messages.window, space.id, "chat-1", -3, 1) == said[:1]
    assert await store.read(messages.window, space.id, "chat-1", 7, 9) == []


async def test_a_session_is_read_on_from_a_position(store: Driver, space: Space) -> None:
    said = await store.write(converse, space, "chat-1", 6)
    await store.write(converse, space, "chat-2", 2)
    assert await store.read(messages.of_session, space.id, "chat-1", 0, 2) == said[:2]
    assert await store.read(messages.of_session, space.id, "chat-1", 2, 100) == said[2:]
    assert await store.read(messages.of_session, space.id, "unknown", 0, 100) == []


async def test_the_last_position_is_zero_before_the_first_message(store: Driver, space: Space) -> None:
    await store.write(converse, space, "chat-1", 3)
    assert await store.read(messages.last_position, space.id, "chat-1") == 3
    assert await store.read(messages.last_position, space.id, "chat-2") == 0


async def test_what_follows_a_message_is_the_next_of_its_own_session(store: Driver, space: Space) -> None:
    said = await store.write(converse, space, "chat-1", 4)
    others = await store.write(converse, space, "chat-2", 3)
    asked = [said[0].id, said[3].id, others[1].id, "unknown"]
    found = await store.read(messages.following, space.id, asked)
    assert sorted(found, key=lambda message: message.id) == [said[1], others[2]]
    assert await store.read(messages.following, space.id, []) == []


async def test_two_messages_cannot_share_a_position(store: Driver, space: Space) -> None:
    await store.write(converse, space, "chat-1", 1)
    with pytest.raises(StoreError):
        await store.write(messages.add, [samples.message(space, "chat-1", 1)])


async def test_an_external_id_is_one_message_of_its_platform(store: Driver, space: Space) -> None:
    def add(tx: Tx) -> list[Message]:
        sessions.ensure(tx, space.id, "chat-1", "chat", NOW)
        said = [
            samples.message(space, "chat-1", 1, platform="mail", external_id="7"),
            samples.message(space, "chat-1", 2, platform="slack", external_id="7"),
            samples.message(space, "chat-1", 3, platform="slack", external_id="8 🐈"),
            samples.message(space, "chat-1", 4, platform="slack"),
            samples.message(space, "chat-1", 5, platform="slack"),
        ]
        messages.add(tx, said)
        return said

    said = await store.write(add)
    found = await store.read(messages.by_external_ids, space.id, "slack", ["7", "8 🐈", "9"])
    assert found == {"7": said[1], "8 🐈": said[2]}
    assert await store.read(messages.by_external_ids, space.id, "slack", []) == {}
    again = samples.message(space, "chat-1", 6, platform="mail", external_id="7")
    with pytest.raises(StoreError):
        await store.write(messages.add, [again])


async def test_speakers_are_each_named_once(store: Driver, space: Space, other: Space) -> None:
    def add(tx: Tx, where: Space, names: list[str | None]) -> None:
        sessions.ensure(tx, where.id, "chat-1", "chat", NOW)
        said = [samples.message(where, "chat-1", place, name=name) for place, name in enumerate(names)]
        messages.add(tx, said)

    assert await store.read(messages.speakers, space.id) == []
    await store.write(add, other, ["Aaron", "Bob", "张伟"])
    await store.write(add, space, ["Zoë", "Ana", None, "Zoë", "李雷", "Ana", "ana", None, "Zoë"])
    assert sorted(await store.read(messages.speakers, space.id)) == ["Ana", "Zoë", "ana", "李雷"]


async def test_another_content_leaves_the_message_in_its_place(store: Driver, space: Space) -> None:
    said = await store.write(converse, space, "chat-1", 2)
    changed = {"content": TEXTS[4], "attachments": [JSON], "metadata": JSON}
    edited = said[0].model_copy(update={**changed, "position": 9, "role": "assistant", "name": "Eve"})
    await store.write(messages.replace_content, edited)
    assert await store.read(messages.window, space.id, "chat-1", 0, 9) == [
        said[0].model_copy(update=changed),
        said[1],
    ]


async def test_delete_takes_one_message(store: Driver, space: Space) -> None:
    said = await store.write(converse, space, "chat-1", 3)
    assert await store.write(messages.delete, space.id, said[1].id) is True
    assert await store.write(messages.delete, space.id, said[1].id) is False
    assert await store.read(messages.window, space.id, "chat-1", 0, 9) == [said[0], said[2]]


async def test_a_message_needs_its_session(store: Driver, space: Space) -> None:
    with pytest.raises(StoreError):
        await store.write(messages.add, [samples.message(space, "unknown", 1)])


async def test_a_message_outlives_the_person_who_said_it(store: Driver, space: Space) -> None:
    person = samples.person(space)
    await store.write(persons.add, person)
    await store.write(sessions.ensure, space.id, "chat-1", "chat", NOW)
    said = samples.message(space, "chat-1", 1, person_id=person.id)
    await store.write(messages.add, [said])
    await store.write(persons.delete, space.id, person.id)
    found = await store.read(messages.by_ids, space.id, [said.id])
    assert found == {said.id: said.model_copy(update={"person_id": None})}
