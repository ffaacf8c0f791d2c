"""What an index that lives elsewhere keeps beside a vector, and what a search asks of it.

Such an index knows numbers and words and no missing values: what is missing is told by a value of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from bethink.contracts import VectorEntry, VectorQuery
from bethink.store.rows import micros

FILTERS = frozenset({
    "layers", "person_ids", "session_ids", "since", "until", "as_of", "alive_at", "now",
})  # fmt: skip
NOBODY = ""
FOREVER = (1 << 53) - 1  # in the year 2255; a greater number is not told exactly by every index


class Condition(NamedTuple):
    """What a field of an entry has to be."""

    field: str
    is_: Literal["in", "<", "<=", ">", ">="]
    value: int | Sequence[str]


def payload(entry: VectorEntry) -> dict[str, str | int]:
    """What is kept beside the vector of an entry."""
    return {
        "layer": entry.layer.value,
        "person_id": entry.person_id or NOBODY,
        "session_id": entry.session_id or NOBODY,
        "observed_at": micros(entry.observed_at),
        "expires_at": FOREVER if entry.expires_at is None else min(micros(entry.expires_at), FOREVER),
    }


def conditions(query: VectorQuery) -> list[Condition] | None:
    """What an entry must be to be found; None where nothing can be, since a list is empty."""
    chosen, found = query.chosen, list[Condition]()
    lists: dict[str, Sequence[str] | None] = {
        "layer": chosen.layers,
        "person_id": chosen.person_ids,
        "session_id": chosen.session_ids,
    }
    for field, values in lists.items():
        if values is not None:
            wanted = [str(value) for value in values if value != NOBODY]
            if not wanted:
                return None
            found.append(Condition(field, "in", wanted))
    if query.allowed is not None and not query.allowed:
        return None
    if chosen.since is not None:
        found.append(Condition("observed_at", ">=", micros(chosen.since)))
    if chosen.until is not None:
        found.append(Condition("observed_at", "<", micros(chosen.until)))
    if chosen.as_of is not None:
        found.append(Condition("observed_at", "<=", micros(chosen.as_of)))
    alive_at = query.now if chosen.alive_at is None else max(query.now, chosen.alive_at)
    if query.allowed is None:
        found.append(Condition("expires_at", ">", min(micros(alive_at), FOREVER - 1)))
    return found
