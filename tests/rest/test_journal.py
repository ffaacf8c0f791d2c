from __future__ import annotations

from typing import Any

import httpx2

from bethink.records import Role
from tests.rest.serving import Running, new_space


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


def newest(client: httpx2.Client, **filters: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/journal", params={**filters, "limit": 1}).json()["items"][0]
    return found


def undone(client: httpx2.Client, **filters: str) -> dict[str, Any]:
    """What undoing the newest such change answers as the record."""
    response = client.post(f"/api/journal/{newest(client, **filters)['id']}/undo")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["record"]
    return found


def test_whatever_was_changed_comes_back_in_its_own_shape(client: httpx2.Client) -> None:
    client.put("/api/soul", json={"content": "Be kind."})
    client.put("/api/soul", json={"content": "Be brief."})
    assert undone(client)["content"] == "Be kind."
    client.put("/api/household", json={"mode": "multi", "displayName": "Home"})
    assert undone(client, noun="space")["displayName"] != "Home"
    client.put("/api/household", json={"mode": "multi"})
    sarah = client.post("/api/people", json={"displayName": "Sarah", "aliases": ["mom"]}).json()
    client.patch(f"/api/people/{sarah['id']}", json={"aliases": []})
    assert undone(client)["aliases"] == ["mom"]
    client.delete(f"/api/people/{sarah['id']}")
    assert undone(client, noun="person")["leftAt"] is None
    client.put("/api/devices/tv", json={"name": "TV"})
    client.delete("/api/devices/tv")
    assert undone(client)["id"] == "tv"
    context = client.post("/api/contexts", json={"name": "CV", "content": "A nurse."}).json()
    client.delete(f"/api/contexts/{context['id']}")
    assert undone(client, noun="context") == context
    client.post("/api/sessions", json={"id": "chat", "title": "One"})
    client.post("/api/sessions", json={"id": "chat", "title": "Two"})
    assert undone(client)["title"] == "One"
    client.put("/api/settings/memory", json={"maxTokens": 700})
    assert undone(client)["chosen"] == {}
    assert client.get("/api/settings/memory").json()["maxTokens"] == 2000


def test_only_an_admin_undoes_what_only_an_admin_may_do(server: Running, space: str) -> None:
    admin = server.client(server.key(new_space(), Role.ADMIN))
    member = server.client(server.key(space))
    with admin, member:
        admin.headers["x-bethink-space"] = space
        member.put("/api/soul", json={"content": "Be kind."})
        key = admin.post("/api/keys", json={"name": "phone", "space": space}).json()["id"]
        admin.patch(f"/api/keys/{key}", json={"name": "tablet"})
        admin.patch(f"/api/spaces/{space}", json={"displayName": "Renamed"})
        admin.put(
            "/api/settings/memory", params={"space": space, "scope": "server"}, json={"maxTokens": 1999}
        )
        for noun in ("key", "space", "options"):
            line = newest(member, noun=noun)
            refused = member.post(f"/api/journal/{line['id']}/undo")
            assert (refused.status_code, noun) == (403, noun)
            assert newest(member, noun=noun) == line
            assert undone(admin, noun=noun)
        assert undone(admin, noun="key")["name"] == "tablet"
        member.put("/api/settings/memory", json={"maxTokens": 700})
        assert undone(member, noun="options")["chosen"] == {}
