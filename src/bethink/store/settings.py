"""Settings kept in the database: a space's own, or the server's under the empty space id."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from bethink.store.columns import micros, to_json
from bethink.store.driver import Tx

SERVER = ""


def get(tx: Tx, space_id: str, name: str) -> Any:
    row = tx.one("settings.get", {"space_id": space_id, "name": name})
    return json.loads(row["value"]) if row else None


def put(tx: Tx, space_id: str, name: str, value: Any, now: datetime) -> None:
    values = {"space_id": space_id, "name": name, "value": to_json(value), "at": micros(now)}
    tx.run("settings.set", values)


def of_space(tx: Tx, space_id: str) -> dict[str, Any]:
    rows = tx.all("settings.of_space", {"space_id": space_id})
    return {row["name"]: json.loads(row["value"]) for row in rows}


def remove(tx: Tx, space_id: str, name: str) -> None:
    tx.run("settings.remove", {"space_id": space_id, "name": name})
