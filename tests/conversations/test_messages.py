from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from bethink import AsyncBethink, InvalidInput, Layer, NotFound
from bethink.testing import FrozenClock
from tests.opened import Home, WatchedEmbedder, add_person, texts, unchecked

DAY = timedelta(days=1)


async def three(memory: AsyncBethink) -> list[str]:
    """Messages of two platforms, a day apart; their ids in order."""
    ids = []
    with FrozenClock() as clock:
        for fields in (
            {"content": "The boiler makes a noise.", "channel": "home", "name": "Ana"},
            {"content": "Ben feeds the cat.", "platform": "mail", "contact": "ben@example.org"},
            {"content": "Lunch at noon?", "platform": "mail", "pinned": True},
        ):
            session = str(fields.get("platform", "chat"))
            outcome = await memory.observe(session, [{"role": "user", **fields}])
            ids.append(outcome.outcomes[0].id)
            clock.advance(DAY)
    return ids


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, [2, 1, 0]),
        ({"platforms": ["mail"]}, [2, 1]),
        ({"channels": ["home"]}, [0]),
        ({"contacts": ["ben@example.org"]}, [1]),
        ({"names": ["Ana"]}, [0]),
        ({"session_ids": ["chat"]}, [0]),
        ({"pinned": True}, [2]),
        ({"pinned": False}, [1, 0]),
        ({"archived": True}, []),
        ({"tiers": ["short"]}, [2, 1, 0]),
        ({"tiers": ["mid", "long"]}, []),
        ({"tiers": []}, []),
        ({"person_ids": ["nobody"]}, []),
        ({"since": "2025-01-02", "until": "2025-01-03"}, [1]),
    ],
)
async def test_messages_are_listed_by_what_they_have_in_common(
    memory: AsyncBethink, filters: dict[str, Any], found: list[int]
) -> None:
    ids = await three(memory)
    page = await memory.messages.list(**filters)
    assert [message.id for message in page.items] == [ids[place] for place in found]
    assert page.total == await memory.messages.count(**filters) == len(found)


async def test_a_list_goes_on_where_the_page_before_ended(memory: AsyncBethink) -> None:
    ids = await three(memory)
    first = await memory.messages.list(limit=2)
    second = await memory.messages.list(limit=2, cursor=first.next_cursor)
    assert [one.id for one in [*first.items, *second.items]] == ids[::-1]
    assert second.next_cursor is None
    with pytest.raises(InvalidInput, match="cursor"):
        await memory.messages.list(cursor="elsewhere")


async def test_getting_a_message_counts_and_tells_how_it_is_embedded(home: Home) -> None:
    async with home.memory() as memory:
        ids = await three(memory)
        at = datetime.fromisoformat("2025-06-01T12:00:00Z")
        with FrozenClock(at):
            await memory.reindex()
        found = await memory.messages.get(ids[0])
        assert (found.embedding_model, found.embedding_dimensions) == ("testing:hash", 64)
        assert found.embedding_content_hash
        with pytest.raises(NotFound, match="no message"):
            await memory.messages.get("nothing")
    async with home.memory() as memory:  # accesses are counted a moment later
        assert (await memory.messages.get(ids[0])).access_count == 1
        assert (await memory.messages.get(ids[1])).access_count == 0


async def test_an_archived_message_is_kept_and_not_found(memory: AsyncBethink) -> None:
    said = "The boiler makes a noise, " + "and nobody knows why, " * 20
    await memory.observe("chat", [{"content": "Is it cold?"}, {"content": said}, {"content": "Yes."}])
    (before,) = (await memory.recall("boiler noise", layers=[Layer.MESSAGE], limit=1)).hits
    archived = await memory.messages.archive(before.id)
    assert archived.archived_at
    assert all(hit.id != before.id for hit in (await memory.recall("boiler noise", limit=50)).hits)
    assert [one.id for one in (await memory.messages.list(archived=True)).items] == [before.id]
    shown = await memory.messages.get(before.id)
    assert said.startswith(shown.content.removesuffix("…"))
    assert shown.embedding_content_hash is None
    assert (await memory.messages.get(before.id, original=True)).content == said
    assert [one.content for one in await memory.messages.of("chat")][1] == said
    await memory.settle()  # or a run under way makes some of them
    assert await memory.reindex(force=True) == 2, "an archived message needs no entry"
    await memory.messages.archive(before.id, archived=False)
    assert texts(await memory.recall("boiler noise", limit=1)) == [said]


async def test_what_was_said_is_read_again_when_somebody_else_said_it(memory: AsyncBethink) -> None:
    ana, ben = await add_person(memory, "Ana"), await add_person(memory, "Ben")
    await memory.household.update(mode="multi")
    turns = [{"content": "I am allergic to peanuts.", "person_id": ana, "name": "Ana"}]
    said = await memory.observe("chat", turns)
    await memory.settle()
    assert {fact.person_id for fact in await memory.facts.list()} == {ana}
    changed = await memory.messages.update(said.outcomes[0].id, person_id=ben, name="Ben")
    assert (changed.person_id, changed.name) == (ben, "Ben")
    await memory.settle()
    assert {fact.person_id for fact in await memory.facts.list()} == {ben}
    with pytest.raises(InvalidInput, match="person_id"):
        await memory.messages.update(said.outcomes[0].id, person_id="nobody")


async def test_a_forgotten_message_takes_along_what_it_alone_said(memory: AsyncBethink) -> None:
    said = await memory.observe("chat", [{"content": "I am allergic to peanuts."}, {"content": "Hm."}])
    await memory.settle()
    assert await memory.facts.list()
    (gone,) = await memory.messages.forget(said.outcomes[0].id, reason="a joke")
    assert gone.content == "I am allergic to peanuts."
    assert await memory.facts.list() == []
    assert texts(await memory.recall("peanuts", limit=9)) == ["Hm."]
    (line,) = (await memory.journal(noun="message", action="forgotten")).items
    assert line.reason == "a joke"
    await memory.undo(line.id)
    assert [one.content for one in await memory.messages.of("chat")] == ["I am allergic to peanuts.", "Hm."]


async def test_a_message_whose_place_was_taken_comes_back_at_the_end(memory: AsyncBethink) -> None:
    said = await memory.observe("chat", [{"content": "one"}, {"content": "two"}])
    await memory.messages.forget(said.outcomes[1].id)
    await memory.observe("chat", [{"content": "three"}])
    await memory.undo((await memory.journal(noun="message", action="forgotten")).items[0].id)
    assert [one.content for one in await memory.messages.of("chat")] == ["one", "three", "two"]


async def test_pinning_asks_for_no_new_vector(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder) as memory:
        (_, _, id_) = await three(memory)
        await memory.settle()
        made = len(embedder.documents)
        assert not (await memory.messages.pin(id_, pinned=False)).pinned
        assert (await memory.messages.update(id_, importance=0.9)).importance == 0.9
        await memory.settle()
        assert len(embedder.documents) == made
        with pytest.raises(InvalidInput, match="pinned"):
            await memory.messages.update(id_, **unchecked(pinned=None))
