"""Facts: versions of (person, category, key) → value, each update closing one; and which stand in prompts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bethink.records import Fact
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros, to_json

EVERY = 1_000_000  # more facts than anyone has
_table = Table(Fact)


def add(tx: Tx, fact: Fact) -> None:
    tx.run("facts.insert", _table.columns(fact.until(fact.valid_to) if fact.valid_to else fact))


def current(tx: Tx, space_id: str, person_id: str | None, category: str, key: str) -> Fact | None:
    row = tx.one("facts.current", _named(space_id, person_id, category, key))
    return _table.record(row) if row else None


def versions(tx: Tx, space_id: str, person_id: str | None, category: str, key: str) -> list[Fact]:
    """Every version, newest first."""
    rows = tx.all("facts.versions", _named(space_id, person_id, category, key))
    return _table.records(rows)


def list_current(
    tx: Tx,
    space_id: str,
    *,
    category: str | None = None,
    person_id: str | None = None,
    promoted: bool | None = None,
    now: datetime | None = None,
    limit: int,
) -> list[Fact]:
    """Current versions by category and key; with `now`, only those that have not expired by then."""
    where, values = _chosen(category, person_id, promoted)
    where += " AND valid_to IS NULL"
    if now is not None:
        where, values["now"] = where + " AND (expires_at IS NULL OR expires_at > :now)", micros(now)
    return _list(tx, space_id, where, values, limit)


def list_at(
    tx: Tx,
    space_id: str,
    at: datetime,
    *,
    category: str | None = None,
    person_id: str | None = None,
    promoted: bool | None = None,
    limit: int,
) -> list[Fact]:
    """The versions that held at a time, by category and key."""
    where, values = _chosen(category, person_id, promoted)
    where += (
        " AND valid_from <= :at AND (valid_to IS NULL OR valid_to > :at)"
        " AND (expires_at IS NULL OR expires_at > :at)"
    )
    return _list(tx, space_id, where, values | {"at": micros(at)}, limit)


def promoted(tx: Tx, space_id: str, now: datetime, limit: int) -> list[Fact]:
    """The promoted facts that hold, the surest first."""
    values = {"space_id": space_id, "now": micros(now), "limit": limit}
    return _table.records(tx.all("facts.promoted", values))


def dropped_at(tx: Tx, space_id: str, person_id: str, at: datetime) -> list[Fact]:
    """The facts about a person that ended at this very time, with none in their place."""
    values = {"space_id": space_id, "person_id": person_id, "at": micros(at)}
    return _table.records(tx.all("facts.dropped_at", values))


def by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Fact]:
    rows = tx.all("facts.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _table.by("id", rows)


def superseded_by(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, str]:
    """The value that each of these versions took the place of, by its id."""
    rows = tx.all("facts.superseded_by", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return {row["superseded_by"]: row["value"] for row in rows}


def close(tx: Tx, fact: Fact, at: datetime, superseded_by: str | None) -> None:
    """End a version: it was true until `at`."""
    ended = fact.until(at).model_copy(update={"superseded_by": superseded_by})
    tx.run("facts.close", _table.columns(ended))


def assess(tx: Tx, fact: Fact) -> None:
    """Store when the value was last seen, how sure it is, and whether it is one of the promoted facts."""
    tx.run("facts.assess", _table.columns(fact))


def expired(tx: Tx, space_id: str, now: datetime, limit: int) -> list[Fact]:
    """Current versions whose time is over."""
    values = {"space_id": space_id, "now": micros(now), "limit": limit}
    return _table.records(tx.all("facts.expired", values))


def count_expired(tx: Tx, space_id: str, now: datetime) -> int:
    row = tx.one("facts.count_expired", {"space_id": space_id, "now": micros(now)})
    return int(row["total"]) if row else 0


def _chosen(category: str | None, person_id: str | None, promoted: bool | None) -> tuple[str, dict[str, Any]]:
    given = {"category": category, "person_id": person_id}
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    where = "".join(f" AND {name} = :{name}" for name in values)
    if promoted is not None:
        where += " AND promoted" if promoted else " AND NOT promoted"
    return where, values


def _list(tx: Tx, space_id: str, where: str, values: dict[str, Any], limit: int) -> list[Fact]:
    values |= {"space_id": space_id, "limit": limit}
    return _table.records(tx.all("facts.of_space", values, where=where))


def _named(space_id: str, person_id: str | None, category: str, key: str) -> dict[str, Any]:
    return {"space_id": space_id, "person_id": person_id or "", "category": category, "key": key}


def revision(tx: Tx, space_id: str) -> tuple[int, str]:
    """How many facts are current, and a name for this state of the facts: it changes when a fact does."""
    row = tx.one("standing.revision", {"space_id": space_id}) or {}
    versions, closed = int(row["versions"]), int(row["closed"])
    return versions - closed, f"{versions}:{closed}:{row['last']}"


def standing(tx: Tx, space_id: str, revision: str) -> list[str] | None:
    """The facts chosen for this state; None when none were."""
    row = tx.one("standing.get", {"space_id": space_id})
    return json.loads(row["fact_ids"]) if row and row["revision"] == revision else None


def keep_standing(tx: Tx, space_id: str, revision: str, fact_ids: Sequence[str]) -> None:
    """Keep a choice, unless one for the same state is kept already."""
    values = {"space_id": space_id, "revision": revision, "fact_ids": to_json(list(fact_ids))}
    tx.run("standing.put", values)
