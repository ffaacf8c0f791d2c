from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.rest.serving import Running


def remember(client: httpx2.Client, content: str, **fields: Any) -> dict[str, Any]:
    response = client.post("/api/memory", json={"content": content, **fields})
    assert response.status_code == 201, response.text
    memory: dict[str, Any] = response.json()["memory"]
    return memory


def listed(client: httpx2.Client, **filters: Any) -> list[str]:
    response = client.get("/api/memory", params=filters)
    assert response.status_code == 200, response.text
    return [memory["content"] for memory in response.json()["items"]]


def test_a_stored_memory_comes_back_as_it_is(client: httpx2.Client) -> None:
    draft = {
        "content": "Anna is allergic to peanuts 🥜",
        "type": "semantic",
        "key": "anna/allergy",
        "category": "diet",
        "title": "Allergy",
        "tags": ["health", "Anna"],
        "metadata": {"doctor": {"name": "Ó Briain"}, "sure": True},
        "sessionId": "chat-1",
        "source": "import",
        "sourceRef": {"line": 3},
        "observedAt": "2025-02-03T04:05:06+02:00",
        "expiresAt": "2999-01-01T00:00:00Z",
        "confidence": 80,
        "pinned": True,
    }
    response = client.post("/api/memory", json=draft)
    assert response.status_code == 201
    outcome = response.json()
    assert outcome["status"] == "stored"
    assert response.headers["location"] == f"/api/memory/{outcome['id']}"
    found = client.get(response.headers["location"])
    assert found.status_code == 200
    assert found.json() == outcome["memory"]
    assert {name: found.json()[name] for name in draft} == draft | {"observedAt": "2025-02-03T02:05:06Z"}


def test_the_same_again_is_a_duplicate_and_another_text_for_a_key_is_merged(client: httpx2.Client) -> None:
    first = remember(client, "Tea at four", key="tea", metadata={"cups": 1})
    again = client.post("/api/memory", json={"content": "Tea at four", "key": "tea"})
    assert (again.status_code, again.json()["status"]) == (200, "duplicate")
    draft = {"content": "Tea at five", "key": "tea", "metadata": {"milk": 1}}
    changed = client.post("/api/memory", json=draft)
    assert (changed.status_code, changed.json()["status"]) == (200, "merged")
    assert changed.json()["id"] == first["id"]
    assert changed.json()["memory"]["metadata"] == {"cups": 1, "milk": 1}
    assert listed(client) == ["Tea at five"]


def test_snake_case_is_accepted_too(client: httpx2.Client) -> None:
    assert remember(client, "From Python", session_id="s")["sessionId"] == "s"


def test_a_change_touches_only_the_fields_sent(client: httpx2.Client) -> None:
    memory = remember(client, "Blue", tags=["colour"], metadata={"a": 1, "b": {"c": 1}}, title="T")
    path = f"/api/memory/{memory['id']}"
    changes = {"content": "Green", "pinned": True, "metadata": {"b": 2}, "title": None}
    response = client.patch(path, json=changes)
    assert response.status_code == 200
    changed = response.json()
    assert changed == client.get(path).json()
    expected = memory | changes | {"metadata": {"a": 1, "b": 2}, "updatedAt": changed["updatedAt"]}
    assert changed == expected
    hits = client.post("/api/memory/search", json={"query": "green"}).json()["hits"]
    assert [hit["text"] for hit in hits] == ["Green"]


def test_a_replaced_memory_is_what_was_sent_and_nothing_else(client: httpx2.Client) -> None:
    memory = remember(
        client, "Blue", tags=["colour"], metadata={"a": 1}, title="T", pinned=True, key="k", confidence=7,
        observedAt="2025-01-02T03:04:05Z", expiresAt="2999-01-01T00:00:00Z",
    )  # fmt: skip
    path = f"/api/memory/{memory['id']}"
    response = client.put(path, json={"content": "Green", "type": "episodic", "metadata": {"b": 2}})
    assert response.status_code == 200
    assert response.json() == client.get(path).json()
    assert response.json() == memory | {
        "content": "Green", "type": "episodic", "metadata": {"b": 2}, "tags": [], "title": None, "key": None,
        "pinned": False, "confidence": 100, "expiresAt": None, "updatedAt": response.json()["updatedAt"],
    }  # fmt: skip
    assert client.put(path, json={"title": "No content"}).status_code == 422
    assert client.put("/api/memory/unknown", json={"content": "x"}).status_code == 404


