"""Ids for a copy of a space in the same database, where an id is given only once. Pure.

The same record gets the same new id each time, so importing a copy again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

from bethink.records import Record
from bethink.store.archive import NAMED, Noun
from bethink.text.traces import strings_in

_REFERENCES = ("person_id", "primary_person_id", "superseded_by", "summary_id")
_SOURCES: tuple[Noun, ...] = ("message", "memory", "fact")  # what a memory or a fact may come from


def named_ids(noun: str, record: Record) -> Iterator[tuple[Noun, list[str]]]:
    """The id of a record and those it refers to, with what they may be ids of."""
    values: Any = record
    if own := next((one for one in NAMED if one == noun), None):
        yield own, [values.id]
    if noun == "fact":
        yield "fact", [values.superseded_by] if values.superseded_by else []
        for source in _SOURCES:
            yield source, values.provenance
    if noun == "memory":
        ids = [text for text in strings_in(values.source_ref) if _is_id(text)]
        for source in _SOURCES:
            yield source, ids


def renamed_id(space_id: str, old: str) -> str:
    """The id of a record's copy in a space."""
    digest = bytearray(sha256(f"{space_id}\0{old}".encode()).digest()[:16])
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80  # UUID version 8: made by rule
    return str(UUID(bytes=bytes(digest)))


def renamed(space_id: str, noun: str, record: Record) -> Record:
    """A record as its copy: its own id and those of the records it refers to are those of the copies."""
    update: dict[str, Any] = {}
    values: Any = record
    if noun in NAMED:
        update["id"] = renamed_id(space_id, values.id)
    for name in _REFERENCES:
        if old := getattr(values, name, None):
            update[name] = renamed_id(space_id, old)
    if noun == "session":
        update["context_ids"] = [renamed_id(space_id, old) for old in values.context_ids]
    if noun == "fact":
        update["provenance"] = [renamed_id(space_id, old) for old in values.provenance]
    if noun == "journal" and values.noun in NAMED:
        update["record_id"] = renamed_id(space_id, values.record_id)
        update["before"], update["after"] = None, None  # the original's: a copy cannot go back to them
    if noun == "memory":
        update["source_ref"] = _renamed_in(space_id, values.source_ref)
    return record.model_copy(update=update)


def _renamed_in(space_id: str, value: Any) -> Any:
    """A value of a reference with the ids in it renamed; what is no id stays."""
    match value:
        case str():
            return renamed_id(space_id, value) if _is_id(value) else value
        case list():
            return [_renamed_in(space_id, item) for item in value]
        case dict():
            return {_renamed_in(space_id, name): _renamed_in(space_id, item) for name, item in value.items()}
        case _:
            return value


def _is_id(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
