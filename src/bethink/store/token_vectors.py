"""Token vectors of entries, for late interaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bethink.store.driver import Tx


def put(tx: Tx, signature: str, made: Iterable[tuple[int, str, bytes]]) -> None:
    """Store what was made for (entry id, fingerprint); not for a text that has changed meanwhile."""
    for entry_id, fingerprint, data in made:
        values = {"id": entry_id, "fingerprint": fingerprint, "signature": signature}
        if tx.run("token_vectors.sign", values):
            tx.run("token_vectors.put", {"id": entry_id, "data": data})


def load(tx: Tx, ids: Sequence[int], signature: str) -> dict[int, bytes]:
    """The token vectors of these entries that have this signature."""
    values = {"ids": list(ids), "signature": signature}
    return {id_: bytes(data) for id_, data in tx.tuples("token_vectors.of_ids", values)} if ids else {}


def neighbours(tx: Tx, space_id: str, ids: Sequence[int]) -> dict[int, list[int]]:
    """For each message among these entries, the entries of the messages just before and after it."""
    found: dict[int, list[int]] = {}
    if ids:
        for id_, near in tx.tuples("token_vectors.neighbours", {"space_id": space_id, "ids": list(ids)}):
            found.setdefault(id_, []).append(near)
    return found
