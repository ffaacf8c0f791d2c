from __future__ import annotations

import httpx2


def test_messages_over_http(client: httpx2.Client) -> None:
    turns = [{"content": "The boiler is loud. " * 20, "channel": "home"}, {"content": "Lunch?"}]
    said = client.post("/api/sessions/chat/messages", json={"messages": turns}).json()
    path = f"/api/messages/{said['outcomes'][0]['id']}"
    listed = client.get("/api/messages", params={"channel": "home", "tier": "short"}).json()
    assert (listed["total"], len(listed["items"]), listed["nextCursor"]) == (1, 1, None)
    assert client.post(f"{path}/pin").json()["pinned"]
    assert not client.delete(f"{path}/pin").json()["pinned"]
    assert client.post(f"{path}/archive").json()["archivedAt"]
    assert len(client.get(path).json()["content"]) < len(turns[0]["content"])
    assert client.get(path, params={"original": "true"}).json()["content"] == turns[0]["content"]
    assert client.delete(f"{path}/archive").json()["archivedAt"] is None
    assert client.patch(path, json={"name": "Ana", "importance": 0.5}).json()["name"] == "Ana"
    assert client.patch(path, json={"importance": 2}).status_code == 422
    assert client.delete(path, params={"reason": "a joke"}).status_code == 200
    assert client.get(path).status_code == 404
