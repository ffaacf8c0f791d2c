"""One change of every kind that is journalled, in a furnished space, and what a user sees of that space."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from typing import Any

from bethink import AsyncBethink
from bethink.clock import now
from bethink.facts.versions import end_fact
from bethink.lifecycle.purge import delete_archived
from bethink.memory import AsyncSpace
from bethink.records import JournalEntry, Record
from bethink.shapes.keywords import PersonInput
from bethink.undo import final

WORDS = ("violin", "drums", "lisbon", "porto", "oolong", "coffee", "teal", "river")
_PASSING = {"updated_at", "access_count", "last_access_at", "last_used_at", "last_message_at", "settings"}
_OF_A_VERSION = {"id", "valid_from", "valid_to", "created_at", "last_verified_at", "superseded_by"}


@dataclass
class Room:
    """A space, the memory it is of, and the ids of what is in it."""

    memory: AsyncBethink
    space: AsyncSpace
    tom: str
    sarah: str
    note: str
    cv: str
    house: str
    key: str


async def furnish(memory: AsyncBethink) -> Room:
    """A space with something of every kind."""
    space = memory.space(f"{memory.name}-undo")
    people: list[PersonInput] = [
        {"display_name": "Tom", "role": "primary"},
        {"display_name": "Sarah", "role": "spouse", "aliases": ["mom"], "voice_ids": ["v1"]},
    ]
    household = await space.household.update(mode="multi", persons=people)
    tom, sarah = (person.id for person in household.persons)
    await space.devices.put("tv", name="Television", primary_person_id=sarah)
    note = await space.remember("Anna plays the violin", key="anna", tags=["music"], metadata={"a": 1})
    await space.observe("chat", [{"id": "m1", "content": "I live in Lisbon."}, {"content": "Good."}])
    await space.facts.set("likes", "drink", "oolong tea", person_id=sarah, confidence=70)
    await space.facts.set("likes", "colour", "teal")
    cv = await space.contexts.add("CV", "Ana has worked as a nurse since 2019.")
    house = await space.contexts.add("House", "The house stands by the river.")
    await space.begin("chat", title="Moving", context_ids=[cv.id, house.id], metadata={"n": 1})
    await space.insights.add("The lease by the river ends", dedupe_key="lease", people=["Ana"])
    await space.texts.set_soul("Be kind.")
    await space.texts.set_narrative("They like music.")
    await space.options.update(max_tokens=500)
    key = await memory.keys.create("phone", space=space.name)
    await memory.settle()
    return Room(memory, space, tom, sarah, note.id, cv.id, house.id, key.id)


async def seen(room: Room) -> dict[str, Any]:
    """Everything that a user sees of the space, but for when it was touched and the ids of versions."""
    space = room.space
    await room.memory.settle()
    prompt = await space.prompt("what do they drink?", session_id="chat")
    facts = [_plain(fact, _OF_A_VERSION) for fact in await space.facts.list(limit=100)]
    return {
        "space": _plain(await room.memory.spaces.get(space.name), {"counts"}),
        "household": (await space.household.get()).model_dump(exclude={"persons": {"__all__": _PASSING}}),
        "devices": [_plain(one) for one in await space.devices.list()],
        "memories": sorted(_memory(one) for one in await space.list(limit=100)),
        "messages": [_plain(one) for one in await space.messages.of("chat")],
        "facts": sorted(facts, key=repr),
        "sessions": [_plain(one) for one in await space.sessions()],
        "contexts": [_plain(one) for one in await space.contexts.list()],
        "insights": [_plain(one.insight) for one in (await space.insights.list()).items],
        "given": [one.id for one in await space.contexts.list(session="chat")],
        "soul": await space.texts.soul(),
        "narrative": await space.texts.narrative(),
        "memory file": await space.texts.memory_file(),
        "options": (await space.options.get()).model_dump(),
        "keys": [_plain(one) for one in await room.memory.keys.list() if one.space == space.name],
        "prompt": sorted(prompt.stable.splitlines()),
        "recall": {word: await _found(space, word) for word in WORDS},
    }


async def newest(space: AsyncSpace, **filters: Any) -> JournalEntry:
    return (await space.journal(limit=1, **filters)).items[0]


async def _found(space: AsyncSpace, word: str) -> list[str]:
    hits = (await space.recall(word, limit=100, max_tokens=8000)).hits
    return sorted(hit.text for hit in hits if word in hit.text.casefold())


def _plain(record: Record, besides: set[str] | None = None) -> dict[str, Any]:
    return record.model_dump(exclude=_PASSING | (besides or set()))


def _memory(memory: Record) -> str:
    """What was read from a message anew is another memory that says the same."""
    read = {"id", "created_at", "source_ref"} if getattr(memory, "source", "") != "note" else set()
    return repr(sorted(_plain(memory, read).items()))


Scenario = Callable[[Room], AsyncIterator[None]]
SCENARIOS: dict[tuple[str, str], Scenario] = {}


def makes(noun: str, action: str) -> Callable[[Scenario], Scenario]:
    """A scenario: what comes before its `yield` prepares, what comes after makes the change."""

    def register(scenario: Scenario) -> Scenario:
        SCENARIOS[noun, action] = scenario
        return scenario

    return register


@makes("memory", "updated")
async def update_memory(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.update(room.note, content="Anna plays the drums", tags=["noise"], metadata={"b": 2})


@makes("memory", "merged")
async def merge_memory(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.remember("Anna plays the drums", key="anna", pinned=True)


@makes("memory", "forgotten")
async def forget_memory(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.forget(room.note)


@makes("memory", "restored")
async def restore_memory(room: Room) -> AsyncIterator[None]:
    await room.space.forget(room.note)
    yield
    await room.space.undo((await newest(room.space)).id)
    await room.space.recall("violin")  # that it is recalled is no change of it


@makes("message", "edited")
async def edit_message(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.observe("chat", [{"id": "m1", "content": "I live in Porto.", "metadata": {"x": 1}}])


@makes("message", "withdrawn")
async def withdraw_what_was_said(room: Room) -> AsyncIterator[None]:
    await room.space.observe("chat", [{"content": "We ate at the place by the river on Sunday."}])
    yield
    await room.space.observe("chat", [{"content": "Please don't keep that."}])
    await room.memory.settle()


@makes("message", "restored")
async def show_again_what_was_said(room: Room) -> AsyncIterator[None]:
    steps = withdraw_what_was_said(room)
    await anext(steps)
    await room.memory.settle()
    await anext(steps, None)
    yield
    await room.space.undo((await newest(room.space, noun="message", action="withdrawn")).id)


@makes("message", "updated")
async def change_message(room: Room) -> AsyncIterator[None]:
    first, _ = await room.space.messages.of("chat")
    yield
    await room.space.messages.update(first.id, name="Sarah", pinned=True, archived=True)


@makes("message", "forgotten")
async def forget_message(room: Room) -> AsyncIterator[None]:
    first, _ = await room.space.messages.of("chat")
    yield
    await room.space.messages.forget(first.id)


@makes("memory", "withdrawn")
async def withdraw_memory(room: Room) -> AsyncIterator[None]:
    said = await room.space.observe("chat", [{"id": "m3", "content": "Hm."}])
    of = {"messages": [said.outcomes[0].id]}
    await room.space.remember("The bridge over the river is closed", session_id="chat", source_ref=of)
    yield
    await room.space.observe("chat", [{"id": "m3", "content": "Hmm."}])


@makes("fact", "withdrawn")
async def withdraw_fact(room: Room) -> AsyncIterator[None]:
    said = await room.space.observe("chat", [{"id": "m3", "content": "Hm."}])
    await room.space.facts.set("town", "river", "Lee", provenance=[said.outcomes[0].id])
    yield
    await room.space.observe("chat", [{"id": "m3", "content": "Hmm."}])


@makes("fact", "superseded")
async def supersede_fact(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.facts.set("likes", "drink", "coffee", person_id=room.sarah, promoted=True)


@makes("fact", "forgotten")
async def forget_fact(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.facts.forget("likes", "colour")


@makes("fact", "ended")
async def end_a_fact(room: Room) -> AsyncIterator[None]:
    yield
    fact = await room.space.facts.get("likes", "colour")
    assert fact is not None
    core, space = await room.space.inside.here()
    await core.driver.write(end_fact, space, fact, now(), now(), "extractor:patterns", reason="it is over")


@makes("fact", "restored")
async def restore_fact(room: Room) -> AsyncIterator[None]:
    await room.space.facts.forget("likes", "colour")
    old = (await room.space.facts.history("likes", "colour"))[0]
    yield
    await room.space.facts.restore(old.id)


@makes("fact", "verified")
async def verify_fact(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.facts.set("likes", "colour", "teal", confidence=99, promoted=True)


@makes("fact", "held")
async def hold_fact(room: Room) -> AsyncIterator[None]:
    await room.space.facts.set("identity", "home", "Cork")
    yield
    await room.space.observe("asides", [{"content": "I live in Bonn."}])
    await room.memory.settle()


@makes("fact", "updated")
async def unverify_fact(room: Room) -> AsyncIterator[None]:
    await room.space.facts.set("likes", "colour", "teal", confidence=99, promoted=True)
    yield
    await room.space.undo((await newest(room.space)).id)


@makes("person", "updated")
async def update_person(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.people.update(room.sarah, display_name="Sally", aliases=[], role=None, notes="Sings")


@makes("person", "left")
async def leave(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.people.remove(room.sarah)


@makes("person", "returned")
async def come_back(room: Room) -> AsyncIterator[None]:
    await room.space.people.remove(room.sarah)
    yield
    await room.space.people.add("Sarah", role="guest", aliases=["Sal"])


@makes("device", "updated")
async def update_device(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.devices.put("tv", name="Telly", primary_person_id=room.tom)


@makes("device", "forgotten")
async def remove_device(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.devices.remove("tv")


@makes("device", "restored")
async def restore_device(room: Room) -> AsyncIterator[None]:
    await room.space.devices.remove("tv")
    yield
    await room.space.undo((await newest(room.space)).id)


@makes("space", "updated")
async def update_household(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.household.update(display_name="The Smiths", timezone="Asia/Tokyo", locale="ja-JP")


@makes("space", "renamed")
async def rename_space(room: Room) -> AsyncIterator[None]:
    yield
    new = f"{room.space.name}-renamed"
    await room.memory.spaces.rename(room.space.name, name=new, display_name="Renamed")
    room.space.name = new


@makes("session", "updated")
async def update_session(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.begin("chat", title="Moved", context_ids=[room.house], metadata={"n": 2})


@makes("context", "updated")
async def update_context(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.contexts.update(room.cv, name="Résumé", content="Ana is a nurse.")


@makes("context", "forgotten")
async def remove_context(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.contexts.remove(room.cv)


@makes("context", "restored")
async def restore_context(room: Room) -> AsyncIterator[None]:
    await room.space.contexts.remove(room.cv)
    yield
    await room.space.undo((await newest(room.space, noun="context")).id)


@makes("soul", "updated")
async def update_soul(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.texts.set_soul("Be brief.")


@makes("soul", "forgotten")
async def empty_soul(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.texts.set_soul("")


@makes("soul", "restored")
async def restore_soul(room: Room) -> AsyncIterator[None]:
    await room.space.texts.set_soul("")
    yield
    await room.space.undo((await newest(room.space)).id)


@makes("narrative", "updated")
async def update_narrative(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.texts.set_narrative("They like silence.")


@makes("narrative", "forgotten")
async def empty_narrative(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.texts.set_narrative("")


@makes("narrative", "restored")
async def restore_narrative(room: Room) -> AsyncIterator[None]:
    await room.space.texts.set_narrative("")
    yield
    await room.space.undo((await newest(room.space)).id)


@makes("options", "updated")
async def change_options(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.options.update(max_tokens=900, strategy="recent", retention_days=None)


@makes("key", "renamed")
async def rename_key(room: Room) -> AsyncIterator[None]:
    yield
    await room.memory.keys.rename(room.key, "tablet")


@makes("key", "switched")
async def switch_key(room: Room) -> AsyncIterator[None]:
    yield
    await room.memory.keys.update(room.key, memory="off", name="tablet")


@makes("session", "stored")
async def begin_session(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.begin("another")


@makes("summary", "stored")
async def summarise_messages(room: Room) -> AsyncIterator[None]:
    said = [{"content": f"Step {number}", "sent_at": "2020-01-01"} for number in range(3)]
    await room.space.observe("long ago", said)
    yield
    await room.space.upkeep.run("tiers")


@makes("document", "stored")
async def add_document(room: Room) -> AsyncIterator[None]:
    yield
    await _manual(room)


@makes("document", "replaced")
async def replace_document(room: Room) -> AsyncIterator[None]:
    added = await _manual(room)
    yield
    await room.space.documents.replace(added, b"The drums are to be tuned.")


@makes("document", "forgotten")
async def remove_document(room: Room) -> AsyncIterator[None]:
    added = await _manual(room)
    yield
    await room.space.documents.remove(added)


async def _manual(room: Room) -> str:
    return (await room.space.documents.add(b"The violin is to be tuned.", "manual.txt")).document.id


@makes("space", "revealed")
async def reveal(room: Room) -> AsyncIterator[None]:
    stored = await room.space.remember("my pin is 4471")
    yield
    await room.space.get(stored.id, secrets=True)


@makes("space", "purged")
async def purge(room: Room) -> AsyncIterator[None]:
    yield
    core, space = await room.space.inside.here()
    stored = await room.space.remember("Anna played the flute")
    await room.space.update(stored.id, archived=True)
    await core.driver.write(delete_archived, space, now() + timedelta(days=1), now())


@makes("space", "deleted")
async def delete_space(room: Room) -> AsyncIterator[None]:
    yield
    name = f"{room.space.name}-doomed"
    await room.memory.spaces.create(name)
    await room.memory.spaces.delete(name, confirm=name)


@makes("space", "created")
async def create_space(room: Room) -> AsyncIterator[None]:
    yield
    room.space = room.memory.space((await room.memory.spaces.create(f"{room.space.name}-new")).name)


async def _lease(room: Room) -> str:
    return (await room.space.insights.list()).items[0].insight.id


@makes("insight", "updated")
async def update_insight(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.insights.update(await _lease(room), title="The drums are sold", importance="high")


@makes("insight", "forgotten")
async def forget_insight(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.insights.forget(await _lease(room))


@makes("insight", "restored")
async def restore_insight(room: Room) -> AsyncIterator[None]:
    await room.space.insights.forget(await _lease(room))
    yield
    await room.space.undo((await newest(room.space)).id)


@makes("key", "rotated")
async def rotate_key(room: Room) -> AsyncIterator[None]:
    yield
    await room.memory.keys.rotate(room.key)


@makes("key", "revoked")
async def revoke_key(room: Room) -> AsyncIterator[None]:
    yield
    await room.memory.keys.revoke(room.key)


@makes("archive", "imported")
async def import_notes(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.import_(BytesIO(b'["An imported note"]'))


@makes("erasure", "erased")
async def erase(room: Room) -> AsyncIterator[None]:
    yield
    await room.space.erase(memory_ids=[room.note])


async def nothing(_: Room) -> AsyncIterator[None]:
    """Furnishing the room has made the change."""
    yield


for _kind in final():
    SCENARIOS.setdefault(_kind, nothing)
