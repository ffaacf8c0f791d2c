"""Contexts: texts that are given to conversations."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.records import Context
from bethink.store.driver import Tx
from bethink.store.rows import Table

_table = Table(Context)


def add(tx: Tx, context: Context) -> None:
    tx.run("contexts.insert", _table.columns(context))


def update(tx: Tx, context: Context) -> None:
    tx.run("contexts.update", _table.columns(context))


def by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Context]:
    rows = tx.all("contexts.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _table.by("id", rows)


def list_all(tx: Tx, space_id: str) -> list[Context]:
    """Every context of a space, in the order they came."""
    return _table.records(tx.all("contexts.of_space", {"space_id": space_id}))


def delete(tx: Tx, space_id: str, context_id: str) -> bool:
    return tx.run("contexts.delete", {"space_id": space_id, "id": context_id}) > 0
