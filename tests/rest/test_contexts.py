from __future__ import annotations

import httpx2


def test_contexts_over_http(client: httpx2.Client) -> None:
    made = client.post("/api/contexts", json={"name": "CV", "content": "A nurse in Porto"})
    assert made.status_code == 201
    path = made.headers["location"]
    assert client.get(path).json()["content"] == "A nurse in Porto"
    assert client.patch(path, json={"name": "Life"}).json()["name"] == "Life"
    begun = client.post(
        "/api/sessions", json={"id": "talk/1", "title": "Work", "contextIds": [made.json()["id"]]}
    )
    assert begun.status_code == 201
    assert begun.headers["location"] == "/api/sessions/talk/1/messages"
    given = client.get("/api/contexts", params={"sessionId": "talk/1"}).json()["items"]
    assert [context["name"] for context in given] == ["Life"]
    assert client.delete(path).status_code == 200
    assert client.get(path).status_code == 404
    assert client.get("/api/contexts").json() == {"items": []}


def test_a_session_may_be_named_by_the_server(client: httpx2.Client) -> None:
    made = client.post("/api/sessions", json={"title": "New"}).json()
    assert made["id"]
    taken = client.post(f"/api/sessions/{made['id']}/messages", json={"messages": [{"content": "hi"}]})
    assert taken.status_code == 201
    refused = client.post("/api/sessions", json={"contextIds": ["nobody"]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "contextIds")
