"""Ids for a copy of a space in the same database, where an id is given only once. Pure.

The same record gets the same new id each time, so importing a copy again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

from bethink.nouns import NOUNS
from bethink.records import Record
from bethink.store.archive import has_own_ids
from bethink.text.traces import strings_in


def named_ids(noun: str, record: Record) -> Iterator[tuple[str, list[str]]]:
    """The id of a record and those it refers to, with what they may be ids of.

    Where an archive must hold what is named, the line of that is looked at itself.
    """
    values: Any = record
    if has_own_ids(noun):
        yield noun, [values.id]
    for reference in NOUNS.by_name[noun].references if noun in NOUNS.archived else ():
        if reference.to is not None and reference.required:
            continue
        ids = _ids_in(getattr(values, reference.field))
        for other in NOUNS.indexed if reference.to is None else (reference.to,):
            if ids and has_own_ids(other):
                yield other, ids


def _ids_in(value: Any) -> list[str]:
    found = list(strings_in(value))
    return [text for text in found if _is_id(text)] if isinstance(value, dict) else found


def renamed_id(space_id: str, old: str) -> str:
    """The id of a record's copy in a space."""
    digest = bytearray(sha256(f"{space_id}\0{old}".encode()).digest()[:16])
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80  # UUID version 8: made by rule
    return str(UUID(bytes=bytes(digest)))


def renamed(space_id: str, noun: str, record: Record) -> Record:
    """A record as its copy: its own id and those of the records it refers to are those of the copies."""
    update: dict[str, Any] = {}
    values: Any = record
    if has_own_ids(noun):
        update["id"] = renamed_id(space_id, values.id)
    for reference in NOUNS.by_name[noun].references if noun in NOUNS.archived else ():
        if reference.to is None or has_own_ids(reference.to):
            update[reference.field] = _renamed_in(space_id, getattr(values, reference.field))
    if noun == "journal" and has_own_ids(values.noun):
        update["record_id"] = renamed_id(space_id, values.record_id)
        update["before"], update["after"] = None, None  # the original's: a copy cannot go back to them
    return record.model_copy(update=update)


def _renamed_in(space_id: str, value: Any) -> Any:
    """The value of a reference with its ids renamed; in an object, what is no id stays."""
    match value:
        case str() if value:
            return renamed_id(space_id, value)
        case list():
            return [_renamed_in(space_id, item) for item in value]
        case dict():
            return _renamed_in_object(space_id, value)
        case _:
            return value


def _renamed_in_object(space_id: str, value: Any) -> Any:
    def rename(part: Any) -> Any:
        return _renamed_in_object(space_id, part)

    match value:
        case str():
            return renamed_id(space_id, value) if _is_id(value) else value
        case list():
            return [rename(item) for item in value]
        case dict():
            return {rename(name): rename(item) for name, item in value.items()}
        case _:
            return value


def _is_id(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
