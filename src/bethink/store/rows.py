"""Records by their ids: whole, or in short, as much as ranking needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from bethink.errors import Damaged
from bethink.nouns import NOUNS
from bethink.records import Layer, Message, Record
from bethink.store.columns import Table, layer_code, micros, moment
from bethink.store.damage import set_aside
from bethink.store.driver import Tx

Whole = dict[tuple[Layer, str], Record]  # records, by layer and id
_tables: dict[type[Record], Table[Any]] = {}


def table_of(record: type[Record]) -> Table[Any]:
    """What turns records of a kind into rows, and back."""
    if (found := _tables.get(record)) is None:
        found = _tables[record] = Table(record)
    return found


def add(tx: Tx, noun: str, records: Iterable[Record]) -> None:
    kind = NOUNS[noun].record
    marks = {
        "table": NOUNS[noun].table,
        "columns": ", ".join(kind.model_fields),
        "values": ", ".join(f":{name}" for name in kind.model_fields),
    }
    tx.many("rows.insert", map(table_of(kind).columns, records), **marks)


def update(tx: Tx, noun: str, record: Record) -> None:
    """Store all fields of a record that is there."""
    kind = NOUNS[noun].record
    changes = ", ".join(f"{name} = :{name}" for name in kind.model_fields if name not in ("id", "space_id"))
    values = table_of(kind).columns(record)
    tx.run("rows.update", values, table=NOUNS[noun].table, changes=changes)


def by_ids(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {}
    values, kind = {"space_id": space_id, "ids": list(ids)}, NOUNS[noun]
    return table_of(kind.record).by("id", tx.all("rows.by_ids", values, table=kind.table))


def delete(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> int:
    values = {"space_id": space_id, "ids": list(ids)}
    return tx.run("rows.delete", values, table=NOUNS[noun].table) if ids else 0


class Brief(NamedTuple):
    """A record in short. `speaker`, `session_id` and `position` are those of a message."""

    layer: Layer
    id: str
    text: str
    observed_at: datetime
    pinned: bool = False
    mentioned_at: str | None = None  # packed
    person_id: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    position: int | None = None
    came_from: str | None = None  # JSON of where a memory or a fact was taken from

    @property
    def sources(self) -> list[str]:
        """The messages that a memory or a fact was taken from."""
        try:
            found = json.loads(self.came_from) if self.came_from else []
        except ValueError:
            return []  # damaged: the record itself is set aside where it is read
        named = found.get("messages") if isinstance(found, dict) else found
        return named if isinstance(named, list) else []


def by_entries(tx: Tx, space_id: str, ids: Sequence[int], now: datetime) -> dict[int, Brief]:
    """The records behind entries that still hold at `now`, by the entry's id."""
    chosen: dict[int, list[int]] = {}
    for id_ in ids:
        chosen.setdefault(layer_code(id_), []).append(id_)
    found: dict[int, Brief] = {}
    for code, of_layer in chosen.items():
        name = NOUNS.by_code[code]
        layer, query = Layer(name), NOUNS.indexed[name].brief
        values = {"space_id": space_id, "ids": of_layer, "now": micros(now)}
        for id_, record_id, text, observed_at, pinned, *rest in tx.tuples(query, values):
            try:
                found[id_] = Brief(layer, record_id, text, moment(observed_at), bool(pinned), *rest)
            except (TypeError, OverflowError):
                set_aside(Damaged.of(layer.value, record_id, "its time cannot be read"))
    return found


def brief_of(message: Message) -> Brief:
    """A message in short."""
    return Brief(
        Layer.MESSAGE,
        message.id,
        message.content,
        message.sent_at,
        message.pinned,
        None,
        message.person_id,
        message.name,
        message.session_id,
        message.position,
    )


def records(tx: Tx, space_id: str, wanted: Iterable[tuple[Layer, str]]) -> Whole:
    """The records behind entries, by layer and id; without those that are damaged."""
    return {
        (layer, id_): record
        for layer, of_layer in _by_layer(wanted).items()
        for id_, record in by_ids(tx, space_id, layer, of_layer).items()
    }


def present(tx: Tx, space_id: str, wanted: Iterable[tuple[Layer, str]]) -> set[tuple[Layer, str]]:
    """Behind which entries there is a row, whether or not it can be read."""
    return {
        (layer, row[0])
        for layer, ids in _by_layer(wanted).items()
        for row in tx.tuples("archive.known", {"space_id": space_id, "ids": ids}, table=NOUNS[layer].table)
    }


def without_entry(tx: Tx, space_id: str, layer: Layer, after: str, limit: int) -> list[str]:
    """The ids after one of a layer's records that the index does not know of, in their order."""
    values = {"space_id": space_id, "layer": layer, "after": after, "limit": limit}
    return [row[0] for row in tx.tuples("rows.without_entry", values, table=NOUNS[layer].table)]


def _by_layer(wanted: Iterable[tuple[Layer, str]]) -> dict[Layer, list[str]]:
    ids: dict[Layer, list[str]] = {}
    for layer, id_ in wanted:
        ids.setdefault(layer, []).append(id_)
    return ids
