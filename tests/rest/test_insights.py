from __future__ import annotations

import httpx2


def test_insights_over_http(client: httpx2.Client) -> None:
    draft = {"title": "Fix the login", "kind": "task", "dedupeKey": "login", "people": ["Ana"]}
    made = client.post("/api/insights", json=draft)
    assert (made.status_code, made.json()["status"]) == (201, "stored")
    path = made.headers["location"]
    assert client.post("/api/insights", json=draft).status_code == 200
    assert client.get(path).json()["weights"]["accessCount7d"] == 0
    assert client.post(f"{path}/view").json()["weights"]["accessCount7d"] == 1
    assert client.post(f"{path}/favourite").json()["weights"]["favourite"] is True
    assert client.put(f"{path}/weight", json={"multiplier": 2}).json()["weights"]["boost"] == 3.0
    assert client.put(f"{path}/weight", json={"multiplier": 9}).status_code == 422
    assert client.delete(f"{path}/favourite").json()["weights"]["favouriteScore"] == 0
    assert client.patch(path, json={"importance": "high"}).json()["importance"] == "high"
    listed = client.get("/api/insights", params={"kind": ["task", "decision"], "person": "ana"}).json()
    assert [one["weights"]["currentEventRank"] for one in listed["items"]] == [1]
    assert client.get("/api/insights", params={"importance": "low"}).json() == {"items": [], "total": 0}
    closed = client.post(f"{path}/resolve", json={"because": "fixed"}).json()
    assert (closed["status"], closed["closedBecause"]) == ("closed", "fixed")
    assert client.post(f"{path}/reopen").json()["status"] == "open"
    other = client.post("/api/insights", json={"title": "Login is broken"}).json()["id"]
    merged = client.post(f"{path}/merge", json={"others": [other]}).json()
    assert merged["timeline"][-1]["event"] == "merged"
    usage = client.get("/api/insights/usage").json()
    assert (usage["total"], usage["views7d"], usage["byKind"]) == (1, 1, {"task": 1})
    assert client.delete(path, params={"reason": "done"}).status_code == 200
    assert client.get(path).status_code == 404
