"""One suite for the library and for the client of a running server: what holds of one holds of the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from bethink import AccessDenied, AsyncBethink, AsyncBethinkClient, BethinkClient, InvalidInput, NotFound
from bethink.errors import Closed, StoreError, Unauthenticated
from bethink.records import Role
from bethink.testing import HashEmbedder
from tests.rest.serving import Running, new_space, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(str(tmp_path_factory.mktemp("client") / "memory.db")) as found:
        yield found


@pytest.fixture(params=["library", "client"])
async def space(request: pytest.FixtureRequest, server: Running) -> AsyncIterator[Any]:
    """A space to work in: of a memory in this process, or of a server over HTTP."""
    if request.param == "library":
        async with AsyncBethink(":memory:", embedder=HashEmbedder()) as memory:
            yield memory
    else:
        async with AsyncBethinkClient(server.url, token=server.key(new_space())) as client:
            yield client


async def test_memories_are_stored_found_changed_and_forgotten(space: Any) -> None:
    made = await space.remember("Anna is allergic to peanuts", tags=["health"], key="allergy/1")
    assert (made.status, made.memory.tags) == ("stored", ["health"])
    again = await space.remember("Anna is allergic to peanuts and soy", key="allergy/1")
    assert (again.status, again.id) == ("merged", made.id)
    others = await space.remember_many([{"content": "Ben likes tea"}, {"content": "Eve has a boat"}])
    assert [one.status for one in others] == ["stored", "stored"]
    hits = (await space.recall("what is Anna allergic to?", limit=1)).hits
    assert [hit.id for hit in hits] == [made.id]
    assert (await space.get(made.id)).content == "Anna is allergic to peanuts and soy"
    assert (await space.update(made.id, title="Allergies", metadata={"a": 1})).title == "Allergies"
    assert (await space.pin(made.id)).pinned
    assert not (await space.pin(made.id, False)).pinned
    assert (await space.replace(made.id, "Anna eats everything")).title is None
    assert [one.content for one in await space.list(limit=1, offset=2)] == ["Anna eats everything"]
    assert await space.list(tags=[]) == []
    page = await space.page(limit=2)
    assert (page.total, len(page.items)) == (3, 2)
    assert len((await space.page(limit=2, cursor=page.next_cursor)).items) == 1
    assert (await space.forget_many(dry_run=True, since="2000-01-01")).count == 3
    assert [one.id for one in await space.forget(made.id)] == [made.id]
    assert (await space.stats()).layers["memory"].total == 2


async def test_facts_have_versions(space: Any) -> None:
    await space.facts.set("home", "city", "Rome")
    second = await space.facts.set("home", "city", "Milan")
    assert (second.status, second.previous.value) == ("merged", "Rome")
    assert (await space.facts.get("home", "city")).value == "Milan"
    assert await space.facts.get("home", "street") is None
    history = await space.facts.history("home", "city")
    assert [one.value for one in history] == ["Milan", "Rome"]
    assert (await space.facts.restore(history[1].id)).fact.value == "Rome"
    assert [one.value for one in await space.facts.list(category="home")] == ["Rome"]
    assert [one.value for one in (await space.facts.search("city Rome")).items] == ["Rome"]
    assert (await space.facts.forget("home", "city", reason="moved")).value == "Rome"


async def test_conversations_become_messages_prompts_and_insights(space: Any) -> None:
    said = [
        {"name": "Ana", "content": "Ben, can you book the hall?", "channel": "#party", "id": "m/1"},
        {"name": "Ben", "content": "The hall is booked", "channel": "#party"},
        {"name": "Ana", "content": "We decided to sing", "channel": "#party"},
    ]
    seen = await space.observe("talk/1", said)
    assert [one.status for one in seen.outcomes] == ["stored"] * 3
    later = await space.messages.of("talk/1", after=1)
    assert [one.name for one in later] == ["Ben", "Ana"]
    assert (await space.messages.get(later[0].id)).name == "Ben"
    assert [one.id for one in await space.sessions()] == ["talk/1"]
    assert (await space.begin("talk/1", title="Party")).title == "Party"
    assert (await space.insights.generate()).counts == {"stored": 2, "closed": 1}
    page = await space.insights.list(kinds=["task"], status="closed")
    (task,) = page.items
    assert (task.insight.closed_by, page.total) == (seen.outcomes[1].id, 1)
    assert "## Decided\n- We decided to sing" in (await space.digest(days=3)).markdown
    assert (await space.prompt("what is planned?")).enabled
    assert (await space.upkeep.run("insights", dry_run=True)).counts == {}
    assert "insights" in {one.name for one in await space.upkeep.list()}
    assert [one.sweep for one in await space.upkeep.history("insights")][-1] == "insights"


async def test_insights_are_viewed_weighed_and_merged(space: Any) -> None:
    made = await space.insights.add("Renew the lease", kind="task", people=["Ana"])
    assert (await space.insights.add("Renew the lease", kind="task")).status == "merged"
    assert (await space.insights.view(made.id)).weights.access_count_7d == 1
    assert (await space.insights.favourite(made.id)).weights.favourite
    assert not (await space.insights.favourite(made.id, False)).weights.favourite
    assert (await space.insights.weigh(made.id, 2)).weights.boost == 2
    assert (await space.insights.update(made.id, importance="high")).importance == "high"
    assert (await space.insights.resolve(made.id, "signed")).closed_because == "signed"
    assert (await space.insights.reopen(made.id)).status == "open"
    other = await space.insights.add("Lease ends")
    assert (await space.insights.merge(made.id, other.id)).id == made.id
    assert (await space.insights.list(kinds=[])).items == []
    assert (await space.insights.usage(status="open")).total == 1
    assert (await space.insights.usage(kinds=[])).total == 0
    assert [one.id for one in await space.insights.forget(made.id, reason="over")] == [made.id]


async def test_contexts_people_the_journal_and_erasing(space: Any) -> None:
    made = await space.contexts.add("CV", "Ana is a nurse")
    assert (await space.contexts.update(made.id, name="Life")).name == "Life"
    assert [one.id for one in await space.contexts.list()] == [made.id]
    assert (await space.contexts.get(made.id)).content == "Ana is a nurse"
    (line, *_) = (await space.journal(noun="context", action="updated")).items
    await space.undo(line.id)
    assert (await space.contexts.remove(made.id)).name == "CV"
    (person,) = await space.people.list()
    assert (await space.people.get(person.id)).id == person.id
    assert (await space.people.resolve("nobody at all")).person is None
    note = await space.remember("Zanzibar")
    assert (await space.erase(memory_ids=[note.id])).complete


async def test_what_is_wrong_is_said_the_same(space: Any) -> None:
    with pytest.raises(NotFound, match="There is no memory 'absent'"):
        await space.get("absent")
    with pytest.raises(InvalidInput) as caught:
        await space.remember("x", confidence=400)
    assert caught.value.field == "confidence"
    with pytest.raises(InvalidInput) as caught:
        await space.insights.weigh((await space.insights.add("x")).id, 9)
    assert caught.value.field == "multiplier"
    with pytest.raises(InvalidInput, match="tag"):
        await space.remember("x", tag=["a"])
    with pytest.raises(InvalidInput):
        await space.digest(days=0)
    with pytest.raises(NotFound):
        await space.insights.get("absent")


async def test_a_client_says_what_stands_in_its_way(server: Running) -> None:
    name = new_space()
    async with AsyncBethinkClient(server.url, token="wrong") as client:
        with pytest.raises(Unauthenticated):
            await client.stats()
    async with AsyncBethinkClient(server.url, token=server.key(name, Role.READER), space=name) as reader:
        with pytest.raises(AccessDenied):
            await reader.remember("x")
    async with AsyncBethinkClient("http://127.0.0.1:9", token="x") as nowhere:
        with pytest.raises(StoreError, match="Is it running"):
            await nowhere.stats()
    with pytest.raises(Closed):
        await nowhere.stats()
    with pytest.raises(InvalidInput, match="no address"):
        AsyncBethinkClient("localhost")


def test_the_client_works_without_await(server: Running) -> None:
    with BethinkClient(server.url, token=server.key(new_space())) as client:
        made = client.remember("Ben likes tea")
        assert client.recall("tea").hits[0].id == made.id
        client.facts.set("home", "city", "Rome")
        assert client.insights.list().total == 0
    with pytest.raises(Closed):
        client.stats()
