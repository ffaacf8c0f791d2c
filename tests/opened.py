"""Open memories for tests, on each database, with embedders that can be watched and made to fail.

A test module takes the fixtures it wants by name: `home = opened.home`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from bethink import AsyncBethink
from bethink.clock import new_id, now
from bethink.errors import ModelError
from bethink.memory import AsyncSpace
from bethink.models.embed import Embedder, EmbedRole
from bethink.records import Person
from bethink.shapes.outcomes import Hit, RecallResult
from bethink.store import persons
from bethink.testing import HashEmbedder
from tests.databases import new_database


class WatchedEmbedder(HashEmbedder):
    """Remembers what it was asked to embed, and fails while it is `down`."""

    def __init__(self, dimensions: int = 64, *, model: str = "hash", down: bool = False) -> None:
        super().__init__(dimensions)
        self.model, self.down = model, down
        self.documents: list[str] = []
        self.queries: list[str] = []

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if self.down:
            raise ModelError("The test has switched this embedder off.")
        (self.documents if role == "document" else self.queries).extend(texts)
        return await super().embed(texts, role)


def unchecked(**keywords: Any) -> dict[str, Any]:
    """Keyword arguments of which type checkers know nothing: for what only is refused at run time."""
    return keywords


class Home:
    """A place for a memory of its own: a new SQLite file, or a new space of a PostgreSQL database."""

    def __init__(self, url: str) -> None:
        self.url, self.space = url, f"space-{uuid4().hex}"

    def memory(self, embedder: Embedder | None = None, **settings: Any) -> AsyncBethink:
        """A memory here, not opened yet; by default with an embedder that needs no model."""
        keyword_only = settings.get("embed", {}).get("source") == "none"
        given = None if keyword_only else embedder or HashEmbedder()
        return AsyncBethink(self.url, embedder=given, **{"space": self.space, **settings})


@pytest.fixture(scope="session")
def spaces_postgres_url(postgres_server: str, postgres_schema: str) -> Iterator[str]:
    """One PostgreSQL database for many tests, which each have a space of their own in it."""
    with new_database(postgres_server, postgres_schema) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Where a memory can be opened, more than once if need be; once on each kind of database."""
    if request.param == "sqlite":
        return Home(str(tmp_path / "memory.db"))
    return Home(str(request.getfixturevalue("spaces_postgres_url")))


@pytest.fixture
def lone_home(database_url: str) -> Home:
    """The same in a database of its own: for what sees to every space of one, which elsewhere are many."""
    return Home(database_url)


@pytest.fixture
async def memory(home: Home) -> AsyncIterator[AsyncBethink]:
    """An open, empty memory."""
    async with home.memory() as opened:
        yield opened


async def add_person(space: AsyncSpace, name: str, *, aliases: Sequence[str] = ()) -> str:
    """Let someone live in a space; their id."""
    core, record = await space.inside.here()
    person = Person(
        id=new_id(),
        space_id=record.id,
        display_name=name,
        aliases=list(aliases),
        created_at=now(),
        updated_at=now(),
    )
    await core.driver.write(persons.add, person)
    return person.id


def texts(result: RecallResult) -> list[str]:
    """What a recall brought back, best first."""
    return [hit.text for hit in result.hits]


def about(hit: Hit) -> str | None:
    """The person whom what was found is about; some kinds of records are about nobody."""
    return getattr(hit.record, "person_id", None)
