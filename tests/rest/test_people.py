"""Households, people and devices over HTTP."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

SMITHS: dict[str, Any] = {
    "displayName": "The Smiths",
    "mode": "multi",
    "timezone": "America/New_York",
    "locale": "en_us",
    "persons": [
        {"displayName": "Tom", "role": "primary"},
        {"displayName": "Sarah", "role": "spouse", "aliases": ["mom"], "birthDate": "1985-03-02"},
    ],
}


def test_a_household_is_read_and_replaced(client: httpx2.Client) -> None:
    first = client.get("/api/household").json()
    assert (first["mode"], [person["displayName"] for person in first["persons"]]) == ("single", ["You"])
    response = client.put("/api/household", json=SMITHS)
    assert response.status_code == 200
    changed = response.json()
    assert (changed["locale"], changed["timezone"]) == ("en-US", "America/New_York")
    assert changed["changed"] == [first["persons"][0]["id"]]
    assert client.get("/api/household").json()["persons"] == changed["persons"]


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"timezone": "Mars/Olympus"}, 422, "timezone"),
        ({"locale": "xx"}, 422, "locale"),
        ({"displayName": "New", "persons": [{"displayName": "A"}, {"displayName": ""}]}, 422, "persons.1."),
        ({"displayName": "New", "persons": [{"displayName": "A"}, {"displayName": "a"}]}, 422, "persons.1."),
        ({"displayName": "New", "persons": [{"id": "nobody"}]}, 404, "persons.0.id"),
        ({"displayName": "New", "mode": "single"}, 409, "mode"),
        ({"displayName": "New", "pets": []}, 422, "pets"),
    ],
)
def test_a_bad_change_is_refused_as_a_whole(
    member: httpx2.Client, change: dict[str, Any], status: int, field: str
) -> None:
    member.put("/api/household", json=SMITHS)
    before = member.get("/api/household").json()
    response = member.put("/api/household", json=change)
    assert response.status_code == status
    assert response.json()["field"].startswith(field)
    assert member.get("/api/household").json() == before


def test_who_is_in_the_way_of_single_mode_is_named(member: httpx2.Client) -> None:
    member.put("/api/household", json=SMITHS)
    assert "Sarah" in member.put("/api/household", json={"mode": "single"}).json()["detail"]


def test_people_one_by_one(client: httpx2.Client) -> None:
    client.put("/api/household", json=SMITHS)
    added = client.post("/api/people", json={"displayName": "Leo", "role": "child"})
    assert added.status_code == 201
    id_ = added.json()["id"]
    changed = client.patch(f"/api/people/{id_}", json={"aliases": ["Bug"], "role": None}).json()
    assert (changed["aliases"], changed["role"]) == (["Bug"], None)
    assert client.post("/api/people", json={"displayName": "leo"}).status_code == 409
    refused = client.patch(f"/api/people/{id_}", json={"displayName": None})
    assert (refused.status_code, refused.json()["field"]) == (422, "displayName")
    client.put("/api/facts", json={"category": "a", "key": "b", "value": "c", "personId": id_})
    left = client.delete(f"/api/people/{id_}").json()
    assert ([person["id"] for person in left["removed"]], left["factsClosed"]) == ([id_], 1)
    assert [person["displayName"] for person in client.get("/api/people").json()["items"]] == ["Tom", "Sarah"]
    assert client.get(f"/api/people/{id_}").json()["leftAt"] is not None
    assert client.get("/api/people/nobody").status_code == 404


def test_who_is_meant_and_who_is_speaking(client: httpx2.Client) -> None:
    client.put("/api/household", json=SMITHS)
    found = client.get("/api/people/resolve", params={"ref": "my wife"}).json()
    assert (found["person"]["displayName"], found["reason"]) == ("Sarah", "role")
    nobody = client.get("/api/people/resolve", params={"ref": "Bob"}).json()
    assert (nobody["person"], nobody["candidates"], nobody["reason"]) == (None, [], "unknown")
    said = client.post("/api/people/speaker", json={"text": "my wife is cooking"}).json()
    assert (said["displayName"], said["confidence"], said["reason"]) == ("Tom", "medium", "words")
    refused = client.post("/api/people/speaker", json={"person": "Bob"})
    assert (refused.status_code, refused.json()["field"]) == (404, "person")


def test_devices(client: httpx2.Client) -> None:
    person = client.get("/api/people").json()["items"][0]["id"]
    put = client.put("/api/devices/kitchen/speaker", json={"name": "Kitchen", "primaryPersonId": person})
    assert (put.status_code, put.json()["id"]) == (200, "kitchen/speaker")
    assert client.get("/api/devices").json()["items"] == [put.json()]
    assert client.get("/api/devices/kitchen/speaker").json() == put.json()
    refused = client.put("/api/devices/tv", json={"name": "TV", "primaryPersonId": "nobody"})
    assert (refused.status_code, refused.json()["field"]) == (422, "primaryPersonId")
    assert client.delete("/api/devices/kitchen/speaker").status_code == 200
    assert client.delete("/api/devices/kitchen/speaker").status_code == 404
