from __future__ import annotations

import httpx2


def test_a_change_is_listed_and_undone(client: httpx2.Client) -> None:
    memory_id = client.post("/api/memory", json={"content": "tea"}).json()["id"]
    client.patch(f"/api/memory/{memory_id}", json={"content": "coffee"})
    client.delete(f"/api/memory/{memory_id}")
    listed = client.get("/api/journal", params={"recordId": memory_id, "limit": 2})
    assert listed.status_code == 200
    forgotten, updated = listed.json()["items"]
    assert (forgotten["action"], updated["action"]) == ("forgotten", "updated")
    assert updated["before"] == {"content": "tea"}
    assert updated["actor"].startswith("key:")
    for line in (forgotten, updated):
        undone = client.post(f"/api/journal/{line['id']}/undo")
        assert undone.status_code == 200
        assert undone.json()["undone"] == line["id"]
    assert undone.json()["record"]["content"] == "tea"
    assert client.get(f"/api/memory/{memory_id}").json()["content"] == "tea"
    rest = client.get("/api/journal", params={"cursor": listed.json()["nextCursor"], "recordId": memory_id})
    assert [line["action"] for line in rest.json()["items"]] == ["stored"]
    assert rest.json()["nextCursor"] is None


def test_what_cannot_be_undone_is_a_problem(client: httpx2.Client) -> None:
    memory_id = client.post("/api/memory", json={"content": "tea"}).json()["id"]
    line = client.get("/api/journal").json()["items"][0]
    refused = client.post(f"/api/journal/{line['id']}/undo")
    assert refused.status_code == 409
    assert "cannot be undone" in refused.json()["detail"]
    assert client.post(f"/api/journal/{memory_id}/undo").status_code == 404
    assert client.get("/api/journal", params={"cursor": "x"}).status_code == 422
    assert client.get("/api/journal", params={"recrodId": "x"}).status_code == 422


def test_the_fields_of_a_change_have_the_names_of_the_record(client: httpx2.Client) -> None:
    draft = {"content": "tea", "sessionId": "monday", "metadata": {"set_by": "Anna"}}
    memory = client.post("/api/memory", json=draft).json()["memory"]
    client.delete(f"/api/memory/{memory['id']}")
    line = client.get("/api/journal", params={"action": "forgotten"}).json()["items"][0]
    assert line["before"] == memory
    assert client.post(f"/api/journal/{line['id']}/undo").json()["record"] == memory
