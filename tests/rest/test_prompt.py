"""The prompt, the soul and the narrative over HTTP."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from bethink.text.fence import BOUNDARY
from tests.rest.serving import new_space, running


def test_a_prompt_in_every_form(client: httpx2.Client) -> None:
    client.put("/api/soul", json={"content": "You are Genie."})
    client.put("/api/narrative", json={"content": "They keep bees."})
    client.put("/api/facts", json={"category": "home", "key": "city", "value": "Cork"})
    client.post("/api/memory", json={"content": "Anna is allergic to peanuts"})
    talk = [{"role": "user", "content": "what may Anna eat?"}]
    response = client.post("/api/prompt", json={"messages": talk, "shape": "anthropic"})
    assert response.status_code == 200
    prompt: dict[str, Any] = response.json()
    assert prompt["text"] == f"{prompt['stable']}\n\n{BOUNDARY}\n\n{prompt['volatile']}\n"
    assert [fact["value"] for fact in prompt["facts"]] == ["Cork"]
    assert [hit["text"] for hit in prompt["memories"]] == ["Anna is allergic to peanuts"]
    assert prompt["speaker"]["reason"] == "single"
    assert prompt["tokens"]["total"] > 0
    system = prompt["body"]["system"]
    assert system == [{"type": "text", "text": prompt["stable"], "cache_control": {"type": "ephemeral"}}]
    assert prompt["body"]["messages"][-1]["content"][-1] == {"type": "text", "text": "what may Anna eat?"}


def test_off_it_is_empty(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "Anna is allergic to peanuts"})
    talk = [{"role": "user", "content": "what may Anna eat?", "extra": 1}]
    prompt = client.post("/api/prompt", json={"messages": talk, "enabled": False, "shape": "openai"}).json()
    assert (prompt["enabled"], prompt["stable"], prompt["volatile"], prompt["text"]) == (False, "", "", "")
    assert prompt["body"] == {"messages": talk}


def test_the_kill_switch_of_a_server(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("off")
    off = running(str(folder / "memory.db"), prompt={"enabled": False})
    with off as server, server.client(server.key(new_space())) as client:
        client.post("/api/memory", json={"content": "Anna is allergic to peanuts"})
        prompt = client.post("/api/prompt", json={"query": "Anna"}).json()
        assert (prompt["enabled"], prompt["text"], prompt["memories"]) == (False, "", [])
        assert client.post("/api/search", json={"query": "Anna"}).json()["hits"], "all else works"


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"shape": "cohere"}, 422, "shape"),
        ({"maxTokens": 3}, 422, "maxTokens"),
        ({"query": "x" * 30_000}, 413, "query"),
        ({"query": "x", "person": "Nobody"}, 404, "person"),
        ({"messages": ["x"]}, 422, "messages.0"),
        ({"quary": "x"}, 422, "quary"),
    ],
)
def test_a_bad_request_names_its_field(
    member: httpx2.Client, body: dict[str, Any], status: int, field: str
) -> None:
    response = member.post("/api/prompt", json=body)
    assert (response.status_code, response.json()["field"]) == (status, field)


@pytest.mark.parametrize("body", [{}, {"messages": []}, {"messages": [{}]}, {"messages": [{"role": "user"}]}])
def test_a_prompt_for_nothing_in_particular(member: httpx2.Client, body: dict[str, Any]) -> None:
    for shape in (None, "openai", "responses", "anthropic", "gemini"):
        assert member.post("/api/prompt", json={**body, "shape": shape}).status_code == 200


def test_soul_narrative_and_files(client: httpx2.Client) -> None:
    assert client.get("/api/soul").json() == {"content": ""}
    assert client.put("/api/soul", json={"content": "Be kind.\r\n"}).json() == {"content": "Be kind.\n"}
    client.put("/api/facts", json={"category": "home", "key": "city", "value": "Cork", "promoted": True})
    raw = client.get("/api/raw").json()
    assert raw["soul"] == "Be kind.\n"
    assert raw["memory"].endswith("## home\n\n- city: Cork\n")
    assert client.put("/api/narrative", json={"content": "A story"}).json() == {"content": "A story"}
    assert client.get("/api/narrative").json() == {"content": "A story"}
    changed = {"memory": raw["memory"].replace("Cork", "Porto"), "base": raw["memory"]}
    assert client.put("/api/raw", json=changed).json()["factsSet"] == 1
    assert client.get("/api/raw").json()["memory"] == changed["memory"]
    assert client.put("/api/raw", json={"memory": " "}).status_code == 422
    assert client.post("/api/raw/sync").json()["problems"] == []
    assert client.put("/api/soul", json={"content": "a\0b"}).status_code == 422


def test_the_guidelines(member: httpx2.Client) -> None:
    assert "Do not search by reflex" in member.get("/api/prompt/guidelines").json()["text"]
