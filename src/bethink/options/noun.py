"""What is chosen for a space, as the rest of the system has to know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.contracts import Archived, Noun, Taking
from bethink.options.undo import revert_options
from bethink.records import Record, Utc
from bethink.store import settings
from bethink.store.driver import Row
from bethink.store.rows import Table


class Setting(Record):
    """A setting of a space as it is stored."""

    name: str
    value: Any
    updated_at: Utc


_TABLE = Table(Setting)  # but for the value, which may be of any kind


def _read(row: Row) -> Setting:
    value = settings.value_of(row["name"], row["value"])
    known = _TABLE.record({name: row[name] for name in ("name", "updated_at")})
    return known.model_copy(update={"value": value})


def _take(taking: Taking, records: Sequence[Setting]) -> int:
    known = settings.of_space(taking.tx, taking.space.id)
    fresh = [record for record in records if record.name not in known]
    for record in fresh:
        settings.put(taking.tx, taking.space.id, record.name, record.value, record.updated_at)
    return len(fresh)


SETTING = Noun(
    "setting",
    Setting,
    "settings",
    ids="space",
    archived=Archived(query="archive.settings", order=("name",), read=_read, long=("value",), take=_take),
    journalled_as=("options",),
    ways={"updated": revert_options},
)
