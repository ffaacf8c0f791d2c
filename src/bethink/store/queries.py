"""Named SQL, loaded once: `sql/<noun>.sql` for both databases, `sql/<noun>.<dialect>.sql` where they differ.

A query is a block that starts with "-- name: <name>". Values are written `:name`. Three things are filled in
per database: `IN_LIST(:ids)` (a value in a list), `CHECKED(space_id)` (a column that is compared or
sorted by but not searched by: SQLite would read a whole space rather than look up a few ids) and `{mark}`
(text a noun module puts in, such as the conditions of store.filters; never anything a user wrote).

A noun from elsewhere may bring a folder of such files.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from bethink.nouns import NOUNS

Dialect = Literal["sqlite", "postgres"]

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_IN_LIST = re.compile(r"IN_LIST\((:\w+)\)")
_CHECKED = re.compile(r"CHECKED\(([\w.]+)\)")
_VALUE = re.compile(r"(?<![:\w]):(\w+)")


@cache
def load(dialect: Dialect) -> dict[str, str]:
    """Every query of a dialect by its dotted name, e.g. `memories.insert`."""
    return _read(files("bethink.store") / "sql", dialect)


def _read(folder: Traversable, dialect: Dialect) -> dict[str, str]:
    shared: dict[str, str] = {}
    own: dict[str, str] = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        noun, *kind = item.name.removesuffix(".sql").split(".")
        if not item.name.endswith(".sql") or (kind and kind[0] != dialect):
            continue
        parts = _NAME.split(item.read_text("utf-8"))[1:]
        named = {f"{noun}.{name}": sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}
        (own if kind else shared).update(named)
    return shared | own


@cache
def text(dialect: Dialect, name: str, **marks: str) -> str:
    """The SQL of a query, ready for its driver."""
    sql = load(dialect).get(name) or _brought(dialect, name)
    for mark, filling in marks.items():
        sql = sql.replace(f"{{{mark}}}", filling)
    if dialect == "sqlite":
        return _CHECKED.sub(r"+\1", _IN_LIST.sub(r"IN (SELECT value FROM json_each(\1))", sql))
    sql = _CHECKED.sub(r"\1", _IN_LIST.sub(r"= ANY(\1)", sql)).replace("%", "%%")
    return _VALUE.sub(r"%(\1)s", sql)


def _brought(dialect: Dialect, name: str) -> str:
    """A query that a noun from elsewhere brings."""
    return next(found[name] for folder in NOUNS.folders if name in (found := _read(folder, dialect)))
