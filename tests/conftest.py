"""What every test may ask for: databases to use, and an environment that is nobody's."""

from __future__ import annotations

import asyncio
import functools
import gc
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import hypothesis
import pytest

from bethink.records import JournalEntry
from bethink.settings import StoreSettings
from bethink.store import Tx, connect, journal
from bethink.undo import final, ways
from tests import opened
from tests.databases import new_database
from tests.postgres_server import running_server

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home
lone_home = opened.lone_home
memory = opened.memory

# A slow machine is no failure.
hypothesis.settings.register_profile("bethink", deadline=None)
hypothesis.settings.load_profile("bethink")


MEMORY = Path("/dev/shm")  # Linux keeps what is written there in memory
ENOUGH = 4 << 30  # bytes free of it: a run needs a fourth


def pytest_configure(config: pytest.Config) -> None:
    """Databases of tests are kept in memory where there is room: the disk was half of all the waiting.

    What a server for many tests writes into its user's folders goes with the tests.
    """
    if "TMPDIR" not in os.environ and _is_roomy(MEMORY):
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None
    folders = tempfile.TemporaryDirectory(prefix="bethink-tests-")
    config.add_cleanup(folders.cleanup)
    for kind in ("DATA", "CONFIG", "STATE"):
        os.environ[f"XDG_{kind}_HOME"] = str(Path(folders.name, kind.lower()))


def _is_roomy(folder: Path) -> bool:
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        return False
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize >= ENOUGH and not state.f_flag & os.ST_NOEXEC


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: to look through it for garbage took a seventh of all the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine reaches a test: no variable, no `bethink.toml`, no data directory."""
    for name in list(os.environ):
        if name.startswith("BETHINK_") and not name.startswith("BETHINK_TEST_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BETHINK_HOME", str(tmp_path / "home"))
    # Where settings read with an environment of their own would look.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def only_known_changes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test lets be journalled can be undone, or it is said why not."""
    unknown: set[tuple[str, str]] = set()
    add = journal.add

    @functools.wraps(add)
    def watched(tx: Tx, entries: Iterable[JournalEntry]) -> None:
        lines = list(entries)
        unknown.update({(line.noun, line.action) for line in lines} - ways().keys() - final().keys())
        add(tx, lines)

    monkeypatch.setattr(journal, "add", watched)
    yield
    assert not unknown, "say in the noun's room how this is undone, or why it cannot be"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server that may create databases; each test process has its own server."""
    if existing := os.environ.get("BETHINK_TEST_POSTGRES_URL"):
        yield existing
    else:
        with running_server() as url:
            yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a new, empty PostgreSQL database, dropped after the test."""
    with new_database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_schema(postgres_server: str) -> Iterator[str]:
    """The name of a PostgreSQL database with our tables and no rows: copies of it are made quickly."""

    async def migrate(url: str) -> None:
        await (await connect(url, StoreSettings())).close()

    with new_database(postgres_server) as url:
        asyncio.run(migrate(url))
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def migrated_postgres_url(postgres_server: str, postgres_schema: str) -> Iterator[str]:
    """The URL of a new PostgreSQL database with our tables, dropped after the test."""
    with new_database(postgres_server, postgres_schema) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new database is; a test that asks for it runs once on each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("migrated_postgres_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same without our tables, for tests of how they are made."""
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("postgres_url"))
