"""Prove that something is gone: look for its texts and ids in every table and in the index."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from bethink.erasure.erase import Erased
from bethink.nouns import NOUNS
from bethink.records import Space
from bethink.shapes.rights import Place, Proof
from bethink.store import Tx, erasure, survey

PLACES_SHOWN = 100
_OTHERS = {"migrations", "leases"}  # tables of no noun that may have rows afterwards


@dataclass(frozen=True)
class _Tables:
    """What each table may hold afterwards."""

    own: Mapping[str, str]  # nouns whose texts stand in their own right, by table
    kept: Set[str]  # that may have rows when all was erased


def _tables() -> _Tables:
    own = {noun.table: noun.name for noun in NOUNS if noun.own_words}
    kept = {noun.table for noun in NOUNS if noun.on_everything != "goes"}
    return _Tables(own, kept | _OTHERS)


def prove(tx: Tx, space: Space, erased: Erased) -> Proof:
    """What is left of an erasure, in every row of the space and of the tables that know no spaces."""
    proof = Proof(
        tables=0,
        rows=0,
        texts=erased.traces.texts,
        ids=len(erased.traces.ids),
        ids_found=[],
        texts_found=[],
        terms_found=erasure.ghost_terms(tx, space.number, erased.terms),
        elsewhere=[],
    )
    proof.ids_found += [
        Place(noun=noun, id=str(id_)) for noun, id_ in erasure.leftover_entries(tx, erased.entry_ids)
    ]
    tables = _tables()
    for table, columns in survey.columns(tx).items():
        proof.tables += 1
        for row in survey.rows(tx, space.id, table, columns):
            proof.rows += 1
            _look(tables, table, row, erased, proof)
    if erased.whole_space:
        proof.terms_found += erasure.terms_of_space(tx, space.number)
    return proof


def _look(tables: _Tables, table: str, row: dict[str, object], erased: Erased, proof: Proof) -> None:
    noun = tables.own.get(table)
    if erased.whole_space and table not in tables.kept and "space_id" in row:
        _add(proof.ids_found, noun or table, row, None)
        return
    for column, value in row.items():
        if not isinstance(value, str) or not value:
            continue
        if erased.traces.id_in(value):
            _add(proof.ids_found, noun or table, row, column)
        elif erased.traces.text_in(value):
            _add(proof.elsewhere if noun else proof.texts_found, noun or table, row, column)


def _add(places: list[Place], noun: str, row: dict[str, object], column: str | None) -> None:
    if len(places) < PLACES_SHOWN:
        id_ = str(row.get("id") or row.get("name") or "")
        places.append(Place(noun=noun, id=id_, field=column))
