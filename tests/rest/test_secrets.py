"""Who may see secrets over HTTP, and who gets marks."""

from __future__ import annotations

import pytest

from bethink.records import Role
from tests.rest.serving import Running

SAID = "the wifi password is Tulip!77x"
FACT = {"category": "home", "key": "door_code"}


@pytest.fixture
def filled(server: Running, space: str) -> str:
    with server.client(server.key(space, Role.MEMBER)) as client:
        client.put("/api/facts", json={**FACT, "value": "8812"}).raise_for_status()
        client.put("/api/soul", json={"content": f"Be kind. {SAID}"}).raise_for_status()
        messages = [{"role": "user", "content": SAID}]
        client.post("/api/sessions/s/messages", json={"messages": messages}).raise_for_status()
        stored = client.post("/api/memory", json={"content": SAID}).raise_for_status()
    return str(stored.json()["id"])


@pytest.mark.parametrize("role", [Role.READER, Role.MEMBER, Role.ADMIN])
def test_readers_get_marks_and_writers_secrets_when_they_ask(
    server: Running, space: str, filled: str, role: Role
) -> None:
    named = "?category=home&key=door_code"
    paths = [
        "/api/memory", f"/api/memory/{filled}", "/api/facts", f"/api/facts/current{named}",
        f"/api/facts/history{named}", "/api/sessions/s/messages", "/api/export", "/api/soul",
    ]  # fmt: skip
    with server.client(server.key(space, role)) as client:
        for path in paths:
            plain = client.get(path).raise_for_status().text
            assert "Tulip!77x" not in plain
            assert "8812" not in plain
            asked = client.get(path + ("&" if "?" in path else "?") + "secrets=true")
            if role is Role.READER:
                assert asked.status_code == 403
                assert "member" in asked.json()["detail"]
            else:
                assert "Tulip!77x" in asked.text or "8812" in asked.text


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("path", ["/api/search", "/api/memory/search", "/api/messages/search"])
def test_a_search_shows_secrets_to_writers_only(server: Running, space: str, path: str) -> None:
    asked = {"query": "wifi password", "secrets": True}
    with server.client(server.key(space, Role.MEMBER)) as client:
        assert "Tulip!77x" not in client.post(path, json={"query": "wifi password"}).text
        assert "Tulip!77x" in client.post(path, json=asked).text
        preview = client.post("/api/memory/retrieve-preview", json=asked).raise_for_status()
        assert "Tulip!77x" not in preview.text
        lines = client.get("/api/journal", params={"action": "revealed"}).json()["items"]
    assert [line["reason"] for line in lines][:1]
    with server.client(server.key(space, Role.READER)) as client:
        assert client.post(path, json=asked).status_code == 403
