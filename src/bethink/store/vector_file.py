"""A file of vectors beside the database, searched by the SQLite extension sqlite-vec.

Entries of one signature and quantisation are in one table, cut into partitions by space. With a quantisation
a coarse copy is looked through, and what is nearest there is compared by the vectors themselves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from bethink.errors import SettingsError
from bethink.settings import Quantisation
from bethink.settings.private import make_private_folder, open_private
from bethink.store.rows import id_range
from bethink.store.vectors import LEFT_SHOWN, Vector, quantise

CHUNK = 64  # vectors to a block of a partition: with the usual 1024, small spaces fill a disk with nothing
MOST_NEAREST = 4096  # that the extension finds by itself; for more, every row is compared
OVERSAMPLE: dict[Quantisation, int] = {"none": 1, "int8": 4, "binary": 32}
BUSY_MILLISECONDS = 10_000
TABLE, _DIGITS = "vectors_", 12  # what the names of tables begin with, and how much of the signature follows
_PAGE_BYTES = 8192
_FIELDS = ("layer", "person_id", "session_id", "observed_at", "expires_at")
_CODES: dict[Quantisation, str] = {"int8": "vec_int8(:coarse)", "binary": "vec_bit(:coarse)"}

Row = Mapping[str, Any]  # `id`, `vector`, and a value of each field


class VectorFile:
    """One connection to a file; `:memory:` for one that is gone with its connection."""

    def __init__(self, path: str, quantisation: Quantisation) -> None:
        self._quantisation = quantisation
        self._suffix = "" if quantisation == "none" else f"_{quantisation}"
        if path != ":memory:":
            make_private_folder(Path(path).parent)
            os.close(open_private(Path(path), os.O_RDWR))
        self._sqlite = apsw.Connection(path)
        try:
            self._sqlite.set_busy_timeout(BUSY_MILLISECONDS)
            self._sqlite.pragma("page_size", _PAGE_BYTES)
            self._sqlite.pragma("journal_mode", "wal")
            self._sqlite.pragma("synchronous", "normal")  # what is lost is told again
            self._sqlite.pragma("secure_delete", True)
            self._sqlite.enable_load_extension(True)
            self._sqlite.load_extension(extension())
            self._sqlite.enable_load_extension(False)
        except BaseException:
            self._sqlite.close()
            raise

    def close(self) -> None:
        self._sqlite.close()

    def look(self) -> None:
        """Look at every table; raises where that cannot be done."""
        for table in self._tables():
            self._sqlite.execute(f'SELECT id FROM "{table}" LIMIT 1').fetchall()

    def put(self, space: int, signature: str, rows: Sequence[Row]) -> None:
        """Take in rows in place of those with their ids, in whichever table."""
        table, vectors = self._table(signature), [row["vector"] for row in rows]
        with self._sqlite:
            self._delete([row["id"] for row in rows])
            self._make(table, len(self._padded(vectors[0])))
            columns, marks = ["id", "space", "vector", *_FIELDS], [":id", ":space", ":vector"]
            marks += [f":{field}" for field in _FIELDS]
            if self._quantisation != "none":
                columns, marks = [*columns, "coarse"], [*marks, _CODES[self._quantisation]]
            sql = f'INSERT INTO "{table}" ({", ".join(columns)}) VALUES ({", ".join(marks)})'
            self._sqlite.executemany(
                sql,
                (
                    {**row, "space": space, "vector": self._padded(vector).tobytes(), "coarse": coarse}
                    for row, vector, coarse in zip(rows, vectors, self._coarse(vectors), strict=True)
                ),
            )

    def delete(self, space: int, ids: Sequence[int]) -> None:
        """Delete rows of a space; their bytes too."""
        low, high = id_range(space)
        with self._sqlite:
            self._delete([id_ for id_ in ids if low <= id_ <= high])
        self._cut_log()

    def wipe(self, space: int) -> None:
        """Delete all rows of a space, and tables that have no others."""
        low, high = id_range(space)
        with self._sqlite:
            for table in self._tables():
                sql = f'SELECT rowid FROM "{table}_rowids" WHERE rowid BETWEEN ? AND ?'
                ids = [row[0] for row in self._sqlite.execute(sql, (low, high))]
                self._sqlite.executemany(f'DELETE FROM "{table}" WHERE id = ?', [(id_,) for id_ in ids])
                if not self._sqlite.execute(f'SELECT 1 FROM "{table}_rowids" LIMIT 1').fetchall():
                    self._sqlite.execute(f'DROP TABLE "{table}"')
            is_empty = not self._every_table()
        if is_empty:
            self._sqlite.execute("VACUUM")
        self._cut_log()

    def nearest(
        self,
        space: int,
        signature: str,
        vector: Vector,
        limit: int,
        conditions: Sequence[tuple[str, str, Any]],
        allowed: Sequence[int] | None,
    ) -> list[tuple[int, float]]:
        """The nearest rows that meet (field, how, value), and their cosines, best first."""
        table = self._table(signature)
        if table not in self._tables():
            return []
        where, values = _where(space, conditions, allowed)
        values |= {"query": self._padded(vector).tobytes(), "limit": limit}
        by_vectors = f'SELECT id, vec_distance_cosine(vector, :query) AS far FROM "{table}" WHERE {where}'
        if limit > MOST_NEAREST:
            sql = f"{by_vectors} ORDER BY far LIMIT :limit"
        elif self._quantisation == "none":
            sql = f'SELECT id, distance FROM "{table}" WHERE {where} AND vector MATCH :query AND k = :limit'
        else:
            values["coarse"] = self._coarse([vector])[0]
            values["k"] = min(limit * OVERSAMPLE[self._quantisation], MOST_NEAREST)
            coarse = f"coarse MATCH {_CODES[self._quantisation]} AND k = :k"
            sql = f"{by_vectors} AND {coarse} ORDER BY far LIMIT :limit"
        found = [(int(id_), 1 - far) for id_, far in self._sqlite.execute(sql, values) if far is not None]
        near = [(id_, cosine) for id_, cosine in found if not isnan(cosine)]  # as a row of zeros gives
        return sorted(near, key=lambda item: (-item[1], item[0]))

    def count(self, space: int, signature: str) -> int:
        table = self._table(signature)
        if table not in self._tables():
            return 0
        sql = f'SELECT COUNT(*) FROM "{table}_rowids" WHERE rowid BETWEEN ? AND ?'
        return int(self._sqlite.execute(sql, id_range(space)).get)

    def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        """The ids of a space's rows in order, a page at a time."""
        table, (low, high) = self._table(signature), id_range(space)
        if table not in self._tables():
            return []
        sql = f'SELECT rowid FROM "{table}_rowids" WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?'
        return [row[0] for row in self._sqlite.execute(sql, (max(low, after + 1), high, limit))]

    def left(self, space: int, ids: Sequence[int] | None) -> list[int]:
        """Which of these ids are in any table; some of the whole space when None."""
        low, high = id_range(space)
        found: set[int] = set()
        for table in self._tables():
            one_of = "" if ids is None else "AND rowid IN (SELECT value FROM json_each(:ids))"
            sql = (
                f'SELECT rowid FROM "{table}_rowids" WHERE rowid BETWEEN :low AND :high {one_of} LIMIT :most'
            )
            most = LEFT_SHOWN if ids is None else len(ids)
            values = {"low": low, "high": high, "ids": json.dumps(list(ids or ())), "most": most}
            found.update(row[0] for row in self._sqlite.execute(sql, values))
        return sorted(found)

    def _delete(self, ids: Sequence[int]) -> None:
        for table in self._tables():
            sql = f'SELECT rowid FROM "{table}_rowids" WHERE rowid IN (SELECT value FROM json_each(?))'
            there = self._sqlite.execute(sql, (json.dumps(list(ids)),)).fetchall()
            self._sqlite.executemany(f'DELETE FROM "{table}" WHERE id = ?', there)

    def _make(self, table: str, dimensions: int) -> None:
        coarse = {"none": "", "int8": f"coarse int8[{dimensions}] distance_metric=cosine,"}
        kind = coarse.get(self._quantisation, f"coarse bit[{dimensions}],")
        self._sqlite.execute(
            f'CREATE VIRTUAL TABLE IF NOT EXISTS "{table}" USING vec0('
            f"id integer PRIMARY KEY, space integer PARTITION KEY, {kind}"
            f" vector float[{dimensions}] distance_metric=cosine,"
            " layer text, person_id text, session_id text, observed_at integer, expires_at integer,"
            f" chunk_size={CHUNK})"
        )

    def _table(self, signature: str) -> str:
        return f"{TABLE}{sha256(signature.encode()).hexdigest()[:_DIGITS]}{self._suffix}"

    def _tables(self) -> list[str]:
        """The tables of this quantisation: those of another are another index's, emptied by itself."""
        length = len(TABLE) + _DIGITS + len(self._suffix)
        return [name for name in self._every_table() if len(name) == length and name.endswith(self._suffix)]

    def _every_table(self) -> list[str]:
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'"
        return [row[0] for row in self._sqlite.execute(sql)]

    def _cut_log(self) -> None:
        """Let nothing of what was deleted stay in the log of the file."""
        self._sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _padded(self, vector: Vector) -> Vector:
        """The vector as it is kept: of whole bytes where each number is a bit."""
        rest = -len(vector) % 8 if self._quantisation == "binary" else 0
        return np.pad(vector, (0, rest)) if rest else np.ascontiguousarray(vector, np.float32)

    def _coarse(self, vectors: Sequence[Vector]) -> list[bytes]:
        if self._quantisation == "none":
            return [b""] * len(vectors)
        matrix = np.array([self._padded(vector) for vector in vectors], np.float32)
        if self._quantisation == "binary":
            return [row.tobytes() for row in np.packbits(matrix > 0, axis=1, bitorder="little")]
        codes, lengths = np.empty(matrix.shape, np.int8), np.empty(len(matrix), np.float32)
        quantise(matrix, codes, lengths, field="vectors")
        return [row.tobytes() for row in codes]


def extension() -> str:
    """Where the extension is; an error that says how to get it."""
    try:
        import sqlite_vec
    except ImportError:
        raise SettingsError(
            "index.vector_store: 'sqlite-vec' needs its extension: pip install 'bethink[sqlite-vec]'.",
            field="index.vector_store",
        ) from None
    return str(sqlite_vec.loadable_path())


def _where(
    space: int, conditions: Sequence[tuple[str, str, Any]], allowed: Sequence[int] | None
) -> tuple[str, dict[str, Any]]:
    parts, values = ["space = :space"], dict[str, Any](space=space)
    for number, (field, how, value) in enumerate(conditions):
        if how == "in":
            names = [f"{field}_{number}_{place}" for place in range(len(value))]
            parts.append(f"{field} IN ({', '.join(f':{name}' for name in names)})")
            values |= dict(zip(names, value, strict=True))
        else:
            parts.append(f"{field} {how} :{field}_{number}")
            values[f"{field}_{number}"] = value
    if allowed is not None:
        parts.append("id IN (SELECT value FROM json_each(:allowed))")
        values["allowed"] = json.dumps(list(allowed))
    return " AND ".join(parts), values
