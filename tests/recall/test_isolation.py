"""No verb ever returns or changes what belongs to another space.

Two spaces hold look-alikes: the same keys, sessions, message ids, names and facts, but every text of one is
crimson and every text of the other azure. Each verb is called in the red space, with the blue one's ids too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any, get_type_hints

import pytest

from bethink import AsyncBethink, NotFound
from bethink.errors import BethinkError
from bethink.memory import AsyncSpace
from bethink.nouns import NOUNS
from bethink.testing import HashEmbedder
from tests.opened import Home

LONG_AGO = "2020-01-01T12:00:00+00:00"


@dataclass
class Room:
    """A space and the ids of what is in it."""

    space: AsyncSpace
    person: str
    memories: list[str]
    messages: list[str]
    context: str
    insight: str
    document: str
    summary: str


async def furnish(space: AsyncSpace, colour: str) -> Room:
    ann = {"display_name": "Ann", "aliases": [f"{colour} Ann"]}
    await space.household.update(display_name=f"The {colour} house", mode="multi", persons=[ann])
    person = (await space.people.list())[0].id
    await space.devices.put("tv", name=f"{colour} tv", primary_person_id=person)
    await space.texts.set_soul(f"Be {colour}")
    await space.texts.set_narrative(f"They like {colour}")
    stored = [
        await space.remember(f"The door is {colour}", key="door", tags=["house"], pinned=True),
        await space.remember(f"The roof is {colour}", person_id=person, session_id="chat"),
        *[await space.remember(f"Chair {number} is {colour}") for number in range(5)],
        await space.remember(f"the ROOF is {colour}!", key="roof again", person_id=person),
    ]
    said = [(f"Is the boat {colour}?", "1"), (f"Yes, {colour}", "2")]
    seen = await space.observe("chat", [{"content": text, "id": id_, "name": "Ann"} for text, id_ in said])
    await space.facts.set("house", "colour", f"pale {colour}")
    await space.facts.set("house", "colour", f"deep {colour}", person_id=person)
    await space.facts.set("house", "colour", f"dark {colour}")
    given = await space.contexts.add(colour, f"Everything here is {colour}")
    await space.begin("chat", context_ids=[given.id])
    insight = await space.insights.add(
        f"The gate is {colour}", kind="decision", provenance=[seen.outcomes[0].id]
    )
    ids = [known.id for known in stored], [message.id for message in seen.outcomes]
    added = await space.documents.add(f"The garden is {colour}".encode(), "garden.md")
    await space.documents.wait(added.document.id)
    old = [{"role": "assistant", "content": f"Hull {n} is {colour}", "sent_at": LONG_AGO} for n in range(3)]
    await space.observe("shipyard", old)
    await space.upkeep.run("tiers")
    summary = (await space.summaries.list()).items[0]
    return Room(space, person, *ids, given.id, insight.id, added.document.id, summary.id)


@dataclass
class House:
    memory: AsyncBethink
    red: Room
    blue: Room
    has_vectors: bool


@pytest.fixture(params=["vectors", "keywords"])
async def house(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[House]:
    settings: dict[str, Any] = {"embed": {"source": "none"}} if request.param == "keywords" else {}
    async with home.memory(**settings) as memory:
        red = await furnish(memory.space(f"{memory.name}-red"), "crimson")
        blue = await furnish(memory.space(f"{memory.name}-blue"), "azure")
        await memory.settle()
        yield House(memory, red, blue, request.param == "vectors")


Call = Callable[[House], Awaitable[Any]]


async def every_recall(house: House) -> list[Any]:
    space = house.red.space
    found: list[Any] = []
    vector = (await HashEmbedder().embed(["The door is azure"], "query"))[0].tolist()
    for query in ("door", "azure", "The door is azure", "what colour is the boat?", "Ann", ""):
        for options in (
            {},
            {"strategy": "semantic"},
            {"strategy": "recent"},
            {"vector": vector},
            {"fallback": True},
            {"tags": ["house"]},
            {"session_ids": ["chat"]},
            {"person_ids": [house.blue.person, house.red.person]},
            {"person_hints": [house.blue.person]},
            *({"layers": [layer]} for layer in NOUNS.indexed),
            {"pinned": True},
        ):
            found += (await space.recall(query, limit=200, **options)).hits
    return found


async def search_vectors(house: House) -> Any:
    return await house.red.space.vectors.search("door", top_k=20) if house.has_vectors else None


async def clean_vectors(house: House) -> Any:
    return await house.red.space.vectors.cleanup() if house.has_vectors else None


async def undo_theirs(house: House) -> None:
    theirs = (await house.blue.space.journal(limit=1000)).items
    assert theirs
    await refused(house.red.space.undo, [entry.id for entry in theirs])


async def fix_theirs(house: House) -> Any:
    theirs = [one.id for one in (await house.blue.space.audit()).found]
    assert theirs
    done = await house.red.space.fix(*theirs)
    assert done.fixed == 0
    return done


async def restore_theirs(house: House) -> None:
    theirs = await house.blue.space.facts.history("house", "colour")
    await refused(house.red.space.facts.restore, [fact.id for fact in theirs])


async def exported(space: AsyncSpace) -> bytes:
    archive = BytesIO()
    await space.export(archive)
    return archive.getvalue()


async def erase_theirs(house: House) -> list[Any]:
    red, blue = house.red.space, house.blue
    for theirs in ({"memory_ids": blue.memories[:1]}, {"person_id": blue.person}):
        with pytest.raises(NotFound, match="in this space"):
            await red.erase(**theirs)
    return [await red.erase(**choice) for choice in ({"session_id": "chat"}, {"everything": True})]


# What is called in the red space, reads before writes; what it returns must not be azure.
VERBS: dict[str, Call] = {
    "count": lambda house: house.red.space.count(),
    "get": lambda house: refused(house.red.space.get, house.blue.memories),
    "journal": lambda house: house.red.space.journal(limit=1000),
    "list": lambda house: house.red.space.list(),
    "page": lambda house: house.red.space.page(),
    "index.cache": lambda house: house.red.space.index.cache(),
    "index.status": lambda house: house.red.space.index.status(),
    "index.sources": lambda house: house.red.space.index.sources(),
    "index.preview": lambda house: house.red.space.index.preview("what colour is the door?", limit=200),
    "index.compare": lambda house: house.red.space.index.compare(),
    "index.check": lambda house: house.red.space.index.check(),
    "index.reindex_status": lambda house: house.red.space.index.reindex_status(),
    "index.map": lambda house: house.red.space.index.map(),
    "index.growth": lambda house: house.red.space.index.growth(),
    "doubts": lambda house: house.red.space.doubts(),
    "facts.doubts": lambda house: house.red.space.facts.doubts(),
    "messages.of": lambda house: house.red.space.messages.of("chat"),
    "messages.list": lambda house: house.red.space.messages.list(),
    "messages.search": lambda house: house.red.space.messages.search("garden"),
    "messages.count": lambda house: house.red.space.messages.count(),
    "messages.get": lambda house: refused(house.red.space.messages.get, house.blue.messages),
    "summaries.list": lambda house: house.red.space.summaries.list(),
    "summaries.get": lambda house: refused(house.red.space.summaries.get, [house.blue.summary]),
    "summaries.messages": lambda house: refused(house.red.space.summaries.messages, [house.blue.summary]),
    "vectors.search": search_vectors,
    "vectors.cleanup": clean_vectors,
    "tools": lambda house: house.red.space.tools(),
    "call_tool": lambda house: house.red.space.call_tool("recall", {"query": "door", "limit": 50}),
    "recall": every_recall,
    "sessions": lambda house: house.red.space.sessions(),
    "stats": lambda house: house.red.space.stats(),
    "prompt": lambda house: house.red.space.prompt("what colour is the door?", device="tv"),
    "texts.soul": lambda house: house.red.space.texts.soul(),
    "texts.narrative": lambda house: house.red.space.texts.narrative(),
    "texts.memory_file": lambda house: house.red.space.texts.memory_file(),
    "texts.sync": lambda house: house.red.space.texts.sync(),
    "texts.folder": lambda house: house.red.space.texts.folder(),
    "facts.get": lambda house: house.red.space.facts.get("house", "colour"),
    "facts.history": lambda house: house.red.space.facts.history("house", "colour"),
    "facts.list": lambda house: house.red.space.facts.list(),
    "facts.search": lambda house: house.red.space.facts.search("house colour: dark azure"),
    "household.get": lambda house: house.red.space.household.get(),
    "people.get": lambda house: refused(house.red.space.people.get, [house.blue.person]),
    "people.list": lambda house: house.red.space.people.list(),
    "people.resolve": lambda house: house.red.space.people.resolve("Ann"),
    "people.speaker": lambda house: house.red.space.people.speaker("It is me", device="tv"),
    "devices.get": lambda house: house.red.space.devices.get("tv"),
    "devices.list": lambda house: house.red.space.devices.list(),
    "audit": lambda house: house.red.space.audit(),
    "fix": lambda house: fix_theirs(house),
    "begin": lambda house: house.red.space.begin("chat", title="Red talk"),
    "insights.add": lambda house: house.red.space.insights.add("The gate is crimson", kind="decision"),
    "insights.list": lambda house: house.red.space.insights.list(),
    "insights.generate": lambda house: house.red.space.insights.generate(),
    "digest": lambda house: house.red.space.digest(),
    "insights.usage": lambda house: house.red.space.insights.usage(),
    "insights.get": lambda house: refused(house.red.space.insights.get, [house.blue.insight]),
    "insights.view": lambda house: refused(house.red.space.insights.view, [house.blue.insight]),
    "insights.favourite": lambda house: refused(house.red.space.insights.favourite, [house.blue.insight]),
    "insights.weigh": lambda house: refused(
        house.red.space.insights.weigh, [house.blue.insight], multiplier=2
    ),
    "insights.update": lambda house: refused(
        house.red.space.insights.update, [house.blue.insight], title="red"
    ),
    "insights.resolve": lambda house: refused(house.red.space.insights.resolve, [house.blue.insight]),
    "insights.reopen": lambda house: refused(house.red.space.insights.reopen, [house.blue.insight]),
    "insights.merge": lambda house: refused(house.red.space.insights.merge, [house.blue.insight]),
    "insights.forget": lambda house: refused(house.red.space.insights.forget, [house.blue.insight]),
    "contexts.add": lambda house: house.red.space.contexts.add("red", "All about red"),
    "contexts.list": lambda house: house.red.space.contexts.list(),
    "contexts.get": lambda house: refused(house.red.space.contexts.get, [house.blue.context]),
    "contexts.update": lambda house: refused(
        house.red.space.contexts.update, [house.blue.context], content="red"
    ),
    "contexts.remove": lambda house: refused(house.red.space.contexts.remove, [house.blue.context]),
    "documents.add": lambda house: house.red.space.documents.add(b"The shed is crimson", "shed.md"),
    "documents.list": lambda house: house.red.space.documents.list(),
    "documents.search": lambda house: house.red.space.documents.search("garden"),
    "documents.upload": lambda house: house.red.space.documents.upload(
        "0" * 64, b"red", "red.md", offset=0, size=9
    ),
    "documents.uploaded": lambda house: house.red.space.documents.uploaded("0" * 64),
    "documents.get": lambda house: refused(house.red.space.documents.get, [house.blue.document]),
    "documents.text": lambda house: refused(house.red.space.documents.text, [house.blue.document]),
    "documents.original": lambda house: refused(house.red.space.documents.original, [house.blue.document]),
    "documents.wait": lambda house: refused(house.red.space.documents.wait, [house.blue.document]),
    "documents.retry": lambda house: refused(house.red.space.documents.retry, [house.blue.document]),
    "documents.replace": lambda house: refused(
        house.red.space.documents.replace, [house.blue.document], source=b"red"
    ),
    "documents.remove": lambda house: refused(house.red.space.documents.remove, [house.blue.document]),
    "notes.folder": lambda house: house.red.space.notes.folder(),
    "notes.list": lambda house: house.red.space.notes.list(),
    "notes.search": lambda house: house.red.space.notes.search("garden"),
    "notes.read": lambda house: refused(house.red.space.notes.read, ["garden.md"]),
    "notes.sync": lambda house: house.red.space.notes.sync(),
    "conversations.follow": lambda house: house.red.space.conversations.follow(
        "chat", [{"content": "Is the boat crimson?"}, {"role": "assistant", "content": "Yes, crimson"}]
    ),
    "conversations.locate": lambda house: house.red.space.conversations.locate(
        "chat", [{"content": "Is the boat azure?"}]
    ),
    "conversations.answered": lambda house: house.red.space.conversations.answered("1"),
    "options.get": lambda house: house.red.space.options.get(),
    "options.update": lambda house: house.red.space.options.update(enabled=True),
    "options.reset": lambda house: house.red.space.options.reset(),
    "messages.update": lambda house: refused(
        house.red.space.messages.update, house.blue.messages, name="Red"
    ),
    "messages.pin": lambda house: refused(house.red.space.messages.pin, house.blue.messages),
    "messages.archive": lambda house: refused(house.red.space.messages.archive, house.blue.messages),
    "messages.forget": lambda house: refused(house.red.space.messages.forget, house.blue.messages),
    "ingest": lambda house: house.red.space.ingest(
        "bot", {"id": "1", "session": "chat", "content": "still crimson"}, mapping={}
    ),
    "observe": lambda house: house.red.space.observe("chat", [{"content": "still red", "id": "1"}]),
    "remember": lambda house: house.red.space.remember("The door is still red", key="door"),
    "remember_many": lambda house: house.red.space.remember_many([{"content": "red", "key": "door"}]),
    "pin": lambda house: refused(house.red.space.pin, house.blue.memories),
    "update": lambda house: refused(house.red.space.update, house.blue.memories, content="red"),
    "replace": lambda house: refused(lambda id_: house.red.space.replace(id_, "red"), house.blue.memories),
    "forget": lambda house: refused(house.red.space.forget, house.blue.memories),
    "forget_many": lambda house: house.red.space.forget_many(tags=["house"]),
    "condense": lambda house: house.red.space.condense("chat", max_tokens=1),
    "compact": lambda house: house.red.space.compact(older_than_days=1),
    "undo": undo_theirs,
    "upkeep.list": lambda house: house.red.space.upkeep.list(),
    "upkeep.run": lambda house: house.red.space.upkeep.run("vectors"),
    "upkeep.history": lambda house: house.red.space.upkeep.history(),
    "extractions": lambda house: house.red.space.extractions(),
    "extract": lambda house: house.red.space.extract(retry=True),
    "reindex": lambda house: house.red.space.reindex(force=True),
    "index.start_reindex": lambda house: house.red.space.index.start_reindex(),
    "facts.set": lambda house: house.red.space.facts.set("house", "colour", "bright red"),
    "facts.restore": restore_theirs,
    "facts.forget": lambda house: house.red.space.facts.forget("house", "colour"),
    "household.update": lambda house: house.red.space.household.update(display_name="Red again"),
    "people.add": lambda house: house.red.space.people.add("Bob"),
    "people.update": lambda house: refused(house.red.space.people.update, [house.blue.person], notes="red"),
    "people.remove": lambda house: refused(house.red.space.people.remove, [house.blue.person]),
    "texts.set_soul": lambda house: house.red.space.texts.set_soul("Be redder still"),
    "texts.set_narrative": lambda house: house.red.space.texts.set_narrative("They love red."),
    "texts.set_memory_file": lambda house: house.red.space.texts.set_memory_file("- shade: redder"),
    "devices.put": lambda house: house.red.space.devices.put("tv", name="other red"),
    "devices.remove": lambda house: house.red.space.devices.remove("tv"),
    "export": lambda house: exported(house.red.space),
    "import_": lambda house: house.red.space.import_(BytesIO(b'["Red again"]')),
    "erase": erase_theirs,
}
ELSEWHERE = {
    "vectors.get",
    "vectors.update",
    "vectors.check",
    "index.check_chat",
    "open",
    "close",
    "space",
    "check",
    "settle",
    "catch_up",
    "take_over",
    "integrity",
    "vitals",
    "keys.create",
    "keys.list",
    "keys.rename",
    "keys.update",
    "keys.revoke",
    "keys.rotate",
    "spaces.create",
    "spaces.delete",
    "spaces.get",
    "spaces.list",
    "spaces.rename",
}  # of the whole memory, with no record in their answers
PEOPLE: dict[str, Call] = {
    "list": lambda house: house.red.space.list(person_ids=[house.blue.person]),
    "facts.get": lambda house: house.red.space.facts.get("house", "colour", person_id=house.blue.person),
    "facts.list": lambda house: house.red.space.facts.list(person_id=house.blue.person),
    "facts.history": lambda house: house.red.space.facts.history(
        "house", "colour", person_id=house.blue.person
    ),
    "remember": lambda house: house.red.space.remember("red", person_id=house.blue.person),
    "facts.set": lambda house: house.red.space.facts.set("house", "x", "red", person_id=house.blue.person),
    "observe": lambda house: house.red.space.observe(
        "c", [{"content": "red", "person_id": house.blue.person}]
    ),
    "update": lambda house: house.red.space.update(house.red.memories[0], person_id=house.blue.person),
    "facts.forget": lambda house: house.red.space.facts.forget(
        "house", "colour", person_id=house.blue.person
    ),
}


async def refused(verb: Callable[..., Awaitable[Any]], ids: list[str], **fields: Any) -> None:
    """What is another space's is not found, as if it were not there at all."""
    for id_ in ids:
        with pytest.raises(NotFound, match=f"There is no .* '{id_}' in .*this space"):
            await verb(id_, **fields)


