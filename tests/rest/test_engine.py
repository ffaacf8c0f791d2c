"""The engine over HTTP: its state, its sources, a recall tried out, a round trip, a reindex followed."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from numpy.typing import NDArray

from bethink.models.embed import EmbedRole
from bethink.recall.gather import AccessLog
from tests.models.embed.hosts import running_hub, unused_port
from tests.opened import WatchedEmbedder
from tests.rest.serving import Running, new_space, running
from tests.waiting import PATIENCE_SECONDS

MANY = 400


class HeldEmbedder(WatchedEmbedder):
    """Waits with documents until it may go on, so that a reindex can be watched."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.go_on.set()

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "document":
            await asyncio.to_thread(self.go_on.wait, PATIENCE_SECONDS)
        return await super().embed(texts, role)


def remember_many(client: httpx2.Client, number: int) -> None:
    lines = [f"Note {place} about a zebra" for place in range(number)]
    response = client.post("/api/import", json=lines)
    assert response.status_code == 200, response.text


def settled(server: Running) -> None:
    server.call(server.memory.settle())


def test_the_status_tells_what_searches_and_what_is_there(server: Running, client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "The zebra crossed the river"})
    client.put("/api/facts", json={"category": "a", "key": "b", "value": "c"})
    settled(server)
    status = client.get("/api/memory/engine-status").json()
    assert status["terms"]["state"] == "ready"
    assert status["terms"]["engine"] in ("fts5", "gin")
    embedding = status["embedding"]
    assert (embedding["source"], embedding["state"], embedding["dimensions"]) == ("testing", "ready", 64)
    assert embedding["reason"] == "the caller gave this embedder"
    assert embedding["signature"] == "testing:hash:64"
    assert status["vectorStore"]["name"] in ("embedded", "pgvector")
    assert status["layers"]["memory"] == {"total": 1, "embedded": 1}
    assert status["awaitingVectors"] == 0
    assert status["late"]["state"] == "off"
    assert status["reranker"]["enabled"] is False
    assert status["worth"].pop("state") in ("unopened", "ready")  # it is opened with the first message
    assert status["worth"] == {"model": "bethink-worth-1", "problem": None}
    assert (status["reindex"]["running"], status["reindex"]["pending"]) == (False, 0)
    assert (status["degraded"], status["tier"]) == ([], "fast")


def test_every_source_says_whether_it_could_be_used(member: httpx2.Client) -> None:
    items = member.get("/api/memory/embedding-providers").json()["items"]
    found = {item["source"]: item for item in items}
    assert set(found) >= {"local", "openai", "ollama", "static", "sentence-transformers"}
    assert (found["local"]["model"], found["local"]["dimensions"]) == ("bge-small-en-v1.5-int8", 384)
    assert (found["openai"]["available"], found["openai"]["hasKey"]) == (False, False)
    assert "embed.base_url" in found["openai"]["reason"]
    assert found["openai"]["needsKey"] is True
    assert all(item["reason"] for item in items)
    assert not any(item["inUse"] for item in items)


def test_an_ollama_that_runs_is_noticed(tmp_path: Path) -> None:
    version = tmp_path / "version"
    version.write_text("{}")
    with running_hub({"/api/version": version}) as (host, _):
        for url, there in ((host, True), (f"http://127.0.0.1:{unused_port()}", False)):
            settings: dict[str, Any] = {"embed": {"source": "none", "base_url": url, "api_key": "k"}}
            with (
                running(str(tmp_path / "m.db"), embedder=None, **settings) as server,
                server.client(server.key(new_space())) as client,
            ):
                items = client.get("/api/memory/embedding-providers").json()["items"]
                found = {item["source"]: item for item in items}
                assert found["ollama"]["available"] is there
                assert url in found["ollama"]["reason"]
                assert found["openai"]["available"] is True
                assert found["openai"]["hasKey"] is True


def test_a_preview_shows_everything_and_counts_nothing(
    server: Running, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[str] = []
    monkeypatch.setattr(AccessLog, "note", lambda _, hits: noted.extend(hit.id for hit in hits))
    for number in range(8):
        client.post("/api/memory", json={"content": f"Filler {number}", "pinned": number == 0})
    memory = client.post("/api/memory", json={"content": "The zebra crossed the river"}).json()
    settled(server)
    body = {"query": "zebra river", "strategy": "hybrid", "maxTokens": 500, "limit": 3}
    found = client.post("/api/memory/retrieve-preview", json=body).json()
    best = found["hits"][0]
    assert (best["id"], best["engine"]) == (memory["id"], "terms+vector")
    parts = ("fused", "pinned", "person", "speaker", "answer", "recency", "rerank")
    assert best["score"] == pytest.approx(sum(best[part] for part in parts))
    assert best["tokens"] > 0
    assert (found["engine"], found["strategy"], found["tier"]) == ("hybrid", "hybrid", "fast")
    assert found["signature"] == "testing:hash:64"
    assert found["vectorStore"] in ("embedded", "pgvector")
    assert {"search", "terms", "embed", "vector", "gather"} <= set(found["times"])
    assert found["degraded"] == []
    recent = client.post("/api/memory/retrieve-preview", json={"query": "zebra", "strategy": "recent"}).json()
    assert (recent["engine"], recent["signature"]) == ("recent", None)
    semantic = client.post(
        "/api/memory/retrieve-preview", json={"query": "zebra", "strategy": "semantic"}
    ).json()
    assert semantic["engine"] == "vector"
    assert memory["id"] not in noted
    client.post("/api/search", json={"query": "zebra"})
    assert memory["id"] in noted  # as it is by a recall


def test_a_round_trip_works_and_leaves_no_trace(server: Running, client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "The only memory"})
    settled(server)
    lines = client.get("/api/journal").json()["items"]
    for _ in range(2):
        health = client.get("/api/memory/health").json()
        assert health["working"] is True, health
        assert health["error"] is None
        assert [step["name"] for step in health["steps"]] == ["write", "terms", "embed", "vector", "delete"]
        assert all(step["ok"] for step in health["steps"])
    assert client.get("/api/memory").json()["total"] == 1
    assert client.get("/api/stats").json()["layers"] == {"memory": {"total": 1, "embedded": 1}}
    assert client.get("/api/journal").json()["items"] == lines
    for query in ("health check", "The health check looks for"):
        hits = client.post("/api/search", json={"query": query}).json()["hits"]
        assert [hit["text"] for hit in hits] == ["The only memory"]
    assert b"health-check" not in client.get("/api/export").content


