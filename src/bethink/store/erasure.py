"""Deleting for good: rows, what is derived from them, and what else names them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.nouns import NOUNS
from bethink.records import Fact, Space
from bethink.store import changes
from bethink.store.driver import Tx
from bethink.store.entries import marked_term
from bethink.store.rows import id_range, to_json

INDEX = ("entries",)  # tables with rows of every noun; what hangs on these goes with them
TERMS_CHECKED = 20_000


def secure(tx: Tx) -> None:
    """From now on overwrite what is deleted, where the database can."""
    if tx.dialect == "sqlite":
        tx.run("erasure.secure")


def leaves_bytes(tx: Tx) -> None:
    """Note that the files are to be rid of what was deleted, where a client can do that."""
    if tx.dialect == "sqlite":
        tx.run("erasure.leaves_bytes")


def entry_ids(tx: Tx, space_id: str, record_ids: Sequence[str]) -> list[int]:
    """The entries of these records."""
    values = {"space_id": space_id, "record_ids": list(record_ids)}
    return [row[0] for row in tx.tuples("erasure.entry_ids", values)] if record_ids else []


def relink(tx: Tx, fact: Fact) -> None:
    """Store what a fact comes from and what superseded it, after some of that has gone."""
    values = {"space_id": fact.space_id, "id": fact.id, "superseded_by": fact.superseded_by}
    tx.run("erasure.relink", values | {"provenance": to_json(fact.provenance)})


def session(tx: Tx, space_id: str, session_id: str) -> int:
    return tx.run("erasure.session", {"space_id": space_id, "id": session_id})


def rename_session(tx: Tx, space_id: str, old: str, new: str) -> None:
    """Give a session another id, wherever it is named by it."""
    values = {"space_id": space_id, "old": old, "new": new}
    tx.run("erasure.copy_session", values)
    named = [(noun.table, one.field) for noun in NOUNS for one in noun.references if one.to == "session"]
    for table, column in (*named, ("entries", "session_id")):
        tx.run("erasure.move_session", values, table=table, column=column)
    session(tx, space_id, old)
    tx.run("erasure.rename_journalled_session", values)


def journal(tx: Tx, space_id: str, ids: Sequence[str]) -> int:
    """Delete lines of the journal."""
    return tx.run("erasure.journal", {"space_id": space_id, "ids": list(ids)}) if ids else 0


def blank(tx: Tx, space_id: str, ids: Sequence[str]) -> None:
    """Take the content out of lines of the journal; that something happened stays."""
    tx.many("erasure.blank", [{"space_id": space_id, "id": id_} for id_ in ids])


def extractions(tx: Tx, space_id: str, ids: Sequence[str]) -> None:
    """Take the reasons out of extractions; that they were tried stays."""
    tx.many("erasure.extractions", [{"space_id": space_id, "id": id_} for id_ in ids])


def derived(tx: Tx, space_id: str) -> None:
    """Drop what is made from records and kept in tables of its own; it is made anew when it is needed."""
    for table in (table for noun in NOUNS for table in noun.derived):
        tx.run("erasure.all", {"space_id": space_id}, table=table)


def everything(tx: Tx, space: Space) -> dict[str, int]:
    """Delete all that a space holds; how many rows of each table."""
    if tx.dialect == "sqlite":
        low, high = id_range(space.number)
        tx.run("erasure.drop_terms", {"low": low, "high": high})
        tx.run("erasure.drop_vectors", {"low": low, "high": high})
    changes.note_whole(tx, space.number)  # ids may be given again, and must not find what they stood for
    tables = (*INDEX, *reversed(_tables()))
    return {table: tx.run("erasure.all", {"space_id": space.id}, table=table) for table in tables}


def _tables() -> list[str]:
    """What of a space goes when all of it goes, those first that others refer to."""
    going = [noun for noun in NOUNS if noun.on_everything != "stays"]
    return [table for noun in going for table in (noun.table, *noun.derived, *noun.attached)]


def leftover_entries(tx: Tx, ids: Sequence[int]) -> list[tuple[str, int]]:
    """Where in the index something still stands under these ids."""
    rows = tx.tuples("erasure.leftover_entries", {"ids": list(ids)}) if ids else []
    return [(str(noun), int(id_)) for noun, id_ in rows]


def ghost_terms(tx: Tx, space_number: int, said: Sequence[str]) -> int:
    """How many of these terms the index still lists though no entry holds them."""
    if tx.dialect == "postgres":
        return 0  # terms are columns of the entries there
    ghosts = 0
    for term in said[:TERMS_CHECKED]:
        marked = marked_term(space_number, term)
        if tx.one("erasure.term_is_listed", {"term": marked}):
            ghosts += tx.one("erasure.term_is_held", {"match": f'"{marked}"'}) is None
    return ghosts


def terms_of_space(tx: Tx, space_number: int) -> int:
    """How many terms the index lists for a space."""
    if tx.dialect == "postgres":
        return 0
    low = marked_term(space_number, "")
    row = tx.one("erasure.terms_of_space", {"low": low, "high": low + "\U0010ffff"})
    return int(row["total"]) if row else 0
