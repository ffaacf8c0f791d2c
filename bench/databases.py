"""A new, empty database to measure on, gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4


@contextmanager
def new_database(postgres: str | None) -> Iterator[str]:
    """The URL of a new SQLite file, or of a new database on the PostgreSQL server of the URL given."""
    if postgres is None:
        with tempfile.TemporaryDirectory(prefix="bethink-bench-") as folder:
            yield str(Path(folder) / "memory.db")
        return
    import psycopg
    from psycopg.sql import SQL, Identifier

    name = f"bethink_bench_{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
    try:
        yield urlunsplit(urlsplit(postgres)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(postgres, autocommit=True) as server:
            server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def stored_bytes(url: str) -> int:
    """The room a database takes on its disk."""
    if not url.startswith("postgres"):
        return sum(file.stat().st_size for file in Path(url).parent.glob(f"{Path(url).name}*"))
    import psycopg

    with psycopg.connect(url) as database:
        row = database.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0
