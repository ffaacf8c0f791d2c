"""Which facts stand in the prompt of a space that has more of them than fit."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bethink.store.columns import to_json
from bethink.store.driver import Tx


def count(tx: Tx, space_id: str) -> tuple[int, str]:
    """How many facts are current, and a name for this state of the facts: it changes when a fact does."""
    row = tx.one("standing.revision", {"space_id": space_id}) or {}
    versions, closed = int(row["versions"]), int(row["closed"])
    return versions - closed, f"{versions}:{closed}:{row['last']}"


def get(tx: Tx, space_id: str, revision: str) -> list[str] | None:
    """The facts chosen for this state; None when none were."""
    row = tx.one("standing.get", {"space_id": space_id})
    return json.loads(row["fact_ids"]) if row and row["revision"] == revision else None


def put(tx: Tx, space_id: str, revision: str, fact_ids: Sequence[str]) -> None:
    """Keep a choice, unless one for the same state is kept already."""
    values = {"space_id": space_id, "revision": revision, "fact_ids": to_json(list(fact_ids))}
    tx.run("standing.put", values)
