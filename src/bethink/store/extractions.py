"""Extractions: what each extractor has read of a session, what came of it, and what has to be tried again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from bethink.records import Extraction, ExtractionStatus
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros

_table = Table(Extraction)


def add(tx: Tx, extractions: Iterable[Extraction]) -> None:
    tx.many("extractions.insert", map(_table.columns, extractions))


def find(tx: Tx, space_id: str, extraction_id: str) -> Extraction | None:
    row = tx.one("extractions.by_id", {"space_id": space_id, "id": extraction_id})
    return _table.record(row) if row else None


def mark(tx: Tx, extraction: Extraction) -> bool:
    """Store how another try went: status, reason, attempts, model, counts and time. False if it is gone."""
    return tx.run("extractions.mark", _table.columns(extraction)) > 0


def newest(
    tx: Tx,
    space_id: str,
    *,
    status: ExtractionStatus | None = None,
    session_id: str | None = None,
    extractor: str | None = None,
    before: tuple[int, str] | None = None,
    limit: int,
) -> list[Extraction]:
    """The newest that a filter lets through, those before a time (in microseconds) and id if given."""
    given = {"status": status, "session_id": session_id, "extractor": extractor}
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    where = "".join(f" AND {name} = :{name}" for name in values)
    if before is not None:
        where += " AND (at < :before_at OR (at = :before_at AND id < :before_id))"
        values["before_at"], values["before_id"] = before
    rows = tx.all("extractions.newest", {**values, "space_id": space_id, "limit": limit}, where=where)
    return _table.records(rows)


def failed(tx: Tx, space_id: str, until: datetime, limit: int) -> list[Extraction]:
    """Those that failed, tried last at `until` or before, the longest ago first."""
    values = {"space_id": space_id, "until": micros(until), "limit": limit}
    return _table.records(tx.all("extractions.failed", values))


def reached(tx: Tx, space_id: str, session_id: str, extractor: str) -> int:
    """The last position that an extractor has tried to read, with or without success; 0 before the first."""
    values = {"space_id": space_id, "session_id": session_id, "extractor": extractor}
    row = tx.one("extractions.reached", values)
    return int(row["position"] or 0) if row else 0


def record(tx: Tx, extraction: Extraction) -> None:
    """Add a reading; one with nothing to tell only lengthens the one before it, so that they stay few."""
    values = {
        "space_id": extraction.space_id,
        "session_id": extraction.session_id,
        "extractor": extraction.extractor,
    }
    row = tx.one("extractions.last", values)
    last = _table.record(row) if row else None
    if last is None or not _continues(last, extraction):
        add(tx, [extraction])
        return
    names = last.counts.keys() | extraction.counts.keys()
    counts = {name: last.counts.get(name, 0) + extraction.counts.get(name, 0) for name in names}
    update = {"last_position": extraction.last_position, "counts": counts, "at": extraction.at}
    tx.run("extractions.extend", _table.columns(last.model_copy(update=update)))


def _continues(last: Extraction, new: Extraction) -> bool:
    plain = all(one.status is ExtractionStatus.OK and one.reason is None for one in (last, new))
    return plain and last.model is None is new.model and last.last_position < new.first_position


def behind(tx: Tx, space_id: str, extractor: str, limit: int) -> list[str]:
    """The sessions with messages that an extractor has not read, the longest idle first."""
    values = {"space_id": space_id, "extractor": extractor, "limit": limit}
    return [row[0] for row in tx.tuples("extractions.behind", values)]


def reopen(tx: Tx, space_id: str, session_id: str, position: int) -> int:
    """Let the session be read again from the stretch with this message on: it was changed.

    A reading without a model is of each message by itself, so it is only shortened.
    """
    values = {"space_id": space_id, "session_id": session_id, "position": position}
    return tx.run("extractions.shorten", values) + tx.run("extractions.reopen", values)
