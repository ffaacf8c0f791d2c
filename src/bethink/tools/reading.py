"""The tools that look: recall, list_memories, find_person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bethink.clock import now
from bethink.errors import InvalidInput, NotFound
from bethink.records import Fact, Layer, Memory, Record
from bethink.shapes.rights import cursor_of, place_of
from bethink.shapes.tools import Items, PeopleFound
from bethink.store import Tx, memories
from bethink.store.facts import EVERY, list_current
from bethink.store.rows import records
from bethink.tools.arguments import InsightArguments, ListArguments, PersonArguments, RecallArguments
from bethink.tools.contract import Calling
from bethink.tools.items import item_of, item_of_hit, person_of

_FACT = "fact:"  # in a cursor that stands among the facts


async def recall(calling: Calling, asked: RecallArguments) -> Items:
    """One record by its id, what is kept under a name, what answers a query, or the newest."""
    if asked.id is not None:
        return Items(items=[item_of(await find_record(calling, asked.id), calling.names)])
    if asked.key is not None and asked.query is not None:
        raise InvalidInput("key: reads exactly what is kept under it; leave out query, or key.", field="key")
    person_id = await calling.person_id(getattr(asked, "person", None))
    if asked.key is not None:
        return _told(calling, await named(calling, asked.key, asked.category, person_id))
    if asked.category is not None and asked.query is None:
        return await _of_category(calling, asked, person_id)
    return await _searched(calling, asked, person_id)


async def list_memories(calling: Calling, asked: ListArguments) -> Items:
    """The facts, then the notes, newest first, piece by piece."""
    person_id = await calling.person_id(getattr(asked, "person", None))
    facts: list[Fact] = []
    if asked.kind != "memory" and not (asked.type or asked.tags):
        facts = await _facts(calling, asked.category, person_id)
    first, note_cursor = _place(facts, asked.cursor)
    shown = await calling.space.inside.shown(facts[first : first + asked.limit])
    last = first + len(shown)
    if asked.kind == "fact":
        cursor = _cursor(facts, last) if last < len(facts) else None
        return Items(items=_told(calling, shown).items, total=len(facts), next_cursor=cursor)
    left = asked.limit - len(shown)
    page = await calling.space.page(
        limit=left or 1,
        cursor=note_cursor,
        **_memory_filters(asked.category, [asked.type] if asked.type else None, asked.tags, person_id),
    )
    total = len(facts) + (page.total or 0)
    if not left:  # the notes come next, if there are any
        more = last < len(facts) or page.items
        items = _told(calling, shown).items
        return Items(items=items, total=total, next_cursor=_cursor(facts, last) if more else None)
    items = _told(calling, [*shown, *page.items]).items
    return Items(items=items, total=total, next_cursor=page.next_cursor)


async def query_insights(calling: Calling, asked: InsightArguments) -> Items:
    """What is going on: decisions, tasks, open questions, those that count most first."""
    filters: dict[str, Any] = asked.model_dump(exclude={"limit"}, exclude_none=True)
    page = await calling.space.insights.list(limit=asked.limit, **filters)
    return Items(items=_told(calling, [one.insight for one in page.items]).items, total=page.total)


async def find_person(calling: Calling, asked: PersonArguments) -> PeopleFound:
    """Who is meant."""
    match = await calling.space.people.resolve(asked.name)
    return PeopleFound(
        person=person_of(match.person) if match.person else None,
        candidates=[person_of(person) for person in match.candidates] or None,
        reason=match.reason,
    )


async def named(calling: Calling, key: str, category: str | None, person_id: str | None) -> list[Record]:
    """The facts and the notes under a key: the facts of every category and person unless one is named."""
    facts = [fact for fact in await _facts(calling, category, person_id) if fact.key == key]
    found: list[Record] = [*await calling.space.inside.shown(facts)]
    core, space = await calling.space.inside.here()
    note = (await core.driver.read(memories.by_keys, space.id, [key])).get(key)
    meant = note and category in (None, note.category) and person_id in (None, note.person_id)
    if note and meant and _holds(note, now()):
        found.append(await calling.space.inside.shown(note))
    return found


async def find_record(calling: Calling, record_id: str) -> Record:
    """A record of any kind that can be recalled, by its id."""
    core, space = await calling.space.inside.here()
    layers = [Layer(name) for name in core.nouns.indexed]
    found = await core.driver.read(_by_id, space.id, layers, record_id)
    if found is None or not _holds(found, now()):
        raise NotFound(
            f"There is nothing with the id {record_id[:200]!r}; take an id from what recall or list_memories"
            " answered.",
            field="id",
        )
    return await calling.space.inside.shown(found)


async def _searched(calling: Calling, asked: RecallArguments, person_id: str | None) -> Items:
    """What answers the query; facts of a category are looked for on their own, as only notes have tags."""
    wanted: dict[str, Any] = asked.model_dump(
        include={"layers", "types", "tags", "since", "until", "limit", "max_tokens"}, exclude_none=True
    )
    if person_id is not None:
        wanted["person_ids"] = [person_id]
    if asked.query is None:
        wanted["strategy"] = "recent"
    facts: Sequence[Fact] = ()
    if asked.category is not None:
        wanted["categories"] = [asked.category]
        if asked.query and not (asked.types or asked.tags):
            near = await calling.space.facts.search(
                asked.query, category=asked.category, person_id=person_id, limit=asked.limit
            )
            facts = near.items
    result = await calling.space.recall(asked.query or "", **wanted)
    hits = [item_of_hit(hit, calling.names, calling.space.name) for hit in result.hits]
    items = [*_told(calling, facts).items, *hits][: asked.limit]
    return Items(items=items, degraded=result.degraded or None)


async def _of_category(calling: Calling, asked: RecallArguments, person_id: str | None) -> Items:
    """All facts of a category, then its newest notes."""
    facts: list[Fact] = []
    if not (asked.types or asked.tags):
        facts = await calling.space.facts.list(
            category=asked.category, person_id=person_id, limit=asked.limit
        )
    notes: list[Memory] = []
    if left := asked.limit - len(facts):
        notes = await calling.space.list(
            limit=left,
            since=asked.since,
            until=asked.until,
            **_memory_filters(asked.category, asked.types, asked.tags, person_id),
        )
    return _told(calling, [*facts, *notes])


async def _facts(calling: Calling, category: str | None, person_id: str | None) -> list[Fact]:
    """All facts that hold, or those of a category or about a person, by category and key; unmasked."""
    core, space = await calling.space.inside.here()

    def read(tx: Tx) -> list[Fact]:
        return list_current(tx, space.id, category=category, person_id=person_id, now=now(), limit=EVERY)

    return await core.driver.read(read)


def _cursor(listed: Sequence[Fact], last: int) -> str:
    """Where a listing goes on after so many facts."""
    return cursor_of(last, f"{_FACT}{listed[last - 1].id}")


def _place(listed: Sequence[Fact], cursor: str | None) -> tuple[int, str | None]:
    """How many of the facts were listed before, and the cursor of the notes once they began."""
    if cursor is None:
        return 0, None
    number, last = place_of(cursor)
    if not last.startswith(_FACT):
        return len(listed), cursor
    ids = [f"{_FACT}{fact.id}" for fact in listed]
    return (ids.index(last) + 1 if last in ids else min(number, len(ids))), None


def _memory_filters(
    category: str | None, types: Sequence[Any] | None, tags: Sequence[str] | None, person_id: str | None
) -> dict[str, Any]:
    return {
        "categories": None if category is None else [category],
        "types": types,
        "tags": tags,
        "person_ids": None if person_id is None else [person_id],
    }


def _told(calling: Calling, found: Sequence[Record]) -> Items:
    return Items(items=[item_of(record, calling.names) for record in found])


def _by_id(tx: Tx, space_id: str, layers: Sequence[Layer], record_id: str) -> Record | None:
    found = records(tx, space_id, [(layer, record_id) for layer in layers])
    return next(iter(found.values()), None)


def _holds(record: Record, at: datetime) -> bool:
    ends = (getattr(record, "valid_to", None), getattr(record, "expires_at", None))
    return all(end is None or end > at for end in ends)