def test_a_memory_is_pinned_and_unpinned(client: httpx2.Client) -> None:
    path = f"/api/memory/{remember(client, 'Keep')['id']}"
    assert client.post(f"{path}/pin").json()["pinned"] is True
    assert listed(client, pinned="true") == ["Keep"]
    assert client.delete(f"{path}/pin").json()["pinned"] is False
    assert client.post("/api/memory/unknown/pin").status_code == 404


def test_many_are_forgotten_by_a_filter_after_a_dry_run(client: httpx2.Client) -> None:
    for number in range(12):
        remember(client, f"Draft {number}", tags=["draft"])
    remember(client, "Final", tags=["final"])
    would = client.delete("/api/memory", params={"tag": "draft", "dryRun": "true"}).json()
    assert (would["count"], would["dryRun"], len(would["sample"])) == (12, True, 10)
    assert would["sample"][0]["content"] == "Draft 11"
    assert client.get("/api/memory").json()["total"] == 13
    done = client.delete("/api/memory", params={"tag": "draft", "reason": "spring cleaning"}).json()
    assert (done["count"], done["dryRun"]) == (12, False)
    assert listed(client) == ["Final"]
    assert listed(client, q="Draft 3") == ["Final"]
    lines = client.get("/api/journal", params={"action": "forgotten"}).json()["items"]
    assert len(lines) == 12
    assert {line["reason"] for line in lines} == {"spring cleaning"}
    assert client.delete("/api/memory", params={"tag": "draft"}).json()["count"] == 0


def test_without_a_filter_nothing_is_forgotten(client: httpx2.Client) -> None:
    remember(client, "Stays")
    for parameters in ({}, {"dryRun": "true"}, {"tags": "misspelt"}, {"q": "Stays"}):
        response = client.delete("/api/memory", params=parameters)
        assert response.status_code == 422, parameters
    assert listed(client) == ["Stays"]


def test_a_cursor_goes_through_all_whatever_is_stored_meanwhile(client: httpx2.Client) -> None:
    for number in range(7):
        remember(client, f"Old {number}")
    seen: list[str] = []
    cursor = None
    while True:
        parameters = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = client.get("/api/memory", params=parameters).json()
        seen += [memory["content"] for memory in page["items"]]
        remember(client, f"New {len(seen)}")
        if (page["page"], page["offset"]) == (None, None):
            assert cursor
        if not (cursor := page["nextCursor"]):
            break
    assert seen == [f"Old {number}" for number in range(6, -1, -1)]
    assert client.get("/api/memory", params={"cursor": "no cursor"}).json()["field"] == "cursor"
    last = client.get("/api/memory", params={"limit": 1}).json()["nextCursor"]
    assert client.get("/api/memory", params={"cursor": last, "q": "Old"}).status_code == 422


def test_a_list_tells_about_the_whole_and_about_the_cache(client: httpx2.Client) -> None:
    remember(client, "x" * 41, tags=["a"])
    remember(client, "花生")
    page = client.get("/api/memory", params={"limit": 1}).json()
    assert (page["stats"]["total"], page["stats"]["tokensUsed"]) == (2, 13)
    assert client.get("/api/memory", params={"tag": "a"}).json()["stats"]["tokensUsed"] == 11
    for _ in range(2):
        page = client.get("/api/memory", params={"q": "a question for the cache"}).json()
    assert (page["stats"]["total"], page["stats"]["tokensUsed"]) == (None, None)
    cache = page["cacheStats"]
    assert cache["capacity"] == 1000
    assert min(cache["hits"], cache["misses"], cache["size"]) >= 1
    assert page["stats"]["hitRate"] == cache["hitRate"]
    assert cache["hitRate"] == pytest.approx(cache["hits"] / (cache["hits"] + cache["misses"]), abs=1e-3)


def test_a_key_that_names_another_memory_is_a_conflict(client: httpx2.Client) -> None:
    remember(client, "One", key="one")
    two = remember(client, "Two", key="two")
    response = client.patch(f"/api/memory/{two['id']}", json={"key": "one"})
    assert response.status_code == 409
    assert response.json()["field"] == "key"


def test_what_cannot_be_empty_is_not_emptied(client: httpx2.Client) -> None:
    memory = remember(client, "Stays")
    response = client.patch(f"/api/memory/{memory['id']}", json={"content": None})
    assert response.status_code == 422
    assert client.get(f"/api/memory/{memory['id']}").json()["content"] == "Stays"


