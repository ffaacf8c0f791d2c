"""The index's rows: one entry per record that can be recalled."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from bethink.errors import Damaged
from bethink.records import Layer, Space
from bethink.store import changes, vectors
from bethink.store.damage import set_aside
from bethink.store.driver import Row, Tx
from bethink.store.filters import EntryFilter
from bethink.store.rows import LAYER_CODES, id_range, micros, moment
from bethink.text.dates.mentions import Mention

_DAY_MICROS = 86_400_000_000
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


def packed(mentions: Sequence[Mention]) -> str | None:
    """A column's value; none for no mention."""
    if not mentions:
        return None
    days = [[m.start, m.end, m.first.isoformat(), m.last.isoformat()] for m in mentions]
    return json.dumps(days, separators=(",", ":"))


def unpacked(column: str | None, text: str) -> list[Mention]:
    """The mentions in a text; none where what the index keeps of them is damaged, which is logged."""
    try:
        return [
            Mention(start, end, text[start:end], date.fromisoformat(first), date.fromisoformat(last))
            for start, end, first, last in (json.loads(column) if column else ())
        ]
    except (ValueError, TypeError):
        set_aside(Damaged.of("entry", "?", "the dates that it speaks of cannot be read"))
        return []


PROBE = "probe:"  # how the record of an entry is called that only a health check is to see
Mark = Literal["signature", "late"]  # the columns that say what is made for an entry: vector, token vectors


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index is told of a record: how to find it, and how to notice that it changed.

    It can be found from `observed_at` until `expires_at`, so a superseded fact still answers for its time.
    """

    layer: Layer
    record_id: str
    observed_at: datetime
    fingerprint: str
    body: Sequence[str]
    context: Sequence[str] = ()
    person_id: str | None = None
    session_id: str | None = None
    position: int | None = None  # of a message in its session
    expires_at: datetime | None = None
    mentioned_at: Sequence[Mention] = ()


@dataclass(frozen=True, slots=True)
class Stale:
    """An entry without a vector of the current signature."""

    id: int
    layer: Layer
    record_id: str
    fingerprint: str


def put(tx: Tx, space: Space, entries: Sequence[Entry]) -> None:
    """Insert or replace entries. A vector stays only while its text is the same."""
    known = _known(tx, space, [entry.record_id for entry in entries])
    new, old, dropped = [], [], []
    for entry in entries:
        row = _row(tx, space, entry)
        if found := known.get((entry.layer, entry.record_id)):
            old.append(row | {"id": found["id"]})
            if found["fingerprint"] != entry.fingerprint:
                dropped.append(found["id"])
        else:
            new.append(row)
    if tx.dialect == "sqlite":
        _number(tx, space, new)
    tx.many("entries.insert", new)
    tx.many("entries.update", old)
    if tx.dialect == "sqlite":
        put_terms(tx, new + old)
    if old:
        vectors.forget(tx, space.number, changed=[row["id"] for row in old], dropped=dropped)


def remove(tx: Tx, space: Space, layer: Layer, record_ids: Sequence[str]) -> None:
    """Take records out of the index."""
    known = _known(tx, space, record_ids)
    ids = [row["id"] for (found, _), row in known.items() if found == layer]
    if not ids:
        return
    if tx.dialect == "sqlite":
        delete_terms(tx, ids)
    vectors.forget(tx, space.number, changed=ids, dropped=ids)
    tx.run("entries.delete", {"ids": ids})


def expire(tx: Tx, space: Space, layer: Layer, record_id: str, at: datetime) -> None:
    """End the time in which a record can be found."""
    values = {"space_id": space.id, "record_id": record_id, "layer": layer, "at": micros(at)}
    tx.run("entries.expire", values)
    changes.note(tx, space.number, [row["id"] for row in _known(tx, space, [record_id]).values()])


def by_ids(tx: Tx, space_id: str, ids: Sequence[int]) -> dict[int, Row]:
    rows = tx.all("entries.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return {row["id"]: row for row in rows}


def by_fingerprints(tx: Tx, space_id: str, layer: Layer, fingerprints: Sequence[str]) -> dict[str, list[str]]:
    """The records whose indexed text has one of these fingerprints."""
    values = {"space_id": space_id, "layer": layer, "fingerprints": list(fingerprints)}
    found: dict[str, list[str]] = {}
    for row in tx.all("entries.by_fingerprints", values) if fingerprints else []:
        found.setdefault(row["fingerprint"], []).append(row["record_id"])
    return found


def allowed(
    tx: Tx, space_id: str, chosen: EntryFilter, *, of: Sequence[int] | None = None, limit: int | None = None
) -> list[int]:
    """The ids that a filter lets through: of those given, and so many at most."""
    where, values = chosen.sql(tx.dialect)
    if of is not None:
        where, values["of"] = f"{where} AND entries.id IN_LIST(:of)", list(of)
    if limit is not None:
        where, values["limit"] = f"{where} LIMIT :limit", limit
    return [row[0] for row in tx.tuples("entries.allowed", {"space_id": space_id, **values}, where=where)]


def expired(tx: Tx, space_id: str, now: datetime) -> list[int]:
    """The ids whose time is over at `now`."""
    return [row[0] for row in tx.tuples("entries.expired", {"space_id": space_id, "now": micros(now)})]


def newest(tx: Tx, space_id: str, chosen: EntryFilter, now: datetime, limit: int) -> list[int]:
    where, values = chosen.sql(tx.dialect)
    values |= {"space_id": space_id, "now": micros(now), "limit": limit}
    return [row[0] for row in tx.tuples("entries.newest", values, where=where)]


def stale(
    tx: Tx,
    space_id: str,
    signature: str,
    limit: int,
    mark: Mark = "signature",
    besides: Collection[int] = (),
) -> list[Stale]:
    """Entries that still need a vector (or token vectors) of this signature, besides those with some ids."""
    values = {"space_id": space_id, "signature": signature, "limit": limit, "besides": list(besides)}
    return [
        Stale(row["id"], Layer(row["layer"]), row["record_id"], row["fingerprint"])
        for row in tx.all("entries.stale", values, mark=mark)
    ]


def of_record(tx: Tx, space_id: str, layer: Layer, record_id: str) -> Row | None:
    """What the index keeps of a record: id, fingerprint, signature, when its vector was made."""
    values = {"space_id": space_id, "layer": layer, "record_id": record_id}
    return tx.one("entries.of_record", values)


def following(tx: Tx, space: Space, after: int, limit: int) -> list[Row]:
    """The entries of a space after an id, in the order of their ids: id, layer and record."""
    low, high = id_range(space.number)
    return tx.all("entries.following", {"after": max(after, low), "high": high, "limit": limit})


def probes(tx: Tx, space_id: str, before: datetime | None = None) -> dict[int, str]:
    """The entries of health checks and what their records are called; only those that ended before a time."""
    values: dict[str, Any] = {"space_id": space_id}
    where = ""
    if before is not None:
        where, values["before"] = " AND expires_at < :before", micros(before)
    return {int(id_): str(record_id) for id_, record_id in tx.tuples("entries.probes", values, where=where)}


def unembed(tx: Tx, space: Space) -> int:
    """Mark every entry of a space as needing a new vector, and have every index filled anew."""
    changes.note_whole(tx, space.number)
    return tx.run("entries.unembed", {"space_id": space.id})


def count(
    tx: Tx, space_id: str, signature: str, mark: Mark = "signature", chosen: EntryFilter | None = None
) -> dict[Layer, tuple[int, int]]:
    """For each layer, how many entries there are and how many have a current vector."""
    where, values = chosen.sql(tx.dialect) if chosen else ("", {})
    values |= {"space_id": space_id, "signature": signature}
    rows = tx.all("entries.count", values, mark=mark, where=where)
    return {
        Layer(row["layer"]): (int(row["total"]), int(row["embedded"]))
        for row in rows
        if row["layer"] in LAYER_CODES  # or it is damaged
    }


def by_day(tx: Tx, space_id: str, since: datetime) -> dict[date, dict[Layer, int]]:
    """How many entries of each layer each day (UTC) has, from `since` on."""
    found: dict[date, dict[Layer, int]] = {}
    for row in tx.all("entries.by_day", {"space_id": space_id, "since": micros(since)}):
        if row["layer"] in LAYER_CODES:
            day = moment(int(row["day"]) * _DAY_MICROS).date()
            found.setdefault(day, {})[Layer(row["layer"])] = int(row["records"])
    return found


def last_number(tx: Tx, space: Space, layer: Layer) -> int:
    """The highest running number in use: how many entries a layer has had, about."""
    low, high = id_range(space.number, layer)
    row = tx.one("entries.last_id", {"low": low, "high": high})
    return int(row["id"]) - low if row else 0


def _known(tx: Tx, space: Space, record_ids: Sequence[str]) -> dict[tuple[str, str], Row]:
    values = {"space_id": space.id, "record_ids": list(record_ids)}
    rows = tx.all("entries.by_records", values) if record_ids else []
    return {(row["layer"], row["record_id"]): row for row in rows}


def _row(tx: Tx, space: Space, entry: Entry) -> dict[str, Any]:
    return {
        "low": id_range(space.number, entry.layer)[0],
        "space_id": space.id,
        "layer": entry.layer,
        "record_id": entry.record_id,
        "person_id": entry.person_id,
        "session_id": entry.session_id,
        "position": entry.position,
        "observed_at": micros(entry.observed_at),
        "expires_at": None if entry.expires_at is None else micros(entry.expires_at),
        "mentioned_at": packed(entry.mentioned_at),
        "fingerprint": entry.fingerprint,
        "id": 0,
        **term_columns(tx, space.number, entry.body, entry.context),
    }


def _number(tx: Tx, space: Space, rows: list[dict[str, Any]]) -> None:
    """Give new entries the next ids of their layer; the single writer makes this safe on SQLite."""
    last: dict[str, int] = {}
    for row in rows:
        layer = row["layer"]
        if layer not in last:
            last[layer] = last_number(tx, space, layer)
        last[layer] += 1
        row["id"] = row["low"] + last[layer]
