from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg

import tests

PROJECT = Path(tests.__file__).parent.parent


def test_a_database_is_new_and_takes_the_vector_extension(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as database:
        tables = database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        database.execute("CREATE EXTENSION vector")
        distance = database.execute("SELECT '[1,2,3]'::vector <-> '[1,2,5]'::vector").fetchone()
    assert tables == (0,)
    assert distance == (2.0,)


def test_the_server_goes_when_the_process_that_asked_for_it_is_killed() -> None:
    asks_and_waits = (
        "from tests.postgres_server import running_server\n"
        "with running_server() as url: print(url, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", asks_and_waits],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().strip()
        folder = Path(parse_qs(urlsplit(url).query)["host"][0])
        psycopg.connect(url).close()
        process.kill()
        # The keeper has this end of the pipe too, so it is gone when the pipe is.
        assert process.stderr.read() == ""
    assert not folder.exists()
