"""The archive's lines: canonical JSON, so that equal records are equal bytes on either database. Pure."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from bethink.nouns import NOUNS
from bethink.records import JournalEntry, Json, Record, Space, Utc

FORMAT, VERSION = "bethink", 1


class ArchivedSpace(Record):
    """A space without what ties it to one database: its id, its number and its name."""

    display_name: str
    mode: str
    timezone: str
    locale: str
    settings: Json
    created_at: Utc
    updated_at: Utc

    @classmethod
    def of(cls, space: Space) -> ArchivedSpace:
        return cls(**{name: getattr(space, name) for name in cls.model_fields})


def order() -> tuple[str, ...]:
    """The nouns of an archive, in the order of its lines: none refers to one that comes after it."""
    return ("space", *NOUNS.archived)


def kind_of(noun: str) -> type[Record] | None:
    """The model of a noun's records; None for a noun that is not known."""
    if noun == "space":
        return ArchivedSpace
    return NOUNS.by_name[noun].record if noun in NOUNS.archived else None


def header(counts: dict[str, int]) -> bytes:
    return encoded({"format": FORMAT, "version": VERSION, "counts": counts})


def line_of(noun: str, record: Record) -> bytes:
    archived = NOUNS.archived.get(noun)
    local = archived.local if archived else ()
    values = record.model_dump(mode="json", by_alias=True, exclude={"space_id", *local})
    if isinstance(record, JournalEntry):  # as it is stored; whoever imports it knows that it is imported
        values |= {"before": record.before, "after": record.after}
        del values["imported"]
    return encoded({"noun": noun, "record": values})


def encoded(value: Any) -> bytes:
    text = json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"


def _plain(value: Any) -> Any:
    """Numbers as both databases give them back: PostgreSQL keeps no exponents and no negative zero."""
    match value:
        case dict():
            return {name: _plain(item) for name, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case float():
            if value == 0:
                return 0.0
            return int(Decimal(repr(value))) if "e+" in repr(value) else value
        case _:
            return value
