"""mem0's interface, as programs written for mem0 2 and for mem0 1 use it, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, Bethink
from bethink.errors import InvalidInput, NotFound
from bethink.integrations.mem0 import AsyncMemory, Memory
from bethink.testing import FrozenClock
from tests.opened import Home, unchecked

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
    found = m.search("is she vegetarian?", filters={"user_id": "alice"})["results"]
    assert any("vegetarian" in one["memory"] for one in found)
    assert all((one["user_id"], one["metadata"]["app"]) == ("alice", "chat") for one in found)
    assert texts(m.search("vegetarian", filters={"user_id": "bob"})) == []
    assert texts(m.get_all(filters={"user_id": "bob"})) == []


ALICE: Any = {"user_id": "alice"}


def test_as_they_are_said(m: Memory) -> None:
    added = m.add("Likes to cook", user_id="alice", infer=False, metadata={"category": "hobbies"})
    (one,) = added["results"]
    assert (one["memory"], one["event"], one["role"]) == ("Likes to cook", "ADD", "user")
    got = m.get(one["id"])
    assert got
    assert set(got) >= {"id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id"}
    assert (got["metadata"], got["user_id"]) == ({"category": "hobbies"}, "alice")
    m.add(
        [
            {"role": "system", "content": "You are a coach"},
            {"role": "user", "content": "Likes to row", "name": "ali"},
        ],
        user_id="alice",
        infer=False,
    )
    newest, *_ = m.get_all(filters=ALICE)["results"]
    assert (newest["memory"], newest["actor_id"]) == ("Likes to row", "ali")
    assert texts(m.get_all(filters=ALICE)) == ["Likes to row", "Likes to cook"]
    assert texts(m.get_all(filters=ALICE, top_k=1)) == ["Likes to row"]
    hobbies = {**ALICE, "category": "hobbies"}
    assert texts(m.get_all(filters=hobbies)) == ["Likes to cook"]
    (found,) = m.search("likes", filters=hobbies, explain=True)["results"]
    assert found["memory"] == "Likes to cook"
    assert found["score_details"]["fused"] <= 1
    assert texts(m.search("likes", filters=ALICE, top_k=0)) == []
    assert all(one["score"] >= 0.5 for one in m.search("likes", filters=ALICE, threshold=0.5)["results"])
    assert m.add("Likes to cook", user_id="alice", infer=False)["results"][0]["event"] == "NONE"


def test_as_mem0_1_called_it(m: Memory) -> None:
    (one,) = m.add("Likes to cook", user_id="alice", infer=False)["results"]
    assert texts(m.get_all(user_id="alice", limit=5)) == ["Likes to cook"]
    assert texts(m.search("who cooks?", user_id="alice", limit=5)) == ["Likes to cook"]
    m.update(one["id"], data="Likes to bake")
    assert texts(m.get_all(user_id="alice")) == ["Likes to bake"]


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"stars": 3}, ["b"]),
    ({"stars": {"gt": 2}}, ["b", "c"]),
    ({"stars": {"gte": 1, "lt": 3}}, ["a"]),
    ({"stars": {"in": [1, 5]}}, ["a", "c"]),
    ({"stars": {"nin": [1, 5]}}, ["b"]),
    ({"stars": {"ne": 3}}, ["a", "c"]),
    ({"stars": {"gt": "many"}}, []),
    ({"town": "*"}, ["a", "b", "c", "d"]),
    ({"town": {"contains": "Lis"}}, ["a"]),
    ({"town": {"icontains": "OSLO"}}, ["b"]),
    ({"AND": [{"stars": {"gt": 0}}, {"stars": {"lt": 5}}]}, ["a", "b"]),
    ({"OR": [{"stars": 5}, {"town": "Oslo"}]}, ["b", "c"]),
    ({"NOT": [{"stars": 5}, {"town": "Oslo"}]}, ["a", "d"]),
    ({"created_at": {"lt": "2020-01-01"}}, []),
]


def test_filters(m: Memory) -> None:
    hotels: dict[str, dict[str, Any]] = {
        "a": {"stars": 1, "town": "Lisbon"}, "b": {"stars": 3, "town": "Oslo"}, "c": {"stars": 5}, "d": {},
    }  # fmt: skip
    for name, kept in hotels.items():
        m.add(f"Hotel {name}", user_id="alice", infer=False, metadata=kept)
    for filters, expected in FILTERS:
        both = [m.get_all(filters={**ALICE, **filters}), m.search("hotel", filters={**ALICE, **filters})]
        for found in both:
            assert sorted(text[-1] for text in texts(found)) == expected, filters
    assert len(texts(m.get_all(filters={"AND": [ALICE, {"stars": {"gt": 2}}]}))) == 2
    assert len(texts(m.get_all(filters={"user_id": {"eq": "alice"}}))) == 4


def test_a_day_until_which_it_is_so(m: Memory) -> None:
    with FrozenClock(datetime.fromisoformat("2031-05-01T12:00:00+00:00")) as clock:
        (one,) = m.add("On leave", user_id="alice", infer=False, expiration_date="2031-05-02")["results"]
        (other,) = m.add("Away", user_id="alice", infer=False, expiration_date=date(2031, 5, 2))["results"]
        assert one["expiration_date"] == other["expiration_date"] == "2031-05-02"
        m.update(other["id"], expiration_date=None)
        clock.advance(timedelta(days=1))
        assert len(texts(m.get_all(filters=ALICE))) == 2
        clock.advance(timedelta(days=1))
        assert texts(m.get_all(filters=ALICE)) == ["Away"]
        assert texts(m.search("who is on leave?", filters=ALICE)) == ["Away"]


def test_when_it_was_said(m: Memory) -> None:
    (one,) = m.add("I moved to Lisbon", user_id="alice", infer=False, timestamp=1_700_000_000)["results"]
    said = m.add("I'm vegetarian now.", user_id="alice", timestamp="2024-02-03T10:00:00Z")["results"]
    space, _, _ = one["id"].rpartition("/")
    notes = {note.content: note.observed_at.year for note in m._memory.space(space).list()}
    assert notes["I moved to Lisbon"] == 2023
    assert notes[said[0]["memory"]] == 2024


def test_how_something_is_done(m: Memory) -> None:
    steps = [{"role": "user", "content": "Open the valve"}, {"role": "assistant", "content": "Then drain"}]
    (one,) = m.add(steps, user_id="alice", agent_id="plumber", memory_type="procedural_memory")["results"]
    assert one["memory"] == "Open the valve\nThen drain"
    space, _, _ = one["id"].rpartition("/")
    assert [note.type.value for note in m._memory.space(space).list()] == ["procedural"]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"query": "x"}, "one of user_id, agent_id, run_id"),
    ("search", {"query": "x", "filters": {"user_id": "*"}}, "one of user_id, agent_id, run_id"),
    ("search", {"query": "x", "filters": {"OR": [ALICE]}}, "one of user_id, agent_id, run_id"),
    ("search", {"query": " ", "filters": ALICE}, "query: must not be empty"),
    ("search", {"query": "x", "filters": ALICE, "threshold": 2.0}, "threshold: must be from 0 to 1"),
    ("search", {"query": "x", "filters": ALICE, "top_k": -1}, "top_k: must be a whole number"),
    ("search", {"query": "x", "filters": {**ALICE, "stars": {"near": 3}}}, "'near' is not known"),
    ("search", {"query": "x", "filters": {**ALICE, "OR": []}}, "OR takes a list"),
    ("search", {"query": "x", "filters": ALICE, "show_expired": True}, "show_expired: "),
    ("search", {"query": "x", "filters": ALICE, "reference_date": "2024-01-01"}, "reference_date: is not"),
    ("get_all", {"filters": {"user_id": "alice smith"}}, "user_id: must be a text without spaces"),
    ("get_all", {"filters": {"user_id": " "}}, "user_id: must be a text without spaces"),
    ("add", {"messages": 3, "user_id": "alice"}, "messages: must be a text"),
    ("add", {"messages": "x", "user_id": "alice", "memory_type": "vague"}, "known is procedural_memory"),
    ("add", {"messages": "x", "user_id": "alice", "expiration_date": "soon"}, "must be a day such as"),
    ("add", {"messages": "x", "user_id": "alice", "prompt": "Be brief"}, "prompt: is not known here"),
    ("update", {"memory_id": "x"}, "text: give it"),
    ("update", {"memory_id": "x", "text": "y"}, "take an id from a result"),
    ("delete", {"memory_id": "user:alice/none"}, "none"),
    ("delete_all", {}, "one of user_id, agent_id, run_id"),
]


def test_what_is_wrong_is_a_value_error_that_says_what_would_be_right(m: Memory) -> None:
    m.add("Likes tea", user_id="alice", infer=False)
    for call, given, problem in WRONG:
        with pytest.raises(ValueError, match=problem):
            getattr(m, call)(**unchecked(**given))


def test_a_memory_stays_with_whom_it_was_added_for(m: Memory) -> None:
    (one,) = m.add("Likes tea", user_id=7, infer=False, metadata={"user_id": "eve", "a": 1})["results"]
    m.update(one["id"], metadata={"user_id": "eve", "b": 2})
    (kept,) = m.get_all(filters={"user_id": " 7 "})["results"]
    assert (kept["user_id"], kept["metadata"]) == ("7", {"a": 1, "b": 2})
    assert texts(m.get_all(filters={"user_id": "eve"})) == []


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
    assert {line["role"] for line in m.history(one["id"])} == {"user"}
    with pytest.raises(NotFound):
        m.delete(one["id"])
    with pytest.raises(ValueError, match="no memory"):
        m.delete(one["id"])


def test_agents_and_runs(m: Memory) -> None:
    m.add("For the cook", user_id="alice", agent_id="cook", infer=False)
    m.add("For the nurse", user_id="alice", agent_id="nurse", run_id="r1", infer=False)
    m.add("The cook alone", agent_id="cook", infer=False)
    assert texts(m.get_all(user_id="alice", agent_id="cook")) == ["For the cook"]
    assert texts(m.get_all(user_id="alice", run_id="r1")) == ["For the nurse"]
    assert texts(m.search("for", user_id="alice", agent_id="nurse")) == ["For the nurse"]
    assert texts(m.get_all(agent_id="cook")) == ["The cook alone"]
    m.delete_all("alice", "cook")
    assert texts(m.get_all(user_id="alice")) == ["For the nurse"]
    with pytest.raises(InvalidInput, match="one of user_id, agent_id, run_id"):
        m.get_all()
    m.reset()
    assert texts(m.get_all(user_id="alice")) == []


async def test_with_await(memory: AsyncBethink) -> None:
    m = AsyncMemory(memory)
    (one,) = (await m.add("Rows on Sundays", user_id=memory.name, infer=False))["results"]
    found = await m.search("who rows?", filters={"user_id": memory.name})
    assert [hit["id"] for hit in found["results"]] == [one["id"]]
    assert await m.get("user:nobody/x") is None


def test_mem0s_configuration_is_said_to_be_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("BETHINK_HOME", str(tmp_path))
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "none")
    with Memory.from_config({"llm": {"provider": "openai"}}) as m:
        m.add("Likes tea", user_id="alice", infer=False)
    assert "not used (llm)" in caplog.text
    with Memory.from_config({}) as m:
        assert texts(m.get_all(filters=ALICE)) == ["Likes tea"]
