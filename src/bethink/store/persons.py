"""Persons: who lives in a space, and who has left it."""

from __future__ import annotations

from bethink.records import Person
from bethink.store.driver import Tx
from bethink.store.rows import Table

_table = Table(Person)


def add(tx: Tx, person: Person) -> None:
    tx.run("persons.insert", _table.columns(person))


def update(tx: Tx, person: Person) -> None:
    tx.run("persons.update", _table.columns(person))


def find(tx: Tx, space_id: str, person_id: str) -> Person | None:
    """A person by id, whether they live in the space or have left it."""
    row = tx.one("persons.by_id", {"space_id": space_id, "id": person_id})
    return _table.record(row) if row else None


def list_all(tx: Tx, space_id: str) -> list[Person]:
    """Who lives in the space, in the order they came."""
    return _table.records(tx.all("persons.of_space", {"space_id": space_id}))


def everyone(tx: Tx, space_id: str) -> list[Person]:
    """Everyone the space has known, those who have left it too."""
    return _table.records(tx.all("persons.everyone", {"space_id": space_id}))


def delete(tx: Tx, space_id: str, person_id: str) -> bool:
    """Remove a person's row and every fact about them for good; who only leaves is marked instead."""
    return tx.run("persons.delete", {"space_id": space_id, "id": person_id}) > 0
