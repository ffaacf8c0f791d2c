from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.rest.test_problems import problem


@pytest.fixture
def admin(server: Running) -> Iterator[httpx2.Client]:
    with server.client(server.key(new_space(), Role.ADMIN)) as client:
        yield client


def test_a_key_is_made_used_renamed_rotated_and_revoked(server: Running, admin: httpx2.Client) -> None:
    space = new_space()
    response = admin.post("/api/keys", json={"name": "phone", "role": "reader", "space": space})
    assert response.status_code == 201
    made = response.json()
    assert (made["name"], made["role"], made["space"], made["lastUsedAt"]) == ("phone", "reader", space, None)
    with server.client(made["secret"]) as reader:
        assert reader.get("/api/stats").json()["space"] == space
        problem(reader.post("/api/memory", json={"content": "x"}), 403)

        key = f"/api/keys/{made['id']}"
        assert admin.patch(key, json={"name": "📱"}).json()["name"] == "📱"
        rotated = admin.post(f"{key}/rotate").json()
        assert {**rotated, "secret": "", "hint": "", "lastUsedAt": None} == {
            **made, "secret": "", "hint": "", "name": "📱",
        }  # fmt: skip
        problem(reader.get("/api/stats"), 401)
    with server.client(rotated["secret"]) as reader:
        assert reader.get("/api/stats").status_code == 200
        assert admin.delete(key).json()["revokedAt"] is not None
        problem(reader.get("/api/stats"), 401)
    for change in (admin.delete(key), admin.post(f"{key}/rotate"), admin.patch(key, json={"name": "x"})):
        problem(change, 409)


def test_the_list_has_every_key_and_no_secret(admin: httpx2.Client) -> None:
    made = admin.post("/api/keys", json={"name": "phone"}).json()
    response = admin.get("/api/keys")
    assert made["id"] in [key["id"] for key in response.json()["items"]]
    assert made["secret"] not in response.text
    assert "secret" not in response.json()["items"][0]
    assert "hash" not in response.json()["items"][0]


def test_the_journal_says_which_key_made_a_key(admin: httpx2.Client) -> None:
    me = admin.get("/api/session").json()
    made = admin.post("/api/keys", json={"name": "phone"}).json()
    (line,) = admin.get("/api/journal", params={"recordId": made["id"]}).json()["items"]
    hint = next(key["hint"] for key in admin.get("/api/keys").json()["items"] if key["id"] == me["keyId"])
    assert (line["actor"], line["action"], line["noun"]) == (f"key:{hint}", "created", "key")


@pytest.mark.parametrize(
    ("draft", "field"),
    [({}, "name"), ({"name": ""}, "name"), ({"name": "x", "role": "king"}, "role"),
     ({"name": "x", "secret": "mine"}, "secret"), ({"name": "x", "space": ""}, "space")],
)  # fmt: skip
def test_a_mistake_in_a_key_is_named(admin: httpx2.Client, draft: dict[str, str], field: str) -> None:
    assert problem(admin.post("/api/keys", json=draft), 422).field == field