async def everything(room: Room) -> list[Any]:
    space = room.space
    return [
        await space.list(limit=1000),
        await space.messages.of("chat"),
        await space.sessions(),
        await space.facts.list(),
        await space.insights.list(),
        await space.documents.list(),
        await space.facts.history("house", "colour"),
        await space.household.get(),
        await space.people.list(),
        await space.devices.list(),
        await space.texts.soul(),
        await space.texts.narrative(),
        await space.texts.memory_file(),
        await space.journal(limit=1000),
        await space.stats(),
        await exported(space),  # all that any noun holds
    ]


def verbs(kind: type, prefix: str = "") -> set[str]:
    """The public methods of a class, and those of the handles that its properties give."""
    found: set[str] = set()
    for name in dir(kind):
        member = getattr(kind, name)
        if isinstance(member, property):
            found |= verbs(get_type_hints(member.fget)["return"], f"{prefix}{name}.")
        elif not name.startswith("_"):
            found.add(prefix + name)
    return found


def test_every_verb_is_listed_here() -> None:
    """A new verb fails this test until it is known not to cross from one space into another."""
    assert set(VERBS) | ELSEWHERE == verbs(AsyncBethink)


async def test_no_verb_returns_or_changes_anything_of_another_space(house: House) -> None:
    before = await everything(house.blue)
    assert "crimson" not in repr(before)
    for name, call in VERBS.items():
        if name != "reindex" or house.has_vectors:
            assert "azure" not in repr(await call(house)).lower(), name
            assert await everything(house.blue) == before, name


