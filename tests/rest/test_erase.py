from __future__ import annotations

import httpx2

TEXT = "The zebra cipher opens the vault at midnight"


def test_a_dry_run_then_the_erasure_and_its_receipt(client: httpx2.Client) -> None:
    memory_id = client.post("/api/memory", json={"content": TEXT}).json()["id"]
    client.post("/api/sessions/chat/messages", json={"messages": [{"content": f"Listen: {TEXT}"}]})
    would = client.post("/api/erase", json={"query": "zebra", "dryRun": True})
    assert would.status_code == 200
    assert (would.json()["dryRun"], would.json()["erased"]["messages"]) == (True, 1)
    assert {"noun": "memory", "id": memory_id, "field": None} in would.json()["records"]
    assert client.get(f"/api/memory/{memory_id}").status_code == 200
    receipt = client.post("/api/erase", json={"query": "zebra"}).json()
    assert receipt["complete"] is True
    assert receipt["actor"].startswith("key:")
    assert (
        receipt["proof"]["idsFound"] == receipt["proof"]["textsFound"] == receipt["proof"]["elsewhere"] == []
    )
    assert receipt["storage"]["scrubbed"] is (receipt["storage"]["database"] == "sqlite")
    assert "zebra" not in str(receipt)
    assert client.get(f"/api/memory/{memory_id}").status_code == 404
    assert client.get("/api/sessions/chat/messages").json()["items"] == []
    assert "zebra" not in client.get("/api/journal").text


def test_everything_goes_and_the_key_still_works(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": TEXT})
    assert client.post("/api/erase", json={"everything": True}).json()["complete"] is True
    assert client.get("/api/stats").json()["layers"] == {}


def test_what_cannot_be_erased_is_a_problem(client: httpx2.Client) -> None:
    assert client.post("/api/erase", json={"memoryIds": ["x"]}).status_code == 404
    for wrong in ({}, {"query": "a", "everything": True}, {"querry": "a"}, {"query": ""}):
        assert client.post("/api/erase", json=wrong).status_code == 422
