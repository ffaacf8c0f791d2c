from __future__ import annotations

import httpx2


def test_an_audit_and_its_fixes(client: httpx2.Client) -> None:
    assert client.get("/api/audit").json()["found"] == []
    client.post("/api/memory", json={"content": "Ana lives in Porto"})
    client.post("/api/memory", json={"content": "ana lives in porto!"})
    (found,) = client.get("/api/audit").json()["found"]
    assert (found["kind"], found["fix"]) == ("duplicate", "merge")
    done = client.post("/api/audit/fix", json={"ids": [found["id"]]})
    assert done.json() == {"fixed": 1, "forgotten": 1, "gone": 0}
    assert client.post("/api/audit/fix", json={"kinds": ["dust"]}).status_code == 422
