"""Prove that something is gone: look for its texts and ids in every table and in the index."""

from __future__ import annotations

from bethink.erasure.erase import Erased
from bethink.records import Space
from bethink.shapes.rights import Place, Proof
from bethink.store import Tx, erasure, survey

PLACES_SHOWN = 100
# What people and programs write there stands in its own right; all other tables hold only what tells of it.
_OWN = {
    "memories": "memory", "messages": "message", "facts": "fact", "persons": "person", "texts": "text",
    "sessions": "session", "contexts": "context", "devices": "device", "spaces": "space",
    "settings": "setting",
}  # fmt: skip
_KEPT = {
    "spaces",
    "persons",
    "keys",
    "migrations",
    "leases",
    "journal",
    "runs",  # those of sweeps that ended since, in numbers
}  # tables that may have rows afterwards


def prove(tx: Tx, space: Space, erased: Erased) -> Proof:
    """What is left of an erasure, in every row of the space and of the tables that know no spaces."""
    proof = Proof(
        tables=0,
        rows=0,
        texts=erased.needles.texts,
        ids=len(erased.needles.ids),
        ids_found=[],
        texts_found=[],
        terms_found=erasure.ghost_terms(tx, space.number, erased.terms),
        elsewhere=[],
    )
    proof.ids_found += [
        Place(noun=noun, id=str(id_)) for noun, id_ in erasure.leftover_entries(tx, erased.entry_ids)
    ]
    for table, columns in survey.columns(tx).items():
        proof.tables += 1
        for row in survey.rows(tx, space.id, table, columns):
            proof.rows += 1
            _look(table, row, erased, proof)
    if erased.whole_space:
        proof.terms_found += erasure.terms_of_space(tx, space.number)
    return proof


def _look(table: str, row: dict[str, object], erased: Erased, proof: Proof) -> None:
    if erased.whole_space and table not in _KEPT and "space_id" in row:
        _add(proof.ids_found, table, row, None)
        return
    for column, value in row.items():
        if not isinstance(value, str) or not value:
            continue
        if erased.needles.id_in(value):
            _add(proof.ids_found, table, row, column)
        elif erased.needles.text_in(value):
            _add(proof.elsewhere if table in _OWN else proof.texts_found, table, row, column)


def _add(places: list[Place], table: str, row: dict[str, object], column: str | None) -> None:
    if len(places) < PLACES_SHOWN:
        id_ = str(row.get("id") or row.get("name") or "")
        places.append(Place(noun=_OWN.get(table, table), id=id_, field=column))
