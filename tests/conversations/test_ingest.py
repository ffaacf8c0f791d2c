"""What other programs post, in shapes of their own: by a mapping, once each, shown before it is stored."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import AsyncBethink, InvalidInput
from bethink.conversations.mapping import read_payload
from bethink.shapes.ingest import IngestMapping

# What a bot of Telegram is sent, in part.
UPDATES: dict[str, Any] = {
    "ok": True,
    "result": [
        {"message": {"message_id": 7, "date": 1683550865, "text": "I bake rye bread",
                     "chat": {"id": -100, "title": "Bakers"}, "from": {"id": 11, "first_name": "Anna"}}},
        {"message": {"message_id": 8, "date": 1683550866, "text": "Me too 🍞",
                     "chat": {"id": -100, "title": "Bakers"}, "from": {"id": 12, "first_name": "Bob"}}},
        {"message": {"message_id": 9, "date": 1683550867, "text": "",
                     "chat": {"id": -100, "title": "Bakers"}, "from": {"id": 12, "first_name": "Bob"}}},
    ],
}  # fmt: skip
MAPPING: dict[str, Any] = {
    "items": "result",
    "id": "message.message_id",
    "session": "message.chat.id",
    "content": "message.text",
    "sentAt": "message.date",
    "name": "message.from.first_name",
    "sender": "message.from.id",
    "channel": "message.chat.title",
    "me": ["11"],
}


async def test_a_mapping_of_the_space_says_where_everything_is(memory: AsyncBethink) -> None:
    await memory.options.update(ingest={"bot": MAPPING})
    seen = await memory.ingest("bot", UPDATES, dry_run=True)
    assert (seen.stored, seen.duplicates, seen.empty, seen.dry_run) == (2, 0, 1, True)
    assert [(one.role, one.name, one.content, one.known) for one in seen.messages] == [
        ("user", "Anna", "I bake rye bread", False),
        ("contact", "Bob", "Me too 🍞", False),
    ]
    assert await memory.sessions() == []
    done = await memory.ingest("bot", UPDATES)
    assert (done.stored, done.duplicates, done.edited, done.empty) == (2, 0, 0, 1)
    own, other = await memory.messages.of("bot:-100")
    assert (own.role, own.platform, own.channel, own.external_id) == ("user", "bot", "Bakers", "7")
    assert own.sent_at == datetime(2023, 5, 8, 13, 1, 5, tzinfo=UTC)
    assert (other.role, other.metadata["sender"]) == ("contact", "12")


async def test_what_comes_again_is_taken_in_once_and_an_edit_replaces(memory: AsyncBethink) -> None:
    await memory.ingest("bot", UPDATES, mapping=MAPPING)
    again = await memory.ingest("bot", UPDATES, mapping=MAPPING)
    assert (again.stored, again.duplicates) == (0, 2)
    message = UPDATES["result"][0]["message"] | {"text": "I bake corn bread"}
    done = await memory.ingest("bot", {"result": [{"message": message}]}, mapping=MAPPING)
    assert (done.stored, done.edited) == (0, 1)
    assert (await memory.messages.of("bot:-100"))[0].content == "I bake corn bread"
    seen = await memory.ingest("bot", UPDATES, mapping=MAPPING, dry_run=True)
    assert [one.known for one in seen.messages] == [True, True]
    assert (await memory.ingest("other", UPDATES, mapping=MAPPING)).stored == 2  # another program's ids


async def test_without_a_mapping_the_fields_are_called_as_ours(memory: AsyncBethink) -> None:
    own = {
        "id": "1",
        "session": "s",
        "role": "user",
        "content": "I live in Lisbon",
        "sentAt": "2023-05-08T10:00",
    }
    await memory.household.update(timezone="Europe/Berlin")
    await memory.ingest("zap", own)
    (message,) = await memory.messages.of("zap:s")
    assert message.sent_at == datetime(2023, 5, 8, 8, tzinfo=UTC)  # a local time is the space's
    await memory.settle()
    assert any("Lisbon" in fact.value for fact in await memory.facts.list())


@pytest.mark.parametrize(
    ("item", "mapping", "field"),
    [
        ({"session": "s", "content": "x"}, {}, "body.id"),
        ({"id": 1, "content": "x"}, {}, "body.session"),
        ({"id": 1, "session": "s"}, {}, "body.content"),
        ({"id": 1, "session": "s", "content": {"a": 1}}, {}, "body.content"),
        ({"id": {"a": 1}, "session": "s", "content": "x"}, {}, "body.id"),
        ({"id": True, "session": "s", "content": "x"}, {}, "body.id"),
        ({"id": "x" * 251, "session": "s", "content": "x"}, {}, "body.id"),
        ({"id": 1, "session": "s", "content": "x", "sentAt": "yesterday"}, {}, "body.sentAt"),
        ({"id": 1, "session": "s", "content": "x", "sentAt": 1e30}, {}, "body.sentAt"),
        ({"id": 1, "session": "s", "content": "x", "role": "owner"}, {}, "body.role"),
        ([{"id": 1, "session": "s", "content": "x"}, "text"], {}, "body[1]"),
        ({"a": 1}, {"items": "data.list"}, "items"),
        ({"list": [{"id": 1, "session": "s"}]}, {"items": "list"}, "list[0].content"),
        ({}, {"roles": {"x": "king"}}, "roles.x"),
        ({}, {"colour": "x"}, "colour"),
    ],
)
async def test_what_is_wrong_is_said_with_its_place(
    memory: AsyncBethink, item: Any, mapping: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        await memory.ingest("bot", item, mapping=mapping)
    assert raised.value.field == field
    assert field in str(raised.value)
    assert await memory.sessions() == []


async def test_a_mapping_that_is_none_is_not_kept(memory: AsyncBethink) -> None:
    with pytest.raises(InvalidInput, match=r"ingest.*colour"):
        await memory.options.update(ingest={"bot": {"colour": "x"}})
    assert (await memory.options.get()).ingest == {}


async def test_words_of_the_program_and_fixed_texts(memory: AsyncBethink) -> None:
    mapping = {"session": "=inbox", "role": "who", "roles": {"human": "user", "ai": "assistant"},
               "content": "parts.0.text", "metadata": {"model": "model.name"}}  # fmt: skip
    said = [
        {"id": "a", "who": "human", "parts": [{"text": "Hi"}]},
        {"id": "b", "who": "ai", "parts": [{"text": "Hello"}], "model": {"name": "m"}},
    ]
    await memory.ingest("n8n", said, mapping=mapping)
    first, second = await memory.messages.of("n8n:inbox")
    assert (first.role, second.role, second.metadata) == ("user", "assistant", {"model": "m"})


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "session", "content", "role", "sentAt", "name"]), inner)
    ),
    max_leaves=10,
)


@given(payload=values)
def test_whatever_is_posted_is_read_or_refused(payload: Any) -> None:
    with contextlib.suppress(InvalidInput):
        found, _ = read_payload(payload, IngestMapping(), "bot", UTC)
        assert all(one.session and one.draft.external_id for one in found)
