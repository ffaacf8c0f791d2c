"""Runs: what each sweep did in a space, and when. The newest of each status are kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.records import Run
from bethink.store.driver import Tx
from bethink.store.rows import Table, moment

KEPT = 50  # of each space, sweep and status: so what failed is not pushed out by what went well since
_table = Table(Run)


def add(tx: Tx, run: Run) -> None:
    """Keep what a run did, unless its space has gone meanwhile; the oldest of its kind goes for it."""
    values = _table.columns(run)
    tx.run("runs.insert", values)
    tx.run("runs.prune", {name: values[name] for name in ("space_id", "sweep", "status")} | {"kept": KEPT})


def newest(tx: Tx, space_id: str, *, sweep: str | None = None, limit: int) -> list[Run]:
    """The newest runs of a space, of one sweep or of all."""
    values = {"space_id": space_id, "limit": limit} | ({"sweep": sweep} if sweep is not None else {})
    where = "AND sweep = :sweep" if sweep is not None else ""
    return _table.records(tx.all("runs.newest", values, where=where))


def last_starts(tx: Tx, sweeps: Sequence[str]) -> dict[tuple[str, str], datetime]:
    """When each of these sweeps last began in each space, by sweep and space; dry runs do not count."""
    rows = tx.all("runs.last_starts", {"sweeps": list(sweeps)})
    return {(row["sweep"], row["space_id"]): moment(row["started_at"]) for row in rows}
