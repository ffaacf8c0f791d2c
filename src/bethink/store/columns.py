"""How records look as rows: times as microseconds, lists and objects as sorted JSON, the rest as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Generic, TypeVar, get_args, get_origin

from bethink.records import Record

R = TypeVar("R", bound=Record)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(value: datetime) -> int:
    """A time as microseconds since 1970 in UTC."""
    return (value - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The time a column of microseconds stands for."""
    return _EPOCH + timedelta(microseconds=value)


def to_json(value: Any) -> str:
    """JSON with sorted keys, so that equal values are equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Table(Generic[R]):
    """Turns records of one kind into column values and rows back into records."""

    def __init__(self, record: type[R]) -> None:
        self._record = record
        kinds = {name: _kind(field.annotation) for name, field in record.model_fields.items()}
        self._to_column = {name: _TO_COLUMN[kind] for name, kind in kinds.items() if kind in _TO_COLUMN}
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
        """The record of a row. What the store holds was validated on the way in, so not again."""
        fields = self._to_field
        values = {
            name: value if value is None or (convert := fields[name]) is None else convert(value)
            for name, value in row.items()
            if name in fields
        }
        return self._record.made(**values)


def _kind(annotation: Any) -> type:
    """The one type behind `X`, `X | None`, `Annotated[X, …]` or `list[X]`."""
    while (origin := get_origin(annotation)) not in (None, list, dict):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    return origin or annotation  # type: ignore[no-any-return]


def _from_json(text: str) -> Any:
    """What a column of JSON holds; most hold nothing, and need no decoder."""
    return [] if text == "[]" else {} if text == "{}" else json.loads(text)


_TO_COLUMN: dict[type, Callable[[Any], Any]] = {datetime: micros, list: to_json, dict: to_json}
_TO_FIELD: dict[type, Callable[[Any], Any]] = {datetime: moment, list: _from_json, dict: _from_json}


def _to_field(kind: type) -> Callable[[Any], Any] | None:
    if issubclass(kind, Enum) or kind is bool:
        return kind
    return _TO_FIELD.get(kind)
