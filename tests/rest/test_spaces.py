from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.rest.test_problems import problem

NOTHING = dict.fromkeys(
    ("memories", "messages", "facts", "people", "keys", "documents", "insights", "passages", "summaries"), 0
)


@pytest.fixture
def admin(server: Running) -> Iterator[httpx2.Client]:
    with server.client(server.key(new_space(), Role.ADMIN)) as client:
        yield client


def test_a_space_is_made_filled_renamed_and_deleted(server: Running, admin: httpx2.Client) -> None:
    name, later = f"büro/{new_space()}", new_space()
    made = admin.post("/api/spaces", json={"name": name, "displayName": "Büro"})
    assert made.status_code == 201
    problem(admin.post("/api/spaces", json={"name": name}), 409)
    with server.client(server.key(name)) as member:
        member.post("/api/memory", json={"content": "The door is crimson"})
        found = admin.get(f"/api/spaces/{name}").json()
        assert found["displayName"] == "Büro"
        assert found["counts"] == NOTHING | {"memories": 1, "people": 1, "keys": 1}
        assert admin.patch(f"/api/spaces/{name}", json={"name": later}).json()["name"] == later
        problem(admin.get(f"/api/spaces/{name}"), 404)
        assert member.get("/api/stats").json()["space"] == later

        problem(admin.delete(f"/api/spaces/{later}"), 422)
        assert (
            problem(admin.delete(f"/api/spaces/{later}", params={"confirm": "yes"}), 422).field == "confirm"
        )
        receipt = admin.delete(f"/api/spaces/{later}", params={"confirm": later}).json()
        assert (receipt["complete"], receipt["erased"]["memories"]) == (True, 1)
        problem(member.get("/api/stats"), 401)
    problem(admin.get("/api/stats", params={"space": later}), 404)


def test_an_admin_cannot_delete_the_space_of_its_own_key(admin: httpx2.Client) -> None:
    own = admin.get("/api/session").json()["space"]
    problem(admin.delete(f"/api/spaces/{own}", params={"confirm": own}), 409)


def test_only_admins_write_to_the_global_space(server: Running, admin: httpx2.Client) -> None:
    assert admin.post("/api/memory", params={"space": "global"}, json={"content": "x"}).is_success
    with server.client(server.key("global", Role.MEMBER)) as member:
        assert member.get("/api/memory").status_code == 200
        problem(member.post("/api/memory", json={"content": "x"}), 403)
