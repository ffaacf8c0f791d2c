"""mem0's interface, as programs written for it use it, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bethink import AsyncBethink, Bethink
from bethink.errors import InvalidInput, NotFound
from bethink.integrations.mem0 import AsyncMemory, Memory
from tests.opened import Home

SAID: Any = [
    {"role": "user", "content": "I'm vegetarian and I live in Lisbon."},
    {"role": "assistant", "content": "Good to know."},
    {"role": "user", "content": "What is the weather like?"},
]


@pytest.fixture
def m(home: Home) -> Iterator[Memory]:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        made = Memory(memory)
        made.reset()  # the other tests of a PostgreSQL database have the same users
        yield made


def texts(found: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in found["results"]]


def test_a_conversation_becomes_memories(m: Memory) -> None:
    added = m.add(SAID, user_id="alice", run_id="monday", metadata={"app": "chat"})
    assert any("vegetarian" in text for text in texts(added))
    assert {one["event"] for one in added["results"]} == {"ADD"}
    assert not any("weather" in text for text in texts(added))
    found = m.search("is she vegetarian?", user_id="alice")["results"]
    assert any("vegetarian" in one["memory"] for one in found)
    assert all((one["user_id"], one["metadata"]["app"]) == ("alice", "chat") for one in found)
    assert texts(m.search("vegetarian", user_id="bob")) == []
    assert texts(m.get_all(user_id="bob")) == []


def test_as_they_are_said(m: Memory) -> None:
    added = m.add("Likes to cook", user_id="alice", infer=False, metadata={"category": "hobbies"})
    (one,) = added["results"]
    assert (one["memory"], one["event"]) == ("Likes to cook", "ADD")
    got = m.get(one["id"])
    assert got
    assert set(got) >= {"id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id"}
    assert (got["metadata"], got["user_id"]) == ({"category": "hobbies"}, "alice")
    m.add({"role": "user", "content": "Likes to row"}, user_id="alice", infer=False)
    assert texts(m.get_all(user_id="alice")) == ["Likes to row", "Likes to cook"]
    assert texts(m.get_all(user_id="alice", limit=1)) == ["Likes to row"]
    assert texts(m.get_all(user_id="alice", filters={"category": "hobbies"})) == ["Likes to cook"]
    assert texts(m.search("likes", user_id="alice", filters={"category": "hobbies"})) == ["Likes to cook"]
    assert texts(m.search("likes", user_id="alice", threshold=2.0)) == []


def test_what_became_of_a_memory(m: Memory) -> None:
    (one,) = m.add("Plays tennis", user_id="alice", infer=False)["results"]
    assert m.update(one["id"], "Plays table tennis") == {"message": "Memory updated successfully!"}
    assert m.get(one["id"])["memory"] == "Plays table tennis"  # type: ignore[index]
    m.delete(one["id"])
    assert m.get(one["id"]) is None
    told = [(line["event"], line["old_memory"], line["new_memory"]) for line in m.history(one["id"])]
    assert told == [
        ("ADD", None, "Plays tennis"),
        ("UPDATE", "Plays tennis", "Plays table tennis"),
        ("DELETE", "Plays table tennis", None),
    ]
    with pytest.raises(NotFound):
        m.delete(one["id"])


def test_agents_and_runs(m: Memory) -> None:
    m.add("For the cook", user_id="alice", agent_id="cook", infer=False)
    m.add("For the nurse", user_id="alice", agent_id="nurse", run_id="r1", infer=False)
    m.add("The cook alone", agent_id="cook", infer=False)
    assert texts(m.get_all(user_id="alice", agent_id="cook")) == ["For the cook"]
    assert texts(m.get_all(user_id="alice", run_id="r1")) == ["For the nurse"]
    assert texts(m.search("for", user_id="alice", agent_id="nurse")) == ["For the nurse"]
    assert texts(m.get_all(agent_id="cook")) == ["The cook alone"]
    m.delete_all(user_id="alice", agent_id="cook")
    assert texts(m.get_all(user_id="alice")) == ["For the nurse"]
    with pytest.raises(InvalidInput, match="one of user_id, agent_id, run_id"):
        m.get_all()
    m.reset()
    assert texts(m.get_all(user_id="alice")) == []


async def test_with_await(memory: AsyncBethink) -> None:
    m = AsyncMemory(memory)
    (one,) = (await m.add("Rows on Sundays", user_id=memory.name, infer=False))["results"]
    found = await m.search("who rows?", user_id=memory.name)
    assert [hit["id"] for hit in found["results"]] == [one["id"]]
    assert await m.get("user:nobody/x") is None
