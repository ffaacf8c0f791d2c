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


def test_a_query_goes_by_meaning_first_and_then_by_text(client: httpx2.Client) -> None:
    put(client, "peanuts and soy")
    client.put("/api/facts", json={"category": "home", "key": "street_name", "value": "Große Straße"})
    near = client.get("/api/facts", params={"q": "diet allergy food peanuts soy"}).json()
    assert (near["foundBy"], [fact["value"] for fact in near["items"]]) == ("vector", ["peanuts and soy"])
    assert 0 <= near["distances"][0] <= 0.3
    for query in ("GROSSE", "straße", "street name"):
        text = client.get("/api/facts", params={"q": query}).json()
        assert [fact["category"] for fact in text["items"]] == ["home"], query
        assert text["foundBy"] == "substring"
    assert client.get("/api/facts", params={"q": "no such thing"}).json()["items"] == []
    assert client.get("/api/facts").json()["foundBy"] == "list"
    filtered = client.get("/api/facts", params={"q": "diet allergy food peanuts soy", "category": "home"})
    assert filtered.json()["items"] == []


def test_what_held_at_a_time_and_a_version_restored(client: httpx2.Client) -> None:
    first = put(client, "peanuts").json()["fact"]
    put(client, "hazelnuts")
    before = {"asOf": first["validFrom"]}
    for path in ("/api/facts", "/api/facts/current"):
        found = client.get(path, params=before | ({} if path == "/api/facts" else NAME)).json()
        assert (found.get("items") or [found])[0]["value"] == "peanuts"
    assert client.get("/api/facts", params={"asOf": "2000-01-01"}).json()["items"] == []
    assert client.get("/api/facts/current", params={**NAME, "asOf": "2000-01-01"}).status_code == 404
    past = client.get("/api/facts", params={"q": "diet allergy food peanuts", **before}).json()
    assert (past["foundBy"], [fact["value"] for fact in past["items"]]) == ("vector", ["peanuts"])
    restored = client.post(f"/api/facts/{first['id']}/restore", params={"reason": "it was right"}).json()
    assert (restored["fact"]["value"], restored["previous"]["value"]) == ("peanuts", "hazelnuts")
    assert client.get("/api/facts/current", params=NAME).json()["id"] == restored["id"]
    assert len(client.get("/api/facts/history", params=NAME).json()["items"]) == 3
    line = client.get("/api/journal", params={"recordId": restored["id"]}).json()["items"][0]
    assert (line["action"], line["reason"]) == ("superseded", "it was right")
    again = client.post(f"/api/facts/{restored['id']}/restore").json()
    assert (again["status"], again["id"]) == ("duplicate", restored["id"])
    assert client.post("/api/facts/unknown/restore").status_code == 404


def test_an_ended_fact_is_gone_and_comes_back(client: httpx2.Client) -> None:
    fact = put(client, "peanuts").json()["fact"]
    ended = client.delete("/api/facts", params=NAME)
    assert (ended.status_code, ended.json()["id"]) == (200, fact["id"])
    assert client.get("/api/facts").json()["items"] == []
    assert client.get("/api/facts", params={"q": "peanuts"}).json()["items"] == []
    assert client.delete("/api/facts", params=NAME).status_code == 404
    assert client.post(f"/api/facts/{fact['id']}/restore").json()["status"] == "stored"
    assert [found["value"] for found in client.get("/api/facts").json()["items"]] == ["peanuts"]


def test_an_expired_version_is_restored_for_good(client: httpx2.Client) -> None:
    over = {**NAME, "value": "peanuts", "expiresAt": "2020-01-01T00:00:00Z"}
    fact = client.put("/api/facts", json=over).json()["fact"]
    assert client.get("/api/facts").json()["items"] == []
    restored = client.post(f"/api/facts/{fact['id']}/restore").json()["fact"]
    assert (restored["value"], restored["expiresAt"]) == ("peanuts", None)
    assert len(client.get("/api/facts", params={"promoted": "false"}).json()["items"]) == 1
    assert client.get("/api/facts", params={"promoted": "true"}).json()["items"] == []


def test_a_fact_that_is_not_there(member: httpx2.Client) -> None:
    assert member.get("/api/facts/current", params=NAME).status_code == 404
    assert member.get("/api/facts/history", params=NAME).json() == {"items": []}
    response = member.get("/api/facts/current", params={"category": "diet"})
    assert (response.status_code, response.json()["field"]) == (422, "key")


def test_a_person_who_is_not_there_is_named_as_the_mistake(member: httpx2.Client) -> None:
    response = member.put("/api/facts", json={**NAME, "value": "x", "personId": "nobody"})
    assert (response.status_code, response.json()["field"]) == (422, "personId")
