from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx2


def fill(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "Anna grows tomatoes", "pinned": True})
    client.put("/api/facts", json={"category": "garden", "key": "tomatoes", "value": "by the wall"})
    client.post(
        "/api/sessions/garden/messages",
        json={"messages": [{"role": "user", "name": "Anna", "content": "The tomatoes are ripe"}]},
    )


def test_memory_search_brings_memories_with_every_part_of_their_scores(client: httpx2.Client) -> None:
    fill(client)
    response = client.post("/api/memory/search", json={"query": "tomatoes", "layers": ["memory"]})
    assert response.status_code == 200
    result = response.json()
    assert [hit["layer"] for hit in result["hits"]] == ["memory"]
    hit = result["hits"][0]
    assert hit["record"]["content"] == hit["text"] == "Anna grows tomatoes"
    assert hit["pinned"] > 0
    assert hit["score"] > hit["fused"] - hit["pinned"]
    parts = {"fused", "vector", "terms", "person", "recency", "rerank", "tokens", "engine", "degraded"}
    assert parts <= hit.keys()
    assert result["degraded"] == []


def test_memory_search_refuses_other_layers(client: httpx2.Client) -> None:
    response = client.post("/api/memory/search", json={"query": "x", "layers": ["memory", "fact"]})
    assert (response.status_code, response.json()["field"]) == (422, "layers")
    assert "/api/search" in response.json()["detail"]


def test_search_goes_over_every_layer_or_those_named(client: httpx2.Client) -> None:
    fill(client)
    hits = client.post("/api/search", json={"query": "tomatoes"}).json()["hits"]
    assert {hit["layer"] for hit in hits} == {"fact", "memory", "message"}
    hits = client.post("/api/search", json={"query": "tomatoes", "layers": ["fact"]}).json()["hits"]
    assert [hit["record"]["value"] for hit in hits] == ["by the wall"]


def test_filters_reach_the_search(client: httpx2.Client) -> None:
    fill(client)
    for body in (
        {"query": "tomatoes", "tags": ["none"]},
        {"query": "tomatoes", "until": "2001-01-01T00:00:00Z"},
        {"query": "tomatoes", "sessionIds": []},
    ):
        assert client.post("/api/search", json=body).json()["hits"] == [], body
    assert len(client.post("/api/search", json={"query": "tomatoes", "limit": 1}).json()["hits"]) == 1


def test_a_query_over_its_limit_is_too_large(member: httpx2.Client) -> None:
    for response in (
        member.post("/api/search", json={"query": "x" * 20_001}),
        member.get("/api/memory", params={"q": "x" * 20_001}),
    ):
        assert (response.status_code, response.json()["field"]) == (413, "query")


def test_stats_count_what_is_there(client: httpx2.Client, space: str) -> None:
    fill(client)
    stats = client.get("/api/stats").json()
    assert stats["space"] == space
    assert {layer: count["total"] for layer, count in stats["layers"].items()} == {
        "fact": 1,
        "memory": 1,
        "message": 1,
    }
    assert (stats["embeddingSource"], stats["embeddingState"]) == ("testing", "ready")


def test_growth_counts_the_days_that_records_are_of(client: httpx2.Client) -> None:
    now = datetime.now(UTC)
    for days, content in (
        (0, "Tea is green"),
        (3, "Ships are long"),
        (3, "Trains are red"),
        (200, "Old oak"),
    ):
        at = (now - timedelta(days=days)).isoformat()
        client.post("/api/memory", json={"content": content, "observedAt": at}).raise_for_status()
    grown = client.get("/api/stats/growth", params={"days": 30}).json()
    then = (now - timedelta(days=3)).date().isoformat()
    assert grown["before"] == 1
    assert grown["days"] == [
        {"day": then, "counts": {"memory": 2}},
        {"day": now.date().isoformat(), "counts": {"memory": 1}},
    ]
    assert client.get("/api/stats/growth", params={"days": 0}).status_code == 422


def test_the_map_has_a_point_for_each_record_and_masks_what_is_secret(client: httpx2.Client) -> None:
    assert client.get("/api/map").json()["points"] == []
    for content in ("The boiler is blue", "The boiler is loud", "my password is hunter2-Xq9"):
        client.post("/api/memory", json={"content": content, "type": "factual"}).raise_for_status()
    client.get("/api/memory/health").raise_for_status()  # the vectors of what is new are made first
    client.post("/api/upkeep/vectors/run", json={}).raise_for_status()
    drawn = client.get("/api/map").json()
    assert {point["category"] for point in drawn["points"]} == {"factual"}
    assert len(drawn["points"]) == 3
    assert drawn["signature"]
    assert "hunter2" not in str(drawn)
    assert len(client.get("/api/map", params={"limit": 2}).json()["points"]) == 2
    assert client.get("/api/map", params={"limit": 0}).status_code == 422


def test_without_a_chat_model_its_check_says_so(client: httpx2.Client) -> None:
    checked = client.post("/api/memory/chat-check").json()
    assert checked["working"] is False
    assert "chat" in checked["error"]
