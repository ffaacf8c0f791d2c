"""Persons: who lives in a space."""

from __future__ import annotations

from recollect.records import Person
from recollect.store.columns import Table
from recollect.store.driver import Tx

_table = Table(Person)


def add(tx: Tx, person: Person) -> None:
    tx.run("persons.insert", _table.columns(person))


def find(tx: Tx, space_id: str, person_id: str) -> Person | None:
    row = tx.one("persons.by_id", {"space_id": space_id, "id": person_id})
    return _table.record(row) if row else None


def list_all(tx: Tx, space_id: str) -> list[Person]:
    return [_table.record(row) for row in tx.all("persons.of_space", {"space_id": space_id})]


def delete(tx: Tx, space_id: str, person_id: str) -> bool:
    return tx.run("persons.delete", {"space_id": space_id, "id": person_id}) > 0
