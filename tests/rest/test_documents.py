from __future__ import annotations

import hashlib
from typing import Any

import httpx2

TEXT = b"# Leave\n\nEverybody has thirty days of leave a year."


def test_a_file_is_sent_followed_searched_replaced_and_removed(client: httpx2.Client) -> None:
    sent = client.post("/api/documents", params={"name": "leave.md"}, content=TEXT)
    assert sent.status_code == 201
    place = sent.headers["location"]
    with client.stream("GET", f"{place}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        told = "".join(events.iter_text())
    assert told.startswith("event: progress\ndata: ")
    assert told.rstrip().endswith('"embedded":1}')
    assert '"status":"ready"' in told
    found = client.post("/api/documents/search", json={"query": "days of leave", "limit": 1}).json()
    (hit,) = found["hits"]
    assert (hit["documentName"], hit["title"], hit["citation"]) == ("leave.md", "Leave", "leave.md, Leave")
    assert client.get(f"{place}/content", params={"offset": 2, "limit": 5}).json()["text"] == "Leave"
    original = client.get(f"{place}/original")
    assert original.content == TEXT
    assert original.headers["content-disposition"] == "attachment; filename*=UTF-8''leave.md"
    assert (
        client.post("/api/documents", params={"name": "a.md"}, content=TEXT).json()["status"] == "duplicate"
    )
    replaced = client.put(f"{place}/content", content=b"Everybody has forty days.").json()
    assert (replaced["status"], replaced["document"]["name"]) == ("replaced", "leave.md")
    assert client.delete(place).json()["name"] == "leave.md"
    assert client.get(place).status_code == 404


def test_a_file_is_sent_in_pieces(client: httpx2.Client) -> None:
    place = f"/api/documents/uploads/{hashlib.sha256(TEXT).hexdigest()}"
    how: dict[str, Any] = {"name": "leave.md", "size": len(TEXT)}
    assert client.put(place, params=how, content=TEXT[:10]).json()["received"] == 10
    assert client.get(place).json()["received"] == 10
    assert client.put(place, params={**how, "offset": 20}, content=TEXT[20:]).status_code == 409
    done = client.put(place, params={**how, "offset": 10}, content=TEXT[10:]).json()
    assert done["added"]["document"]["sizeBytes"] == len(TEXT)


def test_what_is_no_file_is_refused(client: httpx2.Client) -> None:
    form = client.post("/api/documents", params={"name": "a.md"}, files={"file": TEXT})
    assert form.status_code == 415
    assert "--data-binary" in form.json()["detail"]
    assert client.post("/api/documents", params={"name": "a.md"}, content=b"").status_code == 422
    assert client.get("/api/documents", params={"status": "lost"}).status_code == 422
