"""/api/settings/vectors: the vector store, set, asked and cleaned up by HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from bethink.records import Role
from bethink.testing import HashEmbedder
from tests.rest.serving import Running, new_space, running
from tests.waiting import eventually

PATH = "/api/settings/vectors"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Of its own: a store is the whole server's."""
    url = str(tmp_path_factory.mktemp("vectors") / "memory.db")
    with running(url, embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def admin(server: Running) -> Iterator[httpx2.Client]:
    with server.client(server.key(new_space(), Role.ADMIN)) as client:
        client.post("/api/memory", json={"content": "The spare key is under the blue pot"})
        client.post("/api/memory", json={"content": "The boiler was serviced in May"})
        yield client
        client.put(PATH, json={"enabled": False, "apiKey": "", "port": None})


def test_a_store_is_chosen_searched_checked_and_left(admin: httpx2.Client) -> None:
    assert admin.get(PATH).json()["store"] == "embedded"
    place = admin.put(PATH, json={"enabled": True, "store": "sqlite-vec"}).json()
    assert (place["enabled"], place["store"]) == (True, "sqlite-vec")

    def filled() -> bool:
        status = admin.get("/api/memory/engine-status").json()["vectorStore"]
        return bool(status["stores"][0]["state"] == "ready" and status["lastResetAt"])

    eventually(filled)
    status = admin.get("/api/memory/engine-status").json()["vectorStore"]
    assert (status["answering"], status["vecLoaded"], status["topK"]) == ("sqlite-vec", True, 100)
    assert "tags" in status["byRows"]
    health = admin.get(f"{PATH}/health").json()
    assert (health["store"], health["ok"], health["error"]) == ("sqlite-vec", True, None)
    found = admin.post(f"{PATH}/search", json={"query": "spare key", "topK": 1}).json()
    assert [hit["text"] for hit in found["hits"]] == ["The spare key is under the blue pot"]
    cleaned = admin.post(f"{PATH}/cleanup", json={"dryRun": True}).json()
    assert (cleaned["expired"], cleaned["older"], cleaned["awaiting"]) == (0, 0, 0)
    assert admin.post(f"{PATH}/cleanup").json()["removed"] == 0
    assert admin.put(PATH, json={"enabled": False}).json()["store"] == "embedded"


def test_a_store_that_does_not_answer_is_told_so(admin: httpx2.Client) -> None:
    place = admin.put(
        PATH, json={"store": "qdrant", "host": "127.0.0.1", "port": 9, "apiKey": "a secret key"}
    ).json()
    assert (place["host"], place["port"], place["hasApiKey"]) == ("127.0.0.1", 9, True)
    health = admin.get(f"{PATH}/health").json()
    assert (health["ok"], health["store"]) == (False, "qdrant")
    assert admin.post(f"{PATH}/search", json={"query": "spare key"}).status_code == 503
    found = admin.post("/api/search", json={"query": "spare key"}).json()
    assert found["hits"][0]["engine"] == "terms+vector"
    assert "vector search by qdrant failed" in found["degraded"][0]
    for shown in (admin.get(PATH), admin.get("/api/journal"), admin.get("/api/settings/memory")):
        assert "a secret key" not in shown.text
    assert admin.put(PATH, json={"apiKey": ""}).json()["hasApiKey"] is False


@pytest.mark.parametrize("top_k", [0, 21])
def test_the_search_takes_one_to_twenty(admin: httpx2.Client, top_k: int) -> None:
    assert admin.post(f"{PATH}/search", json={"query": "key", "topK": top_k}).status_code == 422
