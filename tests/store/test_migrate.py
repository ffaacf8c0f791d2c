"""Migrations: once, in order, never backwards, and never changed by accident."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from bethink.errors import MigrationError
from bethink.settings import StoreSettings
from bethink.store import connect, migrate, spaces
from bethink.store.migrate import migrations, pending, spell
from bethink.store.queries import Dialect
from tests.store.samples import NOW

# BETHINK_TEST_UPDATE=1 writes the snapshots anew.
UPDATE = os.environ.get("BETHINK_TEST_UPDATE") == "1"
LATEST = migrations("sqlite")[-1].number


def execute(url: str, sql: str) -> list[tuple[Any, ...]]:
    """Run a statement without the driver."""
    if url.startswith("postgresql://"):
        with psycopg.connect(url, autocommit=True) as server:
            cursor = server.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []
    file = apsw.Connection(url)
    rows = file.execute(sql).fetchall()
    file.close()
    return rows


async def test_migrating_twice_changes_nothing(empty_database_url: str) -> None:
    store = await connect(empty_database_url, StoreSettings())
    space = await store.write(spaces.ensure, "home", NOW)
    before = schema(empty_database_url)
    assert await store.migrate() == []
    await store.close()
    again = await connect(empty_database_url, StoreSettings())
    assert await again.migrate() == []
    assert await again.read(spaces.list_all) == [space]
    await again.close()
    assert schema(empty_database_url) == before
    applied = execute(empty_database_url, "SELECT number, name FROM migrations ORDER BY number")
    assert applied == [(migration.number, migration.name) for migration in migrations("sqlite")]


async def test_a_database_of_a_newer_version_is_refused_untouched(empty_database_url: str) -> None:
    store = await connect(empty_database_url, StoreSettings())
    await store.close()
    execute(empty_database_url, f"INSERT INTO migrations VALUES ({LATEST + 7}, 'from_the_future', 0)")
    before = schema(empty_database_url)
    with pytest.raises(MigrationError, match=f"migration {LATEST + 7}, this one knows {LATEST}.*Upgrade"):
        await connect(empty_database_url, StoreSettings())
    assert schema(empty_database_url) == before


async def test_a_migration_that_fails_leaves_nothing_behind(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await connect(empty_database_url, StoreSettings())
    broken = migrate.Migration(
        LATEST + 1, "broken", "CREATE TABLE half (id TEXT); CREATE TABLE spaces (id TEXT);"
    )
    plan = [*migrations(store.dialect), broken]
    before = schema(empty_database_url)
    monkeypatch.setattr(migrate, "migrations", lambda _: plan)
    with pytest.raises(Exception, match="already exists"):
        await store.migrate()
    assert schema(empty_database_url) == before
    assert await store.read(spaces.list_all) == []
    await store.close()


async def test_the_schema_is_the_one_on_record(empty_database_url: str) -> None:
    """A migration that has been released must not change: this notices an edit to one."""
    store = await connect(empty_database_url, StoreSettings())
    await store.close()
    snapshot = Path(__file__).with_name(f"schema.{store.dialect}.txt")
    found = schema(empty_database_url)
    if UPDATE:
        snapshot.write_text(found, "utf-8")
    assert found == snapshot.read_text("utf-8")


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_migrations_are_numbered_without_gaps(dialect: Dialect) -> None:
    numbers = [migration.number for migration in migrations(dialect)]
    assert numbers == list(range(1, LATEST + 1)), "a gap or a number twice"
    assert [migration.number for migration in pending(dialect, numbers)] == []
    assert [migration.number for migration in pending(dialect, [])] == numbers
    assert all("{" not in migration.sql for migration in migrations(dialect)), "a type nobody spelled"


def test_a_migration_is_spelled_for_each_database() -> None:
    text = "-- why\na {int}\n-- only: sqlite\nb\n-- only: postgres\nc {json}\n-- both:\nd {strict}"
    assert spell(text, "sqlite").split() == ["a", "INTEGER", "b", "d", "STRICT"]
    assert spell(text, "postgres").split() == ["a", "BIGINT", "c", "JSONB", "d"]


def schema(url: str) -> str:
    """Tables, columns, constraints and indexes as sorted lines."""
    parts = POSTGRES_SCHEMA if url.startswith("postgresql://") else [SQLITE_SCHEMA]
    lines = [" ".join(filter(None, row)) for part in parts for row in execute(url, part)]
    return "".join(re.sub(r"\s+", " ", line).strip() + "\n" for line in sorted(lines))


# The tables behind the full-text index are SQLite's own affair.
SQLITE_SCHEMA = """
SELECT sql FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'terms\\_%' ESCAPE '\\'
"""
POSTGRES_SCHEMA = [
    """
    SELECT 'column', attrelid::regclass::text, attname, format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN 'not null' END, pg_get_expr(adbin, adrelid)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
    """,
    """
    SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    """,
    "SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'public'",
    """
    SELECT 'sequence', sequencename, data_type::text, max_value::text FROM pg_sequences
    WHERE schemaname = 'public'
    """,
]
