"""Filters over values, as several frameworks write them: equal, or compared by `$gt` and the like. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from bethink.errors import InvalidInput

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def matches(value: Any, wanted: Mapping[str, Any] | None) -> bool:
    """Whether every field that is named is as it should be."""
    return all(
        _is_so(value.get(name) if isinstance(value, Mapping) else None, condition)
        for name, condition in (wanted or {}).items()
    )


def _is_so(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == (list(wanted) if isinstance(wanted, tuple) else wanted))
    if any(str(name).startswith("$") for name in wanted):
        return all(_compared(value, name, other) for name, other in wanted.items())
    return matches(value, wanted)


def _compared(value: Any, name: str, other: Any) -> bool:
    if name not in _COMPARED:
        raise InvalidInput(
            f"filter: {name!r} is not known; known are {', '.join(_COMPARED)}.", field="filter"
        )
    try:
        return bool(_COMPARED[name](value, other))
    except TypeError:
        return False  # of different kinds: neither is more