async def test_a_person_of_another_space_is_nobody_here(house: House) -> None:
    before = await everything(house.blue)
    for name, call in PEOPLE.items():
        try:
            answer = await call(house)
        except BethinkError as error:
            answer = str(error)
        assert "azure" not in repr(answer), name
        assert await everything(house.blue) == before, name
    assert all(house.blue.person not in repr(found) for found in await everything(house.red))


async def test_what_is_forgotten_here_stays_there(house: House) -> None:
    before = await everything(house.blue)
    await house.red.space.forget(*house.red.memories)
    await house.red.space.facts.forget("house", "colour")
    assert await house.red.space.count() == 0
    assert await everything(house.blue) == before
    found = await house.blue.space.recall("what colour is the door?")
    assert found.hits[0].text == "The door is azure"


async def test_the_words_of_another_space_weigh_nothing_here(home: Home) -> None:
    """A word is as rare as it is in the space itself, however common it is elsewhere."""
    async with home.memory(embed={"source": "none"}) as memory:
        alone, beside = memory.space(f"{memory.name}-alone"), memory.space(f"{memory.name}-beside")
        notes = [
            {"content": f"filler {number} zebra" if number % 4 == 0 else f"filler {number}"}
            for number in range(12)
        ]
        await alone.remember_many(notes)
        first = [(hit.text, hit.terms) for hit in (await alone.recall("zebra filler")).hits]
        await beside.remember_many([{"content": f"zebra zebra {number}"} for number in range(40)])
        again = [(hit.text, hit.terms) for hit in (await alone.recall("zebra filler")).hits]
        assert [text for text, _ in again] == [text for text, _ in first]
        assert [score for _, score in again] == pytest.approx([score for _, score in first], rel=0.35)
