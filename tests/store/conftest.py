"""An open store on each database, with a space in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from bethink.records import Space
from bethink.settings import StoreSettings
from bethink.store import Driver, connect, spaces
from tests.databases import new_database
from tests.store.samples import NOW


@pytest.fixture(scope="session")
def kept_postgres_url(postgres_server: str, postgres_schema: str) -> Iterator[str]:
    """One database for many tests: to empty it takes a hundredth of the time that a new one does."""
    with new_database(postgres_server, postgres_schema) as url:
        yield url


@pytest.fixture
def emptied_postgres_url(kept_postgres_url: str) -> str:
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'"
    with psycopg.connect(kept_postgres_url) as database:
        for (table,) in database.execute(tables).fetchall():
            database.execute(SQL("DELETE FROM {}").format(Identifier(table)))
    return kept_postgres_url


@pytest.fixture(params=["sqlite", "postgres"])
def emptied_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database without rows is; a test that asks for it runs once on each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("emptied_postgres_url"))


@pytest.fixture
async def store(emptied_url: str) -> AsyncIterator[Driver]:
    driver = await connect(emptied_url, StoreSettings())
    yield driver
    await driver.close()


@pytest.fixture
async def sqlite_store(tmp_path: Path) -> AsyncIterator[Driver]:
    """For what only SQLite does."""
    driver = await connect(str(tmp_path / "memory.db"), StoreSettings())
    yield driver
    await driver.close()


@pytest.fixture
async def postgres_store(emptied_postgres_url: str) -> AsyncIterator[Driver]:
    """For what only PostgreSQL does."""
    driver = await connect(emptied_postgres_url, StoreSettings())
    yield driver
    await driver.close()


@pytest.fixture
async def space(store: Driver) -> Space:
    return await store.write(spaces.ensure, "home", NOW)


@pytest.fixture
async def other(store: Driver) -> Space:
    return await store.write(spaces.ensure, "work", NOW)
