from __future__ import annotations

import httpx2


def test_readings_are_listed_and_run(client: httpx2.Client) -> None:
    said = {"messages": [{"content": "I live in Lisbon."}, {"content": "thanks"}]}
    client.post("/api/sessions/talk/messages", json=said)
    done = client.post("/api/upkeep/extract").json()
    assert done["failed"] == 0
    assert [one["content"] for one in client.get("/api/memory").json()["items"]] == ["I live in Lisbon"]
    (read,) = client.get("/api/extractions", params={"sessionId": "talk"}).json()["items"]
    assert (read["extractor"], read["status"], read["reason"]) == ("patterns", "ok", "it is thanks")
    assert client.get("/api/extractions", params={"status": "failed"}).json()["items"] == []
    assert client.post("/api/upkeep/extract", params={"retry": True}).json()["sessions"] == 0
