"""Records as rows: how columns hold their fields, the ids of the index, and records by their ids.

Times are microseconds, lists and objects sorted JSON, the rest is as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin

from bethink.errors import Damaged
from bethink.nouns import NOUNS
from bethink.records import Layer, Message, Record
from bethink.store.damage import set_aside
from bethink.store.driver import Tx

LAYER_CODES = NOUNS.codes
NUMBER_BITS = 28


def every_layer() -> list[Layer]:
    """Every layer there is."""
    return [Layer(name) for name in LAYER_CODES]


def id_range(space_number: int, layer: Layer | None = None) -> tuple[int, int]:
    """The lowest and the highest id that a space, or one layer of it, can use."""
    low = space_number << 32
    if layer is None:
        return low, low + (1 << 32) - 1
    low |= LAYER_CODES[layer] << NUMBER_BITS
    return low, low + (1 << NUMBER_BITS) - 1


def layer_code(entry_id: int) -> int:
    """Which layer an id belongs to, as in LAYER_CODES."""
    return entry_id >> NUMBER_BITS & 0xF


def id_ranges(space_number: int, layers: Iterable[Layer] | None) -> list[tuple[int, int]]:
    """The ranges to search for these layers; None is every layer, an empty choice is nothing."""
    if layers is None:
        return [id_range(space_number)]
    return [id_range(space_number, layer) for layer in sorted(set(layers))]


R = TypeVar("R", bound=Record)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NONE = type("_NONE", (), {})  # the type of nothing
_UNREADABLE = (ValueError, TypeError, OverflowError)  # what a column raises that holds what cannot be


def micros(value: datetime) -> int:
    """A time as microseconds since 1970 in UTC."""
    return (value - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The time a column of microseconds stands for."""
    return _EPOCH + timedelta(0, 0, value)  # by keyword it would take twice as long


