"""New PostgreSQL databases, on the server of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
from psycopg.sql import SQL, Identifier

# It takes no connections, so another test process cannot be in the way.
EMPTY = "template0"
COPYING_IS_CHOSEN = 15_00_00  # the first version that is told how to copy


@contextmanager
def new_database(server_url: str, template: str = EMPTY) -> Iterator[str]:
    """The URL of a new database, dropped in the end: empty, or a copy of another one of the server."""
    name = f"bethink_test_{uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as server:
        by_file = server.info.server_version >= COPYING_IS_CHOSEN  # in half the time
        create = "CREATE DATABASE {} TEMPLATE {}" + " STRATEGY FILE_COPY" * by_file
        server.execute(SQL(create).format(Identifier(name), Identifier(template)))
    yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
