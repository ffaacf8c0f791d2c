"""One suite for the library and for the client of a running server: what holds of one holds of the other."""

from __future__ import annotations

import hashlib
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bethink import AccessDenied, AsyncBethink, AsyncBethinkClient, BethinkClient, InvalidInput, NotFound
from bethink.client import documents as client_documents
from bethink.errors import Closed, Conflict, StoreError, Unauthenticated
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
    found = await space.messages.search("hall booked", limit=2, session_ids=["talk/1"])
    assert (found.hits[0].id, found.fallback, found.engine) == (later[0].id, False, "hybrid")
    assert (await space.messages.search("booked", until="2020-01-01")).hits == []
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


async def test_households_devices_and_who_speaks(space: Any) -> None:
    done = await space.household.update(display_name="The flat", mode="multi")
    assert (done.display_name, (await space.household.get()).mode) == ("The flat", "multi")
    anna = await space.people.add("Anna", role="spouse")
    assert (await space.people.update(anna.id, aliases=["mom"])).aliases == ["mom"]
    put = await space.devices.put("kitchen/radio", name="Radio", primary_person_id=anna.id)
    assert (await space.devices.get("kitchen/radio")) == put
    assert [one.id for one in await space.devices.list()] == ["kitchen/radio"]
    assert (await space.people.speaker("hello", device="kitchen/radio")).person_id == anna.id
    assert (await space.devices.remove("kitchen/radio")).name == "Radio"
    assert [one.display_name for one in (await space.people.remove(anna.id)).removed] == ["Anna"]


async def test_options_texts_the_index_and_reading(space: Any) -> None:
    changed = await space.options.update(insights="rules", prompt_digest_days=3)
    assert (changed.insights, changed.chosen) == (
        "rules",
        {"insights": "space", "prompt_digest_days": "space"},
    )
    assert (await space.options.reset("insights", "prompt_digest_days")).insights == "auto"
    assert await space.texts.set_soul("Be brief.") == "Be brief."
    assert await space.texts.soul() == "Be brief."
    assert await space.texts.set_narrative("Ana sails.") == await space.texts.narrative()
    assert await space.texts.memory_file() == ""
    await space.texts.sync()
    await space.remember("Zanzibar")
    assert (await space.index.status()).layers["memory"].total == 1
    assert [hit.text for hit in (await space.index.preview("Zanzibar")).hits] == ["Zanzibar"]
    assert await space.index.sources()
    assert (await space.index.cache()).model_dump()
    assert (await space.index.growth(days=3)).model_dump()
    await space.index.reindex_status()
    await space.observe("talk", [{"role": "user", "content": "I am allergic to peanuts"}])
    assert (await space.extract()).model_dump()
    assert {one.session_id for one in await space.extractions()} <= {"talk"}
    assert (await space.texts.set_memory_file("- city: Cork")).facts_set == 1
    assert "- city: Cork" in await space.texts.memory_file()


async def test_reasons_are_kept_in_the_journal(space: Any) -> None:
    made = await space.remember("Tea at four")
    await space.update(made.id, title="Tea", reason="it needed a name")
    await space.replace(made.id, "Tea at five", reason="later now")
    await space.forget(made.id, reason="nobody comes")
    lines = (await space.journal(record_id=made.id)).items
    assert [one.reason for one in lines] == ["nobody comes", "later now", "it needed a name", None]


async def test_an_audit_finds_and_mends(space: Any) -> None:
    for text in ("Ben likes tea", "Ben likes tea."):
        await space.remember(text)
    assert (await space.audit()).model_dump()
    with pytest.raises(InvalidInput, match="kinds"):
        await space.fix(kinds=["nonsense"])


async def test_an_archive_goes_out_and_comes_in(space: Any, tmp_path: Path) -> None:
    await space.remember("Zanzibar")
    seen: list[Any] = []
    made = await space.export(tmp_path / "all.jsonl", progress=seen.append)
    assert (made.counts["memory"], made.bytes) == (1, (tmp_path / "all.jsonl").stat().st_size)
    assert seen
    back = await space.import_(tmp_path / "all.jsonl")
    assert (back.format, back.duplicates["memory"]) == ("bethink", 1)
    kept = io.BytesIO()
    assert (await space.export(kept)).bytes == len(kept.getvalue())
    with pytest.raises(InvalidInput, match="line 1"):
        await space.import_(io.BytesIO(b"{}"), format="bethink")
    with pytest.raises(InvalidInput):
        await space.import_(tmp_path / "absent.jsonl")


