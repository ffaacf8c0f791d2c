"""Deleting for good: rows, what is derived from them, and what else names them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.records import Fact, Space
from bethink.store import terms
from bethink.store.columns import to_json
from bethink.store.driver import Tx
from bethink.store.ids import id_range

# What of a space goes when all of it goes, in the order that the references between them allow.
TABLES = ("standing", "entries", "facts", "memories", "messages", "extractions", "sessions", "contexts",
          "devices", "persons", "texts", "settings", "runs", "journal")  # fmt: skip
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


def messages(tx: Tx, space_id: str, ids: Sequence[str]) -> int:
    return tx.run("erasure.messages", {"space_id": space_id, "ids": list(ids)}) if ids else 0


def facts(tx: Tx, space_id: str, ids: Sequence[str]) -> int:
    """Delete versions of facts."""
    return tx.run("erasure.facts", {"space_id": space_id, "ids": list(ids)}) if ids else 0


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
    for table in ("messages", "memories", "extractions", "entries"):
        tx.run("erasure.move_session", values, table=table)
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


def standing(tx: Tx, space_id: str) -> None:
    """Drop the choice of facts for the prompt; it is made anew when it is needed."""
    tx.run("erasure.standing", {"space_id": space_id})


def everything(tx: Tx, space: Space) -> dict[str, int]:
    """Delete all that a space holds; how many rows of each table."""
    if tx.dialect == "sqlite":
        low, high = id_range(space.number)
        tx.run("erasure.drop_terms", {"low": low, "high": high})
        tx.run("erasure.drop_vectors", {"low": low, "high": high})
    return {table: tx.run("erasure.all", {"space_id": space.id}, table=table) for table in TABLES}


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
        marked = terms.marked(space_number, term)
        if tx.one("erasure.term_is_listed", {"term": marked}):
            ghosts += tx.one("erasure.term_is_held", {"match": f'"{marked}"'}) is None
    return ghosts


def terms_of_space(tx: Tx, space_number: int) -> int:
    """How many terms the index lists for a space."""
    if tx.dialect == "postgres":
        return 0
    low = terms.marked(space_number, "")
    row = tx.one("erasure.terms_of_space", {"low": low, "high": low + "\U0010ffff"})
    return int(row["total"]) if row else 0
