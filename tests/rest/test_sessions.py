from __future__ import annotations

from urllib.parse import quote

import httpx2


def test_messages_are_kept_in_order_and_read_in_pieces(client: httpx2.Client) -> None:
    messages = [{"role": "user", "content": f"Line {number}"} for number in range(5)]
    response = client.post("/api/sessions/chat/messages", json={"messages": messages})
    assert response.status_code == 201
    assert [outcome["status"] for outcome in response.json()["outcomes"]] == ["stored"] * 5
    seen, after = [], 0
    while after is not None:
        piece = client.get("/api/sessions/chat/messages", params={"after": after, "limit": 2}).json()
        seen += [message["content"] for message in piece["items"]]
        after = piece["nextAfter"]
    assert seen == [message["content"] for message in messages]


def test_a_message_with_an_id_is_taken_in_once(client: httpx2.Client) -> None:
    body = {"messages": [{"id": "m1", "content": "Hello", "sentAt": "2025-01-01T10:00:00+02:00"}]}
    first = client.post("/api/sessions/chat/messages", json=body)
    again = client.post("/api/sessions/chat/messages", json=body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["outcomes"][0]["status"] == "duplicate"
    (message,) = client.get("/api/sessions/chat/messages").json()["items"]
    assert (message["externalId"], message["sentAt"], message["sentOffset"]) == (
        "m1",
        "2025-01-01T08:00:00Z",
        120,
    )


def test_an_id_of_another_session_is_a_conflict(client: httpx2.Client) -> None:
    body = {"messages": [{"id": "m1", "content": "Hello"}]}
    client.post("/api/sessions/one/messages", json=body)
    response = client.post("/api/sessions/two/messages", json=body)
    assert response.status_code == 409
    assert client.get("/api/sessions/two/messages").json()["items"] == []


def test_a_session_may_have_any_name(client: httpx2.Client) -> None:
    name = "team/général channel/messages?#1"
    path = f"/api/sessions/{quote(name, safe='')}/messages"
    assert client.post(path, json={"messages": [{"content": "Hi"}]}).json()["sessionId"] == name
    assert [message["sessionId"] for message in client.get(path).json()["items"]] == [name]
    assert [session["id"] for session in client.get("/api/sessions").json()["items"]] == [name]


def test_no_messages_is_a_mistake_and_an_unknown_session_is_empty(member: httpx2.Client) -> None:
    response = member.post("/api/sessions/chat/messages", json={"messages": []})
    assert (response.status_code, response.json()["field"]) == (422, "messages")
    assert member.get("/api/sessions/unknown/messages").json() == {"items": [], "nextAfter": None}


def test_a_mistake_in_one_message_names_its_place_and_stores_none(member: httpx2.Client) -> None:
    messages = [{"content": "Fine"}, {"content": "Bad\0"}]
    response = member.post("/api/sessions/chat/messages", json={"messages": messages})
    assert (response.status_code, response.json()["field"]) == (422, "messages.1.content")
    assert member.get("/api/sessions/chat/messages").json()["items"] == []


def test_the_shapes_of_clients_are_taken_and_the_same_call_twice_is_stored_once(
    client: httpx2.Client,
) -> None:
    body = {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                ],
            },
            {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "look"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a cat"}]},
        ]
    }
    first, again = (client.post("/api/sessions/chat/messages", json=body) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    asked, called, told = client.get("/api/sessions/chat/messages").json()["items"]
    assert asked["content"] == "What is this?"
    assert asked["attachments"] == [{"type": "image_url", "url": "https://example.org/a.png"}]
    assert called["metadata"]["tool_calls"][0]["function"] == {"name": "look"}
    assert (told["role"], told["content"]) == ("tool", "a cat")


def test_a_wrong_part_is_named_with_what_would_be_right(client: httpx2.Client) -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "text"}]}]}
    response = client.post("/api/sessions/chat/messages", json=body)
    assert response.status_code == 422
    assert "content" in response.text
    assert "its text must be a text" in response.text
