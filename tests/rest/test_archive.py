from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from tests.rest.serving import Running, new_space

CHATS = Path(__file__).parent.parent / "transfer" / "chats" / "data"


def fill(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "The boiler is serviced every May", "key": "boiler"})
    client.put("/api/facts", json={"category": "food", "key": "allergy", "value": "peanuts"})
    client.post("/api/sessions/chat/messages", json={"messages": [{"content": "hello", "id": "m1"}]})


def test_a_space_is_exported_and_comes_back_after_it_was_erased(client: httpx2.Client) -> None:
    fill(client)
    response = client.get("/api/export")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/x-ndjson")
    assert "attachment" in response.headers["content-disposition"]
    archive = response.content
    assert int(response.headers["content-length"]) == len(archive)
    assert b"The boiler is serviced" in archive
    known = client.post("/api/import", content=archive)
    assert known.status_code == 200
    assert (known.json()["stored"], known.json()["format"]) == ({}, "bethink")
    client.post("/api/erase", json={"everything": True})
    back = client.post("/api/import", content=archive).json()
    assert (back["stored"]["memory"], back["stored"]["fact"], back["stored"]["message"]) == (1, 1, 1)
    assert client.get("/api/memory").json()["items"][0]["key"] == "boiler"


def test_other_shapes_are_taken_too(client: httpx2.Client) -> None:
    done = client.post("/api/import", content=b'[{"memory": "Loves hiking", "id": "1"}]')
    assert (done.status_code, done.json()["format"]) == (200, "mem0")
    assert client.get("/api/memory").json()["total"] == 1


def test_what_is_wrong_is_named_by_line_and_field(client: httpx2.Client) -> None:
    for body, detail in (
        (b'["a",\n{"content": ""}]', "line 2: 1.content"),
        (b'{"format": "bethink", "version": 9}', "line 1: version"),
        (b"", "line 1: is not valid JSON"),
    ):
        refused = client.post("/api/import", content=body)
        assert refused.status_code == 422
        assert detail in refused.json()["detail"]
    form = client.post("/api/import", files={"file": b'["a"]'})
    assert (form.status_code, "--data-binary" in form.json()["detail"]) == (415, True)
    assert client.get("/api/memory").json()["total"] == 0


@pytest.mark.parametrize("streamed", [True, False])
def test_an_upload_may_be_large_but_not_too_large(sqlite_server: Running, streamed: bool) -> None:
    def body(size: int) -> object:
        whole = b'["' + b"a" * size + b'"]'
        return iter([whole[: size // 2], whole[size // 2 :]]) if streamed else whole

    with sqlite_server.client(sqlite_server.key(new_space())) as client:
        assert client.post("/api/import", content=body(900_000)).status_code == 200  # type: ignore[arg-type]
        refused = client.post("/api/import", content=body(7_000_000))  # type: ignore[arg-type]
        assert refused.status_code == 413
        assert "server.max_upload_bytes" in refused.json()["detail"]


def test_conversations_are_taken_too(client: httpx2.Client) -> None:
    chat = (CHATS / "WhatsApp Chat with Bob.txt").read_bytes()
    refused = client.post("/api/import", content=chat)
    assert (refused.status_code, "which of its people you are" in refused.json()["detail"]) == (422, True)
    options = {
        "me": ["Anna"],
        "name": "WhatsApp Chat with Bob.txt",
        "timezone": "Europe/Berlin",
        "dateOrder": "mdy",
    }
    done = client.post("/api/import", content=chat, params=options)
    assert (done.status_code, done.json()["format"]) == (200, "whatsapp")
    assert done.json()["stored"] == {"session": 1, "message": 6}
    messages = client.get("/api/sessions/whatsapp:Bob/messages").json()["items"]
    assert [message["role"] for message in messages[:2]] == ["user", "contact"]
    assert (messages[0]["sentAt"], messages[0]["sentOffset"]) == ("2023-05-08T11:56:00Z", 120)
    assert client.post("/api/import", content=chat, params={"colour": "red"}).status_code == 422
