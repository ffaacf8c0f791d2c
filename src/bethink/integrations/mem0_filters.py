"""mem0's filters over the metadata of a memory, and whose memories they name. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bethink.errors import InvalidInput

OWNERS = ("user_id", "agent_id", "run_id")
_ANY = "*"  # any value, and none

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda value, listed: value in listed,
    "nin": lambda value, listed: value not in listed,
    "contains": lambda value, part: part in value,
    "icontains": lambda value, part: str(part).casefold() in str(value).casefold(),
}


def owner_id(name: str, value: Any) -> str | None:
    """A user's, an agent's or a run's id as a text; programs often have numbers."""
    if value is None:
        return None
    text = str(value).strip()
    if not text or any(sign.isspace() for sign in text):
        raise InvalidInput(f"{name}: must be a text without spaces in it.", field=name)
    return text


def owners_in(filters: Mapping[str, Any]) -> dict[str, str]:
    """The user, the agent and the run that every record must belong to."""
    found: dict[str, str] = {}
    for part in [filters, *_parts(filters, "AND")]:
        for name in OWNERS:
            value = part.get(name)
            value = value.get("eq") if isinstance(value, Mapping) else value
            if value is not None and value != _ANY and (text := owner_id(name, value)):
                found[name] = text
    return found


def holds(fields: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a memory with these fields is meant."""
    return all(_is_so(fields, name, wanted, filters) for name, wanted in filters.items())


def _is_so(fields: Mapping[str, Any], name: str, wanted: Any, filters: Mapping[str, Any]) -> bool:
    match name:
        case "AND":
            return all(holds(fields, part) for part in _parts(filters, name))
        case "OR":
            return any(holds(fields, part) for part in _parts(filters, name))
        case "NOT":
            return not any(holds(fields, part) for part in _parts(filters, name))
    value = fields.get(name)
    if wanted == _ANY:
        return True
    if name in OWNERS and not isinstance(wanted, Mapping):
        return bool(value == owner_id(name, wanted))
    if isinstance(wanted, Mapping):
        return all(_compared(value, sign, other) for sign, other in wanted.items())
    return bool(value == wanted)


def _compared(value: Any, sign: str, other: Any) -> bool:
    if sign not in _OPERATORS:
        raise InvalidInput(
            f"filters: {sign!r} is not known; known are {', '.join(_OPERATORS)}, and AND, OR and NOT around"
            " lists of filters.",
            field="filters",
        )
    if value is None:
        return False  # where the field is not there, neither it nor its opposite holds
    try:
        return bool(_OPERATORS[sign](value, other))
    except TypeError:
        return False  # of different kinds: neither is more, and neither is in the other


def _parts(filters: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    """The filters that AND, OR or NOT stands for."""
    parts = filters.get(name, ())
    listed = isinstance(parts, list | tuple) and all(isinstance(part, Mapping) for part in parts)
    if not listed or (name in filters and not parts):
        raise InvalidInput(f"filters: {name} takes a list of filters, which is not empty.", field="filters")
    found: Sequence[Mapping[str, Any]] = parts
    return found
