from __future__ import annotations

from typing import Any

import httpx2

NAME = {"category": "diet", "key": "allergy / food"}


def put(client: httpx2.Client, value: str) -> httpx2.Response:
    return client.put("/api/facts", json={**NAME, "value": value})


def test_a_new_value_closes_the_old_version_and_shows_it(client: httpx2.Client) -> None:
    first, second, again = put(client, "peanuts"), put(client, "hazelnuts"), put(client, "hazelnuts")
    assert [response.status_code for response in (first, second, again)] == [201, 200, 200]
    assert [response.json()["status"] for response in (first, second, again)] == [
        "stored",
        "merged",
        "duplicate",
    ]
    assert second.json()["previous"]["value"] == "peanuts"
    current = client.get("/api/facts/current", params=NAME)
    assert (current.status_code, current.json()["value"]) == (200, "hazelnuts")
    history: list[dict[str, Any]] = client.get("/api/facts/history", params=NAME).json()["items"]
    assert [version["value"] for version in history] == ["hazelnuts", "peanuts"]
    assert history[0]["validTo"] is None
    assert history[1]["supersededBy"] == history[0]["id"]


def test_facts_are_listed_by_category(client: httpx2.Client) -> None:
    put(client, "peanuts")
    client.put("/api/facts", json={"category": "home", "key": "city", "value": "Cork"})
    items = client.get("/api/facts").json()["items"]
    assert [(fact["category"], fact["value"]) for fact in items] == [("diet", "peanuts"), ("home", "Cork")]
    items = client.get("/api/facts", params={"category": "home"}).json()["items"]
    assert [fact["value"] for fact in items] == ["Cork"]


def test_a_fact_that_is_not_there(member: httpx2.Client) -> None:
    assert member.get("/api/facts/current", params=NAME).status_code == 404
    assert member.get("/api/facts/history", params=NAME).json() == {"items": []}
    response = member.get("/api/facts/current", params={"category": "diet"})
    assert (response.status_code, response.json()["field"]) == (422, "key")


def test_a_person_who_is_not_there_is_named_as_the_mistake(member: httpx2.Client) -> None:
    response = member.put("/api/facts", json={**NAME, "value": "x", "personId": "nobody"})
    assert (response.status_code, response.json()["field"]) == (422, "personId")
