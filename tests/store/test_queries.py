"""The SQL files and the sources that use them fit together, and SQL stays in its room."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import bethink
import bethink.store
from bethink.nouns import NOUNS
from bethink.settings import StoreSettings
from bethink.store import connect, queries
from bethink.store.queries import Dialect

STORE = Path(bethink.store.__path__[0])
SOURCES = Path(bethink.__path__[0])
DIALECTS: list[Dialect] = ["sqlite", "postgres"]
# The databases differ in how they store terms and vectors, erase, and check themselves; these modules ask
# which it is, or are of one driver.
OWN_TO_A_DIALECT = {"changes", "erasure", "integrity", "strays", "terms", "vectors"}
MARKS = {
    "where": "", "score": "0", "mark": "signature", "binary": "",
    "table": "memories", "columns": "id", "scope": "space_id", "low": "1", "high": "2",
    "signature": "'s'", "dimensions": "2", "index": "near",
    "values": ":id", "changes": "content = :content", "counted": "SELECT 1", "column": "session_id",
    "shown": "",
}  # fmt: skip
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s"
    r"|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|VIEW)\s|PRAGMA\s+\w+)",
    re.DOTALL,
)


def texts(path: Path) -> Iterator[str]:
    """Every string in a source file that is not a docstring."""
    tree = ast.parse(path.read_text("utf-8"))
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def used() -> set[str]:
    """The names of queries that the store's sources mention."""
    nouns = {name.partition(".")[0] for dialect in DIALECTS for name in queries.load(dialect)}
    named = re.compile(rf"({'|'.join(nouns)})\.\w+")
    # What looks like a name in the filters is a column.
    paths = set(STORE.glob("*.py")) - {STORE / "filters.py"}
    found = {text for path in paths for text in texts(path) if named.fullmatch(text)}
    return found | {query for query in named_by_nouns() if query}


def named_by_nouns() -> Iterator[str | None]:
    for indexed in NOUNS.indexed.values():
        yield from (indexed.brief, indexed.count_access)
    for archived in NOUNS.archived.values():
        yield archived.query


def test_every_query_is_used() -> None:
    written = {name for dialect in DIALECTS for name in queries.load(dialect)}
    assert written - used() == set()


def test_every_query_that_is_used_is_written_for_each_database() -> None:
    shared = set(queries.load("sqlite")) & set(queries.load("postgres"))
    one_sided = used() - shared
    assert one_sided - set(queries.load("sqlite")) - set(queries.load("postgres")) == set()
    assert {name.partition(".")[0] for name in one_sided} <= OWN_TO_A_DIALECT


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_query_is_written_twice(dialect: Dialect) -> None:
    for path in (STORE / "sql").glob("*.sql"):
        names = re.findall(r"^-- name: (\w+)$", path.read_text("utf-8"), re.MULTILINE)
        assert len(names) == len(set(names)), path.name
        assert path.name.count(".") == 1 or path.name.endswith((".sqlite.sql", ".postgres.sql")), path.name
    for name in queries.load(dialect):
        sql = queries.text(dialect, name, **MARKS)
        assert not re.search(r"IN_LIST|CHECKED|\{\w+\}", sql), f"{name} has a mark that nobody fills in"


def test_a_query_is_spelled_for_each_database(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "SELECT '100%', a::text FROM t WHERE CHECKED(t.b) = :b AND c IN_LIST(:cs) {where}"
    monkeypatch.setattr(queries, "load", lambda _: {"t.x": sql})
    queries.text.cache_clear()
    try:
        assert queries.text("sqlite", "t.x", where="AND d = :d") == (
            "SELECT '100%', a::text FROM t WHERE +t.b = :b"
            " AND c IN (SELECT value FROM json_each(:cs)) AND d = :d"
        )
        assert queries.text("postgres", "t.x", where="AND d = :d") == (
            "SELECT '100%%', a::text FROM t WHERE t.b = %(b)s AND c = ANY(%(cs)s) AND d = %(d)s"
        )
    finally:
        queries.text.cache_clear()


async def test_a_list_of_ids_is_looked_up_not_searched_for(tmp_path: Path) -> None:
    """SQLite knows nothing of how large a space is and would rather read all of it."""
    path = str(tmp_path / "memory.db")
    store = await connect(path, StoreSettings())
    await store.close()
    file = apsw.Connection(path)
    for name, sql in queries.load("sqlite").items():
        if "IN_LIST" not in sql:
            continue
        values = dict.fromkeys(re.findall(r"(?<!:):(\w+)", sql))
        explained = "EXPLAIN QUERY PLAN " + queries.text("sqlite", name, **MARKS)
        plan = [row[3] for row in file.execute(explained, values)]
        assert not [step for step in plan if step.endswith("(space_id=?)")], name
        assert not [step for step in plan if re.match(r"SCAN (?!json_each|terms VIRTUAL)", step)], name
    await asyncio.to_thread(file.close)


def test_sql_stays_in_the_store() -> None:
    others = [path for path in SOURCES.rglob("*.py") if not path.is_relative_to(STORE)]
    assert others
    found = [(path.name, text) for path in others for text in texts(path) if SQL.search(text)]
    assert found == []


def test_the_search_for_sql_finds_some() -> None:
    assert any(SQL.search(text) for path in STORE.glob("*.py") for text in texts(path))
    assert all(
        SQL.search(sql) for name, sql in queries.load("sqlite").items() if name.startswith("memories.")
    )
