"""The server as a process: its first words, its end, and what survives."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from bethink.clock import now
from bethink.errors import SettingsError, StoreError
from bethink.memory import AsyncBethink
from bethink.rest.home import KEY_FILE
from bethink.serve import app as serve
from bethink.serve.app import _address, _place, create_app, listen, run
from bethink.settings import Settings
from bethink.settings.sections import ServerSettings
from bethink.store import leases
from bethink.testing import HashEmbedder
from tests.opened import WatchedEmbedder
from tests.rest.serving import running
from tests.waiting import PATIENCE_SECONDS, eventually

PROGRAM = """
import sys
from datetime import timedelta
from bethink import access
from bethink.serve.app import run
from bethink.settings import Settings
access.LINK_LASTS = timedelta(days=1)  # so that no machine is too slow to follow the link
run(Settings.load(url=sys.argv[1], server={"port": 0}, embed={"source": sys.argv[2]}))
"""


class Process:
    """A server in a process of its own."""

    def __init__(self, url: str, source: str, *, terminal: bool = False) -> None:
        command = [sys.executable, "-c", PROGRAM, url, source]
        shown, screen = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(command, stdout=screen, stderr=subprocess.PIPE, text=True)
        os.close(screen)
        assert self.process.stderr is not None
        self._out, self._errors, self.words, self.url = os.fdopen(shown), self.process.stderr, "", ""
        while not self.url:
            line = self._out.readline()
            assert line, self._errors.read()
            self.words += line
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = found[0]

    def client(self, secret: str) -> httpx2.Client:
        headers = {"authorization": f"Bearer {secret}"}
        transport = httpx2.HTTPTransport(retries=5, verify=False)
        return httpx2.Client(
            base_url=self.url, headers=headers, timeout=PATIENCE_SECONDS, trust_env=False, transport=transport
        )

    def end(self, how: signal.Signals) -> tuple[int, str]:
        """Tell it to stop; its exit code and what it said besides."""
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE_SECONDS)
        with suppress(OSError):  # a terminal whose program has gone
            self.words += self._out.read()
        self._out.close()
        return code, self._errors.read()


@contextmanager
def started(url: str, source: str = "none", *, terminal: bool = False) -> Iterator[Process]:
    server = Process(url, source, terminal=terminal)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()
        server._out.close()


def secret_in(words: str) -> str:
    (secret,) = re.findall(r"BETHINK_KEY=(bk_\S+)", words)
    return str(secret)


def kept_secret(home: Path) -> str:
    """The key that a first start without a terminal put into a file."""
    return secret_in((home / KEY_FILE).read_text())


def test_the_first_start_hands_over_the_key_once_and_a_stop_loses_nothing(
    database_url: str, tmp_path: Path
) -> None:
    with started(database_url) as server:
        with httpx2.Client(timeout=PATIENCE_SECONDS, trust_env=False, verify=False) as client:
            assert client.get(f"{server.url}/healthz").status_code == 200
        code, errors = server.end(signal.SIGTERM)
        secret = kept_secret(tmp_path / "home")
        assert "Traceback" not in errors
        assert code == -signal.SIGTERM
        place = Path(database_url).name if "://" not in database_url else "PostgreSQL"
        assert place in server.words
        assert "postgres:" not in server.words
    with started(database_url) as server:
        with server.client(secret) as client:
            response = client.post("/api/memory", json={"content": "Acknowledged"})
            assert response.status_code == 201
        code, errors = server.end(signal.SIGINT)
        assert (code, errors.count("Traceback")) == (0, 0)
        assert "BETHINK_KEY" not in server.words
    with started(database_url) as server, server.client(secret) as client:
        assert [memory["content"] for memory in client.get("/api/memory").json()["items"]] == ["Acknowledged"]


def test_without_a_terminal_the_first_key_goes_into_a_private_file_and_not_into_the_log(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with started(str(tmp_path / "memory.db")) as server:
        _, errors = server.end(signal.SIGTERM)
    file = home / KEY_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    for secret in (kept_secret(home), "bk_", "/enter/"):
        assert secret not in server.words + errors
    assert str(file) in server.words


def test_a_key_of_another_database_is_not_overwritten(tmp_path: Path) -> None:
    for name in ("one.db", "other.db"):
        with started(str(tmp_path / name)) as server:
            server.end(signal.SIGTERM)
    kept = [secret_in(file.read_text()) for file in (tmp_path / "home").glob("admin-key*.env")]
    assert len(set(kept)) == 2


def test_at_a_terminal_the_first_start_prints_the_key_and_a_link_that_signs_a_browser_in(
    tmp_path: Path,
) -> None:
    with started(str(tmp_path / "memory.db"), terminal=True) as server:
        while "/enter/" not in server.words:
            server.words += server._out.readline()
        server.end(signal.SIGTERM)
        assert secret_in(server.words)
        assert not (tmp_path / "home").exists()
        (path,) = re.findall(r"(/enter/\S+)", server.words)
    browser = httpx2.Client(timeout=PATIENCE_SECONDS, trust_env=False, verify=False)
    with started(str(tmp_path / "memory.db")) as server, browser:
        assert browser.get(f"{server.url}{path}").status_code == 200
        who = browser.get(f"{server.url}/api/session").json()
        assert (who["role"], who["space"]) == ("admin", "default")
        assert browser.get(f"{server.url}{path}").status_code == 401
        server.end(signal.SIGTERM)
        assert "/enter/" not in server.words
        assert "bethink studio" in server.words


def test_the_local_model_answers_by_meaning(tmp_path: Path) -> None:
    url = str(tmp_path / "memory.db")
    with started(url, "local") as server, server.client(kept_secret(tmp_path / "home")) as client:
        for number in range(8):
            client.post("/api/memory", json={"content": f"The invoice number {number} was paid on time"})
        client.post("/api/memory", json={"content": "Anna gets a rash from peanuts"})
        result = client.post("/api/memory/search", json={"query": "food allergies"}).json()
        assert result["hits"][0]["text"] == "Anna gets a rash from peanuts"
        assert result["hits"][0]["vector"] is not None
        assert client.get("/readyz").json()["embedding"] == "ready"


def test_a_port_in_use_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        database = tmp_path / "memory.db"
        with pytest.raises(SettingsError, match=str(port)) as caught:
            run(Settings.load(environ={}, url=str(database), server={"port": port}))
    assert caught.value.field == "server.port"
    assert not database.exists()


def test_a_database_out_of_reach_is_said_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("This is no database, and it is long enough to be read as one. " * 20)
    with pytest.raises(StoreError, match=r"notes\.txt"):
        run(Settings.load(environ={}, url=str(tmp_path / "notes.txt"), server={"port": 0}))


def test_answers_do_not_wait_for_more_to_send() -> None:
    with listen(ServerSettings(port=0)) as listener:
        client = socket.create_connection(listener.getsockname())
        connection, _ = listener.accept()
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        connection.close()
        client.close()


def test_the_application_can_be_made_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BETHINK_URL", str(tmp_path / "other.db"))
    assert create_app().state.memory.settings.database_url == str(tmp_path / "other.db")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://me:pass-word@db.example:5433/notes", "PostgreSQL, db.example:5433/notes"),
        ("postgresql:///notes", "PostgreSQL, localhost/notes"),
        ("postgresql://me@/notes?host=/run/postgres&password=pass-word", "PostgreSQL, /run/postgres/notes"),
        ("postgres://me:pass@word@one:1,two:2/notes", "PostgreSQL, one:1,two:2/notes"),
        (":memory:", "memory only"),
    ],
)
def test_the_place_of_the_data_holds_no_password(url: str, said: str) -> None:
    assert _place(Settings.load(environ={}, url=url)) == said


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("memory.example", "http://memory.example:80"),
        ("::1", "http://[::1]:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://127.0.0.1:80"),
        ("", "http://127.0.0.1:80"),
    ],
)
def test_the_address_shown_can_be_opened(host: str, address: str) -> None:
    assert _address(Settings.load(environ={}, server={"host": host, "port": 80})) == address


def test_the_models_are_loaded_before_the_first_request(tmp_path: Path) -> None:
    embedder = WatchedEmbedder()
    with running(str(tmp_path / "memory.db"), embedder=embedder):
        eventually(lambda: embedder.queries)
    assert len(embedder.queries) == 1


async def test_an_idle_server_takes_over_what_a_killed_one_left(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "PATROL_SECONDS", 0.01)
    memory = AsyncBethink(database_url, embedder=HashEmbedder())
    app = create_app(memory=memory)
    async with app.router.lifespan_context(app), asyncio.timeout(PATIENCE_SECONDS):
        await memory.settle()
        other = AsyncBethink(database_url, embedder=WatchedEmbedder(down=True))
        async with other:
            await other.remember("Anna is allergic to peanuts")
            await other.settle()
            core, space = await other.space(other.settings.space).inside.here()
            taken = (f"vectors:{space.id}", "killed", now(), timedelta(seconds=-1))
            await core.driver.write(leases.take, *taken)
        while (await memory.stats()).awaiting_vectors:  # noqa: ASYNC110  (what is waited for is in the database)
            await asyncio.sleep(0.01)


async def test_a_defect_while_getting_ready_is_told_and_nothing_else_suffers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = AsyncBethink(str(tmp_path / "memory.db"), embedder=HashEmbedder())
    app = create_app(memory=memory)
    reached = asyncio.Event()

    async def fail() -> None:
        reached.set()
        raise FileNotFoundError("as if something were not there")

    monkeypatch.setattr(memory, "catch_up", fail)
    async with app.router.lifespan_context(app):
        await asyncio.wait_for(reached.wait(), PATIENCE_SECONDS)
        assert (await memory.remember("Anna is allergic to peanuts")).id
    assert "Getting ready for requests failed" in caplog.text


def test_an_import_does_not_keep_the_server_from_stopping(database_url: str, tmp_path: Path) -> None:
    notes = json.dumps([f"note number {number}" for number in range(100_000)]).encode()
    answers: list[httpx2.Response] = []
    with started(database_url) as server:
        secret = kept_secret(tmp_path / "home")
        with server.client(secret) as sender, server.client(secret) as asker:
            sending = threading.Thread(
                target=lambda: answers.append(sender.post("/api/import", content=notes, timeout=300))
            )
            sending.start()
            while asker.get("/api/memory").json()["total"] == 0:
                assert sending.is_alive()
            code, errors = server.end(signal.SIGTERM)
            sending.join()
        assert (answers[0].status_code, "being stopped" in answers[0].json()["detail"]) == (503, True)
        assert (code, errors.count("Traceback")) == (-signal.SIGTERM, 0)
    with started(database_url) as server, server.client(secret) as client:
        assert 0 < client.get("/api/memory").json()["total"] < 100_000
        assert "imported" not in [line["action"] for line in client.get("/api/journal").json()["items"]]