def test_a_forgotten_memory_is_gone_everywhere(client: httpx2.Client) -> None:
    memory = remember(client, "Soon gone")
    path = f"/api/memory/{memory['id']}"
    response = client.delete(path)
    assert (response.status_code, response.json()) == (200, memory)
    for method in ("GET", "DELETE"):
        assert client.request(method, path).status_code == 404
    assert client.patch(path, json={"pinned": True}).status_code == 404
    assert listed(client) == []
    assert client.post("/api/memory/search", json={"query": "gone"}).json()["hits"] == []


def test_each_filter_chooses(client: httpx2.Client) -> None:
    remember(
        client, "Chosen", type="episodic", sessionId="s1", tags=["t1", "t2"], source="import", category="c1",
        pinned=True, observedAt="2025-06-01T00:00:00Z",
    )  # fmt: skip
    remember(client, "Other", sessionId="s2", tags=["t3"], category="c2", observedAt="2024-01-01T00:00:00Z")
    filters: list[dict[str, Any]] = [
        {"type": "episodic"},
        {"sessionId": "s1"},
        {"tag": "t2"},
        {"source": "import"},
        {"category": "c1"},
        {"pinned": "true"},
        {"since": "2025-01-01"},
        {"since": "2025-06-01T02:00:00+02:00"},
        {"type": ["episodic", "procedural"], "tag": ["t1", "nothing"]},
    ]
    for chosen in filters:
        assert listed(client, **chosen) == ["Chosen"], chosen
        assert listed(client, q="Chosen", **chosen) == ["Chosen"], chosen
    assert listed(client, pinned="false") == ["Other"]
    assert listed(client, until="2025-06-01T00:00:00Z") == ["Other"]
    assert listed(client, personId="nobody") == []
    assert sorted(listed(client, tag=["t1", "t3"])) == ["Chosen", "Other"]


def test_pages_are_newest_first_and_offset_goes_before_page(client: httpx2.Client) -> None:
    for number in range(5):
        remember(client, f"Number {number}")
    page = client.get("/api/memory", params={"limit": 2, "page": 2}).json()
    assert [memory["content"] for memory in page["items"]] == ["Number 2", "Number 1"]
    assert {name: page[name] for name in ("total", "page", "limit", "offset")} == {
        "total": 5,
        "page": 2,
        "limit": 2,
        "offset": 2,
    }
    page = client.get("/api/memory", params={"limit": 2, "page": 1, "offset": 4}).json()
    assert [memory["content"] for memory in page["items"]] == ["Number 0"]
    assert (page["page"], page["offset"]) == (3, 4)
    far = client.get("/api/memory", params={"offset": 1_000_000_000}).json()
    assert (far["items"], far["total"]) == ([], 5)


def test_an_expired_memory_is_neither_listed_nor_counted(client: httpx2.Client) -> None:
    remember(client, "Long ago", expiresAt="2020-01-01T00:00:00Z")
    page = client.get("/api/memory").json()
    assert (page["items"], page["total"]) == ([], 0)


def test_a_search_is_best_first_and_has_pages(client: httpx2.Client) -> None:
    for number in range(8):
        remember(client, f"Filler text {number}")
    remember(client, "The zebra crossed the river")
    first = client.get("/api/memory", params={"q": "zebra river", "limit": 1}).json()
    assert [memory["content"] for memory in first["items"]] == ["The zebra crossed the river"]
    assert first["total"] is None
    pages = [
        client.get("/api/memory", params={"q": "zebra river text", "limit": 3, "page": page}).json()["items"]
        for page in (1, 2)
    ]
    whole = client.get("/api/memory", params={"q": "zebra river text", "limit": 6}).json()["items"]
    ids = [memory["id"] for page in pages for memory in page]
    assert ids == [memory["id"] for memory in whole]
    assert len(set(ids)) == 6


def test_a_search_is_gone_through_by_cursor_whatever_happens_meanwhile(client: httpx2.Client) -> None:
    made = [remember(client, "zebra river" + " and more" * number)["id"] for number in range(9)]
    whole = client.get("/api/memory", params={"q": "zebra river", "limit": 200}).json()
    assert (len(whole["items"]), whole["nextCursor"]) == (9, None)
    order = [memory["id"] for memory in whole["items"]]
    seen: list[str] = []
    cursor = None
    for turn in range(9):
        parameters: dict[str, str | int] = {"q": "zebra river", "limit": 2}
        if cursor:
            parameters["cursor"] = cursor
        page = client.get("/api/memory", params=parameters).json()
        seen += [memory["id"] for memory in page["items"]]
        if not (cursor := page["nextCursor"]):
            break
        assert (page["page"] is None) == (turn > 0)
        if turn == 0:
            client.delete(f"/api/memory/{seen[0]}")
        if turn == 1:
            client.delete(f"/api/memory/{seen[-1]}")
    assert sorted(seen) == sorted(made)
    assert seen == order
    paged = [
        memory["id"]
        for number in range(1, 5)
        for memory in client.get(
            "/api/memory", params={"q": "zebra river", "limit": 2, "page": number}
        ).json()["items"]
    ]
    assert paged == [id_ for id_ in order if id_ not in (seen[0], seen[3])]


