from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.shapes.inputs import RecallRequest
from tests.opened import Home, add_person, texts, unchecked

KEYWORDS = {"source": "none"}
QUERY = "green tea"


def day(number: int) -> datetime:
    return datetime(2024, 3, number, tzinfo=UTC)


@pytest.fixture(params=["hybrid", "keywords", "recent", "few"])
async def tea(
    request: pytest.FixtureRequest, home: Home
) -> AsyncIterator[tuple[AsyncBethink, dict[str, Any]]]:
    """A memory with tea of every kind, and options that make recall take one of its paths."""
    settings: dict[str, Any] = {"embed": KEYWORDS} if request.param == "keywords" else {}
    settings["recall"] = {"few_memories": 200 if request.param == "few" else 0}
    options = {"strategy": "recent"} if request.param == "recent" else {}
    async with home.memory(**settings) as memory:
        ann = await add_person(memory, "Ann")
        await memory.remember_many(
            [
                {"content": "green tea plain", "observed_at": day(1)},
                {"content": "green tea procedural", "type": "procedural", "observed_at": day(2)},
                {"content": "green tea tagged", "tags": ["hot", "leaf"], "observed_at": day(3)},
                {"content": "green tea of a category", "category": "drinks", "observed_at": day(4)},
                {"content": "green tea imported", "source": "import", "observed_at": day(5)},
                {"content": "green tea pinned", "pinned": True, "observed_at": day(6)},
                {"content": "green tea of Ann", "person_id": ann, "observed_at": day(7)},
                {"content": "green tea of a session", "session_id": "chat", "observed_at": day(8)},
            ]
        )
        said = [("green tea said", ann), ("green tea said too", None)]
        await memory.observe(
            "chat", [{"content": text, "person_id": who, "sent_at": day(9)} for text, who in said]
        )
        await memory.facts.set("drink", "green tea", "yes")
        await memory.settle()
        yield memory, options | {"limit": 50, "ann": ann}


MEMORIES = {
    "plain", "procedural", "tagged", "of a category", "imported", "pinned", "of Ann", "of a session",
}  # fmt: skip
SAID, FACT = {"said", "said too"}, {"drink / green tea: yes"}


CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({}, MEMORIES | SAID | FACT),
    ({"layers": ["memory"]}, MEMORIES),
    ({"layers": ["message", "fact"]}, SAID | FACT),
    ({"types": ["procedural"]}, {"procedural"}),
    ({"types": ["factual"]}, MEMORIES - {"procedural"}),
    ({"tags": ["leaf"]}, {"tagged"}),
    ({"tags": ["leaf", "hot", "cold"]}, {"tagged"}),
    ({"tags": ["le"]}, set()),
    ({"categories": ["drinks"]}, {"of a category"}),
    ({"sources": ["import"]}, {"imported"}),
    ({"pinned": True}, {"pinned"}),
    ({"pinned": False}, MEMORIES - {"pinned"}),
    ({"session_ids": ["chat"]}, {"of a session"} | SAID),
    ({"session_ids": ["chat"], "layers": ["memory"]}, {"of a session"}),
    ({"session_ids": ["nowhere"]}, set()),
    ({"person_ids": ["ann"]}, {"of Ann", "said"}),
    ({"person_ids": ["ann"], "layers": ["message"]}, {"said"}),
    ({"since": day(7), "until": day(9)}, {"of Ann", "of a session"}),
    ({"until": day(2)}, {"plain"}),
    ({"since": "2024-03-08T00:00:00Z", "until": "2024-03-09T00:00:01Z"}, {"of a session"} | SAID),
    ({"as_of": day(3)}, {"plain", "procedural", "tagged"}),
    ({"as_of": day(3), "since": day(2)}, {"procedural", "tagged"}),
    ({"tags": ["leaf"], "types": ["procedural"]}, set()),
]


async def test_a_filter_lets_through_what_it_says_on_every_path(
    tea: tuple[AsyncBethink, dict[str, Any]],
) -> None:
    memory, options = tea
    ann = options.pop("ann")
    for chosen, expected in CASES:
        named: dict[str, Any] = {name: [ann] if value == ["ann"] else value for name, value in chosen.items()}
        result = await memory.recall(QUERY, **named, **options)
        assert {text.removeprefix("green tea ") for text in texts(result)} == expected, chosen


FILTERS = ["layers", "types", "person_ids", "session_ids", "tags", "categories", "sources"]


async def test_an_empty_list_matches_nothing_on_every_path(
    tea: tuple[AsyncBethink, dict[str, Any]],
) -> None:
    memory, options = tea
    del options["ann"]
    for name in FILTERS:
        assert (await memory.recall(QUERY, **unchecked(**{name: []}), **options)).hits == [], name
        assert (await memory.recall(QUERY, **unchecked(**{name: []}), fallback=True, **options)).hits == [], (
            name
        )


def test_every_list_of_a_request_is_among_the_filters_tested() -> None:
    lists = {name for name, field in RecallRequest.model_fields.items() if "list" in str(field.annotation)}
    assert lists - {"person_hints"} == set(FILTERS)
