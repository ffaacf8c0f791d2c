"""What ranking needs to know of a record: much less than the record, and much quicker to read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from bethink.errors import Damaged
from bethink.nouns import NOUNS
from bethink.records import Layer, Message
from bethink.store.columns import micros, moment
from bethink.store.damage import set_aside
from bethink.store.driver import Tx
from bethink.store.ids import layer_code


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