def test_the_cursor_of_a_search_is_not_that_of_a_list(client: httpx2.Client) -> None:
    for number in range(3):
        remember(client, f"The zebra crossed river number {number}")
    searched = client.get("/api/memory", params={"q": "zebra", "limit": 1}).json()["nextCursor"]
    listed_ = client.get("/api/memory", params={"limit": 1}).json()["nextCursor"]
    for parameters in ({"cursor": searched}, {"cursor": listed_, "q": "zebra"}):
        refused = client.get("/api/memory", params=parameters)
        assert (refused.status_code, refused.json()["field"]) == (422, "cursor")


def test_a_search_says_how_deep_it_goes(member: httpx2.Client) -> None:
    response = member.get("/api/memory", params={"q": "x", "offset": 190, "limit": 11})
    assert response.status_code == 422
    assert response.json()["field"] == "offset"
    assert member.get("/api/memory", params={"q": "x", "offset": 190, "limit": 10}).status_code == 200


def test_many_at_once_are_all_stored(server: Running, client: httpx2.Client) -> None:
    with ThreadPoolExecutor(8) as threads:
        stored = list(threads.map(lambda number: remember(client, f"Note {number}"), range(40)))
    assert len({memory["id"] for memory in stored}) == 40
    assert client.get("/api/memory").json()["total"] == 40
    assert server.call(server.memory.check()) == "ready"


@pytest.mark.parametrize(
    "text",
    [
        "安娜对花生过敏",
        "アンナはピーナッツアレルギー",
        "آنا لديها حساسية من الفول السوداني",
        "У Анны аллергия на арахис",
        '"quoted" -minus *star NEAR(a b) OR 1=1; --',
        "👩‍👩‍👧‍👦 family",
    ],
)
def test_any_language_and_any_sign_is_stored_and_found(client: httpx2.Client, text: str) -> None:
    for number in range(8):
        remember(client, f"Filler {number}")
    memory = remember(client, text)
    assert memory["content"] == text
    assert listed(client, q=text, limit=1) == [text]


def test_a_megabyte_is_stored_whole_and_more_is_refused(member: httpx2.Client) -> None:
    text = "word " * 200_000
    memory = remember(member, text)
    assert member.get(f"/api/memory/{memory['id']}").json()["content"] == text
    response = member.post("/api/memory", json={"content": text + "x"})
    assert (response.status_code, response.json()["field"]) == (413, "content")
    assert "1,000,000" in response.json()["detail"]


def test_a_blank_memory_is_refused_by_name(client: httpx2.Client) -> None:
    for content in ("", "   "):
        refused = client.post("/api/memory", json={"content": content})
        assert (refused.status_code, refused.json()["field"]) == (422, "content")
        assert "must not be" in refused.json()["detail"]
    kept = remember(client, "Tea")
    assert client.patch(f"/api/memory/{kept['id']}", json={"content": " "}).status_code == 422


def test_old_memories_are_compacted_and_listed_in_the_archive(client: httpx2.Client) -> None:
    story = "On day {} it rained. The children stayed in and played cards until the evening came."
    for day in range(3):
        remember(client, story.format(day))
    asked = {"olderThanDays": 0, "dryRun": True}
    would = client.post("/api/memory/summarize", json=asked).json()
    assert (would["candidates"], would["dryRun"], would["tokensSaved"] > 0) == (3, True, True)
    done = client.post("/api/memory/summarize", json=asked | {"dryRun": False}).json()
    assert done == would | {"dryRun": False}
    (text,) = listed(client)
    assert text.splitlines() == [f"[factual] On day {day} it rained." for day in range(3)]
    assert listed(client, archived=True) == [story.format(day) for day in (2, 1, 0)]
    both = client.post("/api/memory/summarize", json={"olderThanDays": 0, "maxTokens": 3})
    assert (both.status_code, "either" in both.text) == (422, True)
    assert client.post("/api/memory/summarize", json={"maxTokens": 4000}).json()["candidates"] == 0
