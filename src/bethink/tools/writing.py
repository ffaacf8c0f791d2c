"""The tools that change something: remember, forget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from bethink.clock import now
from bethink.errors import InvalidInput, NotFound
from bethink.nouns import NOUNS
from bethink.records import Document, Fact, Memory, Message, Passage, Record, Summary
from bethink.shapes.insights import Insight
from bethink.shapes.tools import Gone, Kept
from bethink.tools.arguments import CONFIDENCES, ForgetArguments, RememberArguments
from bethink.tools.contract import Calling
from bethink.tools.items import item_of
from bethink.tools.reading import find_record, named

_NOT_OF_FACTS = ("title", "tags", "observed_at")


async def remember(calling: Calling, asked: RememberArguments) -> Kept:
    """Set a fact, where a category and a key name one; else store a note."""
    person_id = await calling.person_id(getattr(asked, "person", None))
    shared: dict[str, Any] = {
        "person_id": person_id,
        "source": asked.source,
        "confidence": CONFIDENCES[asked.source] if asked.confidence is None else asked.confidence,
        "expires_at": now() + timedelta(days=asked.expires_days) if asked.expires_days else None,
    }
    if asked.category is not None and asked.key is not None and asked.type is None:
        return await _set_fact(calling, asked, asked.category, asked.key, shared)
    fields = asked.model_dump(
        include={"category", "key", "type", "title", "tags", "observed_at"}, exclude_none=True
    )
    if asked.source_context:
        fields["source_ref"] = {"context": asked.source_context}
    outcome = await calling.space.remember(asked.content, **fields, **shared)
    return Kept(
        id=outcome.id,
        layer="memory",
        status=outcome.status.value,
        text=outcome.memory.content,
        reason=outcome.reason,
    )


async def forget(calling: Calling, asked: ForgetArguments) -> Gone:
    """Forget one record, what is kept under a key, or many notes at once."""
    by_id, by_key = asked.id is not None, asked.key is not None
    many = asked.type is not None or asked.older_than_days is not None
    if by_id + by_key + many != 1:
        raise InvalidInput(
            "Name what to forget in one way: by id, or by key, or by type and older_than_days.", field="id"
        )
    if asked.category is not None and not by_key:
        raise InvalidInput("category: goes with key; leave it out, or name the key.", field="category")
    person_id = await calling.person_id(getattr(asked, "person", None))
    if many:
        return await _forget_many(calling, asked, person_id)
    if asked.id is not None:
        records: Sequence[Record] = [await _by_id(calling, asked.id)]
    else:
        records = await named(calling, asked.key or "", asked.category, person_id)
        if not records:
            raise NotFound(f"Nothing is kept under the key {asked.key!r}; list_memories says what is.")
    if not asked.dry_run:
        for record in records:
            await _forget_one(calling, record, asked.reason)
    items = [item_of(record, calling.names) for record in records]
    return Gone(count=len(items), dry_run=asked.dry_run, items=items)


async def _set_fact(
    calling: Calling, asked: RememberArguments, category: str, key: str, shared: dict[str, Any]
) -> Kept:
    for name in _NOT_OF_FACTS:
        if getattr(asked, name) is not None:
            raise InvalidInput(
                f"{name}: a fact has none; leave it out, or name a type to store a note.", field=name
            )
    outcome = await calling.space.facts.set(
        category, key, asked.content, source_context=asked.source_context, **shared
    )
    return Kept(
        id=outcome.fact.id,
        layer="fact",
        status=outcome.status.value,
        text=outcome.fact.value,
        reason=outcome.reason,
        previous=outcome.previous.value if outcome.previous else None,
    )


async def _forget_one(calling: Calling, record: Record, reason: str | None) -> None:
    match record:
        case Memory():
            await calling.space.forget(record.id, reason=reason)
        case Fact():
            await calling.space.facts.forget(
                record.category, record.key, person_id=record.person_id, reason=reason
            )
        case Message():
            await calling.space.messages.forget(record.id, reason=reason)
        case Insight():
            await calling.space.insights.forget(record.id, reason=reason)
        case Document():
            await calling.space.documents.remove(record.id)
        case _:
            raise InvalidInput(f"id: {_why_not(record)}", field="id")


def _why_not(record: Record) -> str:
    """Why a record is not forgotten by its id, and what to do instead."""
    match record:
        case Passage():
            return f"a passage goes with its document; forget {record.document_id!r}."
        case Summary():
            return "a summary goes with the messages it was made of; forget those."
    return f"a {NOUNS.name_of(type(record))} is forgotten by the user, not by a tool."


async def _by_id(calling: Calling, record_id: str) -> Record:
    """A record to forget: one that can be recalled, or a document."""
    try:
        return await find_record(calling, record_id)
    except NotFound as error:
        try:
            return await calling.space.documents.get(record_id)
        except NotFound:
            raise error from None


async def _forget_many(calling: Calling, asked: ForgetArguments, person_id: str | None) -> Gone:
    filters: dict[str, Any] = {
        "types": None if asked.type is None else [asked.type],
        "until": None if asked.older_than_days is None else now() - timedelta(days=asked.older_than_days),
        "person_ids": None if person_id is None else [person_id],
    }
    gone = await calling.space.forget_many(dry_run=asked.dry_run, reason=asked.reason, **filters)
    items = [item_of(memory, calling.names) for memory in gone.sample]
    return Gone(count=gone.count, dry_run=gone.dry_run, items=items)
