"""Settings kept in the database: a space's own, or the server's under the empty space id."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from bethink.errors import Damaged
from bethink.store.damage import set_aside
from bethink.store.driver import Tx
from bethink.store.rows import micros, to_json

SERVER = ""
_DATABASE_ID = "database_id"


def get(tx: Tx, space_id: str, name: str) -> Any:
    row = tx.one("settings.get", {"space_id": space_id, "name": name})
    return value_of(name, row["value"]) if row else None


def put(tx: Tx, space_id: str, name: str, value: Any, now: datetime) -> None:
    values = {"space_id": space_id, "name": name, "value": to_json(value), "at": micros(now)}
    tx.run("settings.set", values)


def of_space(tx: Tx, space_id: str) -> dict[str, Any]:
    rows = tx.all("settings.of_space", {"space_id": space_id})
    found: dict[str, Any] = {}
    for row in rows:
        try:
            found[row["name"]] = value_of(row["name"], row["value"])
        except Damaged as error:
            set_aside(error)
    return found


def value_of(name: str, text: str) -> Any:
    """What the column of a setting holds."""
    try:
        return json.loads(text)
    except (ValueError, TypeError) as error:
        raise Damaged.of("setting", name, "its value cannot be read") from error


def remove(tx: Tx, space_id: str, name: str) -> None:
    tx.run("settings.remove", {"space_id": space_id, "name": name})


def database_id(tx: Tx, fresh: str, now: datetime) -> str:
    """What tells this database from others, whose vectors may be in the same store; `fresh` if it is new."""
    there = get(tx, SERVER, _DATABASE_ID)
    if there is None:
        put(tx, SERVER, _DATABASE_ID, fresh, now)
    return str(there or fresh)
