"""LangGraph's store, through a real graph and through its own interface, on both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from bethink import AsyncBethink, Bethink
from bethink.clock import now
from bethink.errors import BethinkError, InvalidInput
from bethink.integrations.langgraph import BethinkStore
from bethink.testing import FrozenClock
from tests.opened import Home

ANNA = ("users", "anna")


class State(TypedDict):
    user: str
    said: str
    answer: str


async def _remember(state: State, runtime: Runtime[None]) -> dict[str, Any]:
    assert runtime.store
    if state["said"].startswith("I "):
        await runtime.store.aput(("users", state["user"]), state["said"], {"text": state["said"]})
    return {}


async def _answer(state: State, runtime: Runtime[None]) -> dict[str, Any]:
    assert runtime.store
    found = await runtime.store.asearch(("users", state["user"]), query=state["said"], limit=1)
    return {"answer": found[0].value["text"] if found else "I do not know."}


def graph(store: BaseStore, remember: Any = _remember, answer: Any = _answer) -> Any:
    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_node("answer", answer)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=InMemorySaver(), store=store)


async def test_a_graph_remembers_from_one_thread_to_another(memory: AsyncBethink) -> None:
    made = graph(BethinkStore(memory, fields=["text"]))

    async def say(thread: str, user: str, text: str) -> str:
        config = {"configurable": {"thread_id": thread}}
        state = await made.ainvoke({"user": user, "said": text, "answer": ""}, config)
        return str(state["answer"])

    await say("monday", "anna", "I am allergic to peanuts")
    assert await say("tuesday", "anna", "what of peanuts?") == "I am allergic to peanuts"
    assert await say("tuesday", "ben", "what of peanuts?") == "I do not know."
    # What a graph keeps is recalled like all else.
    assert "peanuts" in (await memory.recall("peanuts")).hits[0].text


def test_a_graph_without_await(home: Home) -> None:
    def remember(state: State, runtime: Runtime[None]) -> dict[str, Any]:
        assert runtime.store
        runtime.store.put(("users",), "said", {"text": state["said"]})
        return {}

    def answer(_: State, runtime: Runtime[None]) -> dict[str, Any]:
        assert runtime.store
        item = runtime.store.get(("users",), "said")
        return {"answer": item.value["text"] if item else ""}

    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        made = graph(BethinkStore(memory), remember, answer)
        config = {"configurable": {"thread_id": "1"}}
        assert made.invoke({"user": "anna", "said": "Hello", "answer": ""}, config)["answer"] == "Hello"


async def _as_langgraphs_own(store: BaseStore) -> list[Any]:
    """Things done to a store, and what came of them, whatever store it is."""
    await store.aput(ANNA, "prefs", {"theme": "dark", "size": 3})
    await store.aput(ANNA, "pet", {"name": "Bracken", "kind": "dog"})
    await store.aput((*ANNA, "work"), "job", {"title": "nurse"})
    await store.aput(("users", "ben"), "prefs", {"theme": "light", "size": 5})
    await store.aput(ANNA, "prefs", {"theme": "dark", "size": 4})
    await store.aput(ANNA, "gone", {"x": 1})
    await store.adelete(ANNA, "gone")

    async def found(prefix: tuple[str, ...], **options: Any) -> list[Any]:
        return sorted((one.namespace, one.key) for one in await store.asearch(prefix, **options))

    prefs = await store.aget(ANNA, "prefs")
    assert prefs
    return [
        prefs.value,
        prefs.namespace,
        await store.aget(ANNA, "gone"),
        await found(()),
        await found(ANNA),
        await found(("users", "an")),
        await found(("users",), filter={"theme": "light"}),
        await found(("users",), filter={"theme": {"$eq": "dark"}, "size": {"$gte": 4}}),
        len(await found((), limit=2)),
        len(await found((), limit=10, offset=3)),
        await store.alist_namespaces(),
        await store.alist_namespaces(prefix=("users", "*"), suffix=("work",)),
        await store.alist_namespaces(max_depth=1),
        await store.alist_namespaces(prefix=("users",), limit=1, offset=1),
        [
            one if one is None or isinstance(one, list) else one.value
            for one in await store.abatch(
                [GetOp(ANNA, "pet"), PutOp(ANNA, "pet", None), SearchOp(("nobody",)), GetOp(ANNA, "none")]
            )
        ],
        await store.aget(ANNA, "pet"),
        await store.aget(("users",), "prefs"),
    ]


async def test_it_does_what_langgraphs_own_store_does(memory: AsyncBethink) -> None:
    assert await _as_langgraphs_own(BethinkStore(memory)) == await _as_langgraphs_own(InMemoryStore())


async def test_search_by_what_is_meant(memory: AsyncBethink) -> None:
    store = BethinkStore(memory)
    for number in range(8):
        await store.aput(ANNA, f"n{number}", {"text": f"Note {number} about the weather"})
    await store.aput(
        ANNA, "job", {"text": "Works as a nurse in Lisbon", "secret": "my password is hunter2-x!"}
    )
    await store.aput(ANNA, "hidden", {"text": "nurse nurse nurse"}, index=False)
    await store.aput(("users", "ben"), "job", {"text": "Works as a nurse too"})
    await memory.remember("A nurse called")
    best, *_ = await store.asearch(ANNA, query="who is a nurse?")
    assert (best.key, best.namespace) == ("job", ANNA)
    assert best.score is not None
    assert best.value["secret"] == "my password is hunter2-x!"  # a program's own value comes back as it was
    found = await store.asearch(ANNA, query="nurse", limit=20)
    assert "hidden" not in [one.key for one in found]
    assert {one.namespace for one in found} == {ANNA}
    assert (await store.aget(ANNA, "hidden")).value == {"text": "nurse nurse nurse"}  # type: ignore[union-attr]


async def test_items_end_unless_they_are_used(memory: AsyncBethink) -> None:
    with FrozenClock(now()) as clock:
        store = BethinkStore(memory, ttl={"default_ttl": 60})
        await store.aput(ANNA, "used", {"x": 1})
        await store.aput(ANNA, "unused", {"x": 2})
        await store.aput(ANNA, "short", {"x": 3}, ttl=1)
        clock.advance(timedelta(minutes=50))
        assert await store.aget(ANNA, "used")
        assert await store.aget(ANNA, "unused", refresh_ttl=False)
        assert await store.aget(ANNA, "short") is None
        clock.advance(timedelta(minutes=50))
        assert await store.aget(ANNA, "used")
        assert await store.aget(ANNA, "unused") is None
        assert [one.key for one in await store.asearch(ANNA)] == ["used"]


async def test_what_cannot_be_kept_says_why(memory: AsyncBethink) -> None:
    store = BethinkStore(memory)
    with pytest.raises(InvalidInput, match="value: must be JSON"):
        await store.aput(ANNA, "x", {"when": now()})
    with pytest.raises(InvalidInput, match="key: "):
        await store.aput(ANNA, "x" * 300, {"a": 1})
    with pytest.raises(BethinkError, match="needs Bethink rather than AsyncBethink"):
        store.get(ANNA, "x")