def test_health_is_false_while_the_embedder_is_down_and_says_so(tmp_path: Path) -> None:
    embedder = WatchedEmbedder()
    url = str(tmp_path / "memory.db")
    with (
        running(url, embedder=embedder, embed={"retry_seconds": 0}) as server,
        server.client(server.key(new_space())) as client,
    ):
        assert client.get("/api/memory/health").json()["working"] is True
        embedder.down = True
        health = client.get("/api/memory/health").json()
        assert health["working"] is False
        assert "switched this embedder off" in health["error"]
        steps = {step["name"]: step["ok"] for step in health["steps"]}
        assert steps == {"write": True, "terms": True, "embed": False, "delete": True}
        assert client.get("/api/memory").json()["total"] == 0
        status = client.get("/api/memory/engine-status").json()
        assert status["embedding"]["state"] == "failing"
        assert status["lastErrors"][0]["part"] == "embedding"
        assert status["lastErrors"][0]["at"]
        assert status["degraded"]
        embedder.down = False
        assert client.get("/api/memory/health").json()["working"] is True
        after = client.get("/api/memory/engine-status").json()
        assert (after["embedding"]["state"], after["degraded"]) == ("ready", [])
        assert after["lastErrors"][0]["part"] == "embedding"


def test_without_an_embedding_source_health_is_false(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"embed": {"source": "none"}}
    with (
        running(str(tmp_path / "memory.db"), embedder=None, **settings) as server,
        server.client(server.key(new_space())) as client,
    ):
        health = client.get("/api/memory/health").json()
        assert health["working"] is False
        assert "no embedding source" in health["error"]


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("event:")]
    return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in blocks]


def test_a_reindex_is_started_and_followed_to_its_end(tmp_path: Path) -> None:
    embedder = HeldEmbedder()
    with (
        running(str(tmp_path / "memory.db"), embedder=embedder) as server,
        server.client(server.key(new_space())) as client,
    ):
        remember_many(client, MANY)
        settled(server)
        nothing = client.post("/api/memory/reindex")
        assert (nothing.status_code, nothing.json()["pending"]) == (202, 0)
        server.call(_idle(server))
        made = len(embedder.documents)
        embedder.go_on.clear()
        started = client.post("/api/memory/reindex", json={"force": True})
        assert (started.status_code, started.json()) == (202, {"started": True, "pending": MANY})
        assert client.post("/api/memory/reindex", json={}).json()["started"] is False
        assert client.get("/api/memory/reindex").json()["running"] is True
        with client.stream("GET", "/api/memory/reindex/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            next(stream.iter_lines())  # and hang up in the middle
        embedder.go_on.set()
        heard = events(client.get("/api/memory/reindex/events").text)
        assert [name for name, _ in heard][-1] == "done"
        assert "done" not in [name for name, _ in heard][:-1]
        last = heard[-1][1]
        assert (last["running"], last["pending"], last["done"], last["total"]) == (False, 0, MANY, MANY)
        pending = [status["pending"] for _, status in heard]
        assert pending == sorted(pending, reverse=True)
        assert last["error"] is None
        assert last["finishedAt"]
        assert len(embedder.documents) == made + MANY
        again = events(client.get("/api/memory/reindex/events").text)
        assert [name for name, _ in again] == ["done"]


async def _idle(server: Running) -> None:
    await server.memory.settle()


def test_a_reindex_that_cannot_go_on_says_why(tmp_path: Path) -> None:
    embedder = WatchedEmbedder()
    with (
        running(str(tmp_path / "memory.db"), embedder=embedder, embed={"retry_seconds": 0}) as server,
        server.client(server.key(new_space())) as client,
    ):
        remember_many(client, 20)
        settled(server)
        embedder.down = True
        assert client.post("/api/memory/reindex", json={"force": True}).status_code == 202
        server.call(_idle(server))
        status = client.get("/api/memory/reindex").json()
        assert (status["running"], status["pending"]) == (False, 20)
        assert "switched this embedder off" in status["error"]
        embedder.down = False
        assert client.post("/api/memory/reindex").json() == {"started": True, "pending": 20}
        server.call(_idle(server))
        assert client.get("/api/memory/reindex").json()["pending"] == 0
