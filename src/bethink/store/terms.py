"""The terms of entries as the two databases index them: FTS5, or a weighted tsvector.

A term is stored with its space's number in front. So a space's postings are its own: the cost and the
ranking of a search do not depend on what other spaces hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.store.driver import Tx

TERM_LIMIT = 20_000  # terms indexed of one record
MARK = "·"  # between the space's number and the term; no tokenizer splits at it
_POSITION_LIMIT, _PLACES_LIMIT, _BYTES_LIMIT = 16_383, 255, 1_000_000  # of a tsvector


def term_columns(tx: Tx, space_number: int, body: Sequence[str], context: Sequence[str]) -> dict[str, Any]:
    """What is indexed for a record: two texts for FTS5, one weighted tsvector for PostgreSQL."""
    prefix = f"{space_number}{MARK}"
    body, context = body[:TERM_LIMIT], context[:TERM_LIMIT]
    if tx.dialect == "sqlite":
        return {
            name: " ".join(prefix + term for term in said)
            for name, said in (("body", body), ("context", context))
        }
    places: dict[str, list[str]] = {}
    weighted = [(term, "A") for term in body] + [(term, "B") for term in context]
    for position, (term, weight) in enumerate(weighted, 1):
        places.setdefault(term, []).append(f"{min(position, _POSITION_LIMIT)}{weight}")
    lexemes, room = [], _BYTES_LIMIT
    for term, at in places.items():
        lexeme = f"'{prefix}{term}':{','.join(at[:_PLACES_LIMIT])}"
        room -= len(lexeme.encode())  # more than it takes once stored
        if room < 0:
            break
        lexemes.append(lexeme)
    return {"terms": " ".join(lexemes), "length": len(weighted)}


def put_terms(tx: Tx, rows: Sequence[dict[str, Any]]) -> None:
    """Index the terms of new or changed entries (SQLite; on PostgreSQL they are columns of the entry)."""
    tx.many("terms.put", rows)


def delete_terms(tx: Tx, ids: list[int]) -> None:
    tx.run("terms.delete", {"ids": ids})


def marked_term(space_number: int, term: str) -> str:
    """A term as it is stored for a space."""
    return f"{space_number}{MARK}{term}"
