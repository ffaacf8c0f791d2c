from __future__ import annotations

from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from bethink.rest import health
from tests.opened import WatchedEmbedder
from tests.rest.serving import Running, new_space, running


def test_a_server_is_alive_and_ready_without_a_key(server: Running) -> None:
    with server.client() as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"status": "ready", "database": "ok", "embedding": "ready", "reasons": []}


def test_monitors_may_ask_for_the_head_alone(server: Running) -> None:
    with server.client() as client:
        for path in ("/healthz", "/readyz"):
            response = client.head(path)
            assert (response.status_code, response.content) == (200, b"")


def test_without_an_embedding_source_it_works_and_says_what_is_missing(database_url: str) -> None:
    with running(database_url, embed={"source": "none"}, embedder=None) as server, server.client() as client:
        response = client.get("/readyz")
        assert (response.status_code, response.json()["status"]) == (200, "degraded")
        assert response.json()["embedding"] == "off"
        assert "/api/stats" in response.json()["reasons"][0]
        assert "Degraded" in client.get("/").text
        client.headers["x-api-key"] = server.key(new_space())
        client.post("/api/memory", json={"content": "Found by its words"})
        result = client.post("/api/memory/search", json={"query": "words"}).json()
    assert [hit["text"] for hit in result["hits"]] == ["Found by its words"]
    assert result["degraded"]


def test_a_failing_embedding_source_is_degraded_until_it_is_back(database_url: str) -> None:
    embedder = WatchedEmbedder(down=True)
    settings = {"embed": {"retry_seconds": 0}}
    with running(database_url, embedder=embedder, **settings) as server, server.client() as client:
        client.headers["x-api-key"] = server.key(new_space())
        client.post("/api/memory", json={"content": "Stored all the same"})
        search = {"query": "stored"}
        assert client.post("/api/memory/search", json=search).json()["degraded"]
        readiness = client.get("/readyz").json()
        assert (readiness["status"], readiness["embedding"]) == ("degraded", "failing")
        embedder.down = False
        assert client.post("/api/memory/search", json=search).json()["degraded"] == []
        assert client.get("/readyz").json()["status"] == "ready"


def test_a_database_out_of_reach_is_said_without_its_address(
    postgres_url: str,
    postgres_server: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.5)
    name = urlsplit(postgres_url).path.removeprefix("/")
    with running(postgres_url) as server, server.client() as client:
        assert client.get("/readyz").status_code == 200
        switch(postgres_server, name, on=False)
        response = client.get("/readyz")
        page = client.get("/")
        assert client.get("/healthz").status_code == 200
        switch(postgres_server, name, on=True)
    assert response.status_code == 503
    assert (response.json()["status"], response.json()["database"]) == ("down", "down")
    assert page.status_code == 200
    assert "Down." in page.text
    for text in (response.text, page.text):
        assert name not in text
    assert "does not answer" in caplog.text


def switch(postgres_server: str, name: str, *, on: bool) -> None:
    """Let connections into a database, or throw them out and let none in."""
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        allow = SQL("true" if on else "false")
        admin.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}").format(Identifier(name), allow))
        if not on:
            those = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            admin.execute(those, (name,))