@pytest.mark.parametrize("id_", ["a/b", "a/pin", "ä b/%2F?#"])
async def test_ids_may_hold_anything(space: Any, id_: str) -> None:
    for part in (space, space.insights, space.messages, space.contexts, space.people, space.devices):
        with pytest.raises(NotFound, match="There is no") as caught:
            await part.get(id_)
        assert id_ in caught.value.message
    with pytest.raises(NotFound):
        await space.forget(id_)


async def test_documents_are_kept_read_and_searched(space: Any, tmp_path: Path) -> None:
    path = tmp_path / "boiler.md"
    path.write_text("# Boiler\nThe pressure must stay at 1.5 bar.\n")
    added = await space.documents.add(path, follow=True)
    assert (added.status, added.document.name) == ("stored", "boiler.md")
    seen: list[Any] = []
    done = await space.documents.wait(added.document.id, progress=seen.append)
    assert (done.status, seen[-1]) == ("ready", done)
    hit = (await space.documents.search("boiler pressure")).hits[0]
    assert (hit.document_id, "1.5 bar" in hit.text) == (added.document.id, True)
    assert "1.5 bar" in (await space.documents.text(added.document.id)).text
    assert await space.documents.original(added.document.id) == path.read_bytes()
    path.write_text("# Boiler\nThe pressure must stay at 2 bar.\n")
    again = await space.documents.add(path, follow=True)
    assert (again.status, again.document.id) == ("replaced", added.document.id)
    assert (await space.documents.add(b"other", "other.txt")).status == "stored"
    assert (await space.documents.list()).total == 2
    assert (await space.documents.remove(added.document.id)).name == "boiler.md"
    with pytest.raises(InvalidInput):
        await space.documents.add(b"nameless")


async def test_documents_come_in_pieces_and_five_passages_answer(space: Any) -> None:
    data = b"# Boiler\nThe pressure must stay at 1.5 bar.\n"
    name, how = hashlib.sha256(data).hexdigest(), {"name": "boiler.md", "size": len(data)}
    assert (await space.documents.upload(name, data[:9], offset=0, **how)).received == 9
    assert (await space.documents.uploaded(name)).received == 9
    with pytest.raises(Conflict, match="go on with offset 9"):
        await space.documents.upload(name, data[20:], offset=20, **how)
    done = await space.documents.upload(name, data[9:], offset=9, **how)
    assert await space.documents.original(done.added.document.id) == data
    with pytest.raises(InvalidInput):
        await space.documents.uploaded("no hash")
    for number in range(6):
        added = await space.documents.add(f"Boiler pressure {number}".encode(), f"{number}.txt")
        await space.documents.wait(added.document.id)
    assert len((await space.documents.search("boiler pressure")).hits) == 5


async def test_a_file_that_is_followed_is_found_among_many(
    space: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_documents, "PAGE", 2)
    path = tmp_path / "boiler.md"
    path.write_text("1.5 bar")
    first = await space.documents.add(path, follow=True)
    for number in range(5):
        await space.documents.add(f"Other {number}".encode(), f"{number}.txt")
    path.write_text("2 bar")
    assert (await space.documents.add(path, follow=True)).document.id == first.document.id


async def test_keys_and_spaces_are_looked_after_over_http(server: Running) -> None:
    name = new_space()
    async with AsyncBethinkClient(server.url, token=server.key(name, Role.ADMIN), space=name) as admin:
        made = await admin.keys.create("phone", role="reader")
        assert (made.space, made.role) == (name, "reader")
        assert (await admin.keys.rename(made.id, "tablet")).name == "tablet"
        assert (await admin.keys.rotate(made.id)).secret != made.secret
        assert (await admin.keys.revoke(made.id)).revoked_at is not None
        assert made.id in {one.id for one in await admin.keys.list()}
        other = f"{name}/other"
        assert (await admin.spaces.create(other, display_name="Other")).display_name == "Other"
        assert (await admin.spaces.get(other)).name == other
        assert (await admin.spaces.rename(other, display_name="Third")).display_name == "Third"
        assert other in {one.name for one in await admin.spaces.list()}
        assert (await admin.spaces.delete(other, confirm=other)).complete
    async with AsyncBethinkClient(server.url, token=server.key(new_space())) as member:
        with pytest.raises(AccessDenied):
            await member.keys.list()


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