def to_json(value: Any) -> str:
    """JSON with sorted keys, so that equal values are equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Table(Generic[R]):
    """Turns records of one kind into column values and rows back into records."""

    def __init__(self, record: type[R]) -> None:
        self._record = record
        kinds = {name: kind_of(field.annotation) for name, field in record.model_fields.items()}
        self._to_column = {name: _TO_COLUMN[kind] for name, kind in kinds.items() if kind in _TO_COLUMN}
        # A value of just this type is the field's value already; any other is converted, or refused.
        self._as_it_is = {name: kind if kind in _PLAIN else _NONE for name, kind in kinds.items()}
        self._to_field = {name: _to_field(kind) for name, kind in kinds.items()}

    def columns(self, record: R) -> dict[str, Any]:
        """The values of a record's columns."""
        return self.changed(record.__dict__)

    def changed(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The column values of some of a record's fields."""
        values = dict(fields)
        for name, convert in self._to_column.items():
            if values.get(name) is not None:
                values[name] = convert(values[name])
        return values

    def record(self, row: Mapping[str, Any]) -> R:
        """The record of a row; `Damaged` when a column holds what cannot be. The rest was checked before."""
        kinds, to_field = self._as_it_is, self._to_field
        try:
            values = {
                name: value if value is None or value.__class__ is kinds[name] else to_field[name](value)
                for name, value in row.items()
                if name in kinds
            }
        except _UNREADABLE as error:
            raise self._damaged(row) from error
        return self._record.made(**values)

    def records(self, rows: Iterable[Mapping[str, Any]]) -> list[R]:
        """The records of rows; a damaged one is set aside, which is logged."""
        return [record for record, _ in self.with_rows(rows)]

    def by(self, name: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, R]:
        """The same by the value of a column."""
        return {row[name]: record for record, row in self.with_rows(rows)}

    def with_rows(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[R, Mapping[str, Any]]]:
        """The same, each with its row."""
        for row in rows:
            try:
                record = self.record(row)
            except Damaged as error:
                set_aside(error)
            else:
                yield record, row

    def _damaged(self, row: Mapping[str, Any]) -> Damaged:
        """What is wrong with a row: the first column that cannot be read."""
        name = next(name for name in row if name in self._to_field and not self._is_readable(row, name))
        return Damaged.of(
            NOUNS.name_of(self._record), str(row.get("id") or row.get("name", "?")), f"{name} cannot be read"
        )

    def _is_readable(self, row: Mapping[str, Any], name: str) -> bool:
        value = row[name]
        try:
            if value is not None and value.__class__ is not self._as_it_is[name]:
                self._to_field[name](value)
        except _UNREADABLE:
            return False
        return True


def kind_of(annotation: Any) -> type:
    """The one type behind `X`, `X | None`, `Annotated[X, …]` or `list[X]`."""
    while (origin := get_origin(annotation)) not in (None, list, dict):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    return origin or annotation  # type: ignore[no-any-return]


def _from_json(text: str, kind: type) -> Any:
    """What a column of JSON holds; most hold nothing, and need no decoder."""
    if text in ("[]", "{}"):
        found: Any = [] if text == "[]" else {}
    else:
        found = json.loads(text)
    if not isinstance(found, kind):
        raise TypeError(f"{kind.__name__} expected")
    return found


def _refuse(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} found")


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else _refuse(value)


def _truth(value: Any) -> bool:
    return bool(value) if value in (0, 1) else _refuse(value)


_TO_COLUMN: dict[type, Callable[[Any], Any]] = {datetime: micros, list: to_json, dict: to_json}
_PLAIN = (str, int, float, bool)
_TO_FIELD: dict[type, Callable[[Any], Any]] = {
    datetime: moment,
    list: lambda text: _from_json(text, list),
    dict: lambda text: _from_json(text, dict),
    float: _number,
    bool: _truth,
}


def _to_field(kind: type) -> Callable[[Any], Any]:
    return kind if issubclass(kind, Enum) else _TO_FIELD.get(kind, _refuse)


Whole = dict[tuple[Layer, str], Record]  # records, by layer and id
_tables: dict[type[Record], Table[Any]] = {}


def table_of(record: type[Record]) -> Table[Any]:
    """What turns records of a kind into rows, and back."""
    if (found := _tables.get(record)) is None:
        found = _tables[record] = Table(record)
    return found


def add(tx: Tx, noun: str, records: Iterable[Record]) -> None:
    kind = NOUNS.by_name[noun].record
    marks = {
        "table": NOUNS.by_name[noun].table,
        "columns": ", ".join(kind.model_fields),
        "values": ", ".join(f":{name}" for name in kind.model_fields),
    }
    tx.many("rows.insert", map(table_of(kind).columns, records), **marks)


def update(tx: Tx, noun: str, record: Record) -> None:
    """Store all fields of a record that is there."""
    kind = NOUNS.by_name[noun].record
    changes = ", ".join(f"{name} = :{name}" for name in kind.model_fields if name not in ("id", "space_id"))
    values = table_of(kind).columns(record)
    tx.run("rows.update", values, table=NOUNS.by_name[noun].table, changes=changes)


def by_ids(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {}
    values, kind = {"space_id": space_id, "ids": list(ids)}, NOUNS.by_name[noun]
    return table_of(kind.record).by("id", tx.all("rows.by_ids", values, table=kind.table))


def delete(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> int:
    values = {"space_id": space_id, "ids": list(ids)}
    return tx.run("rows.delete", values, table=NOUNS.by_name[noun].table) if ids else 0


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
        return [one for one in named if isinstance(one, str)] if isinstance(named, list) else []


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
        for row in tx.tuples(
            "archive.known", {"space_id": space_id, "ids": ids}, table=NOUNS.by_name[layer].table
        )
    }


def without_entry(tx: Tx, space_id: str, layer: Layer, after: str, limit: int) -> list[str]:
    """The ids after one of a layer's records that the index does not know of, in their order."""
    values = {"space_id": space_id, "layer": layer, "after": after, "limit": limit}
    unless = NOUNS.indexed[layer].unless
    shown = f"AND {unless} IS NULL" if unless else ""
    rows = tx.tuples("rows.without_entry", values, table=NOUNS.by_name[layer].table, shown=shown)
    return [row[0] for row in rows]


def _by_layer(wanted: Iterable[tuple[Layer, str]]) -> dict[Layer, list[str]]:
    ids: dict[Layer, list[str]] = {}
    for layer, id_ in wanted:
        ids.setdefault(layer, []).append(id_)
    return ids
