from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import (
    AsyncBethink,
    Closed,
    InvalidInput,
    MemoryType,
    Settings,
    SettingsError,
    StoreError,
    TooLarge,
)
from bethink.memory import FARTHEST, PAGE_LIMIT
from bethink.testing import FrozenClock, HashEmbedder
from tests import opened
from tests.opened import Home, WatchedEmbedder, add_person, texts, unchecked

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home
memory = opened.memory


def day(number: int) -> datetime:
    return datetime(2024, 3, number, tzinfo=UTC)


async def test_with_the_local_model_a_memory_is_found_by_its_meaning(database_url: str) -> None:
    async with AsyncBethink(database_url) as memory:
        notes = [
            "Anna is allergic to peanuts", "The car needs new tyres", "We met at the opera in Vienna",
            "The landlord raised the rent", "Oscar sleeps on the radiator", "Grandma turns ninety in June",
            "The router is behind the bookshelf",
        ]  # fmt: skip
        await memory.remember_many([{"content": note} for note in notes])
        await memory.settle()
        stats = await memory.stats()
        assert (stats.embedding_source, stats.embedding_state, stats.awaiting_vectors) == (
            "local",
            "ready",
            0,
        )
        assert stats.signature is not None
        assert stats.signature.endswith(":384")
        result = await memory.recall("which foods should she avoid?")
        assert (result.hits[0].text, result.degraded) == (notes[0], [])
        assert (await memory.recall("where does he take his naps?")).hits[0].text == notes[4]
        assert (await memory.recall("a night of classical singing")).hits[0].text == notes[2]


async def test_it_opens_on_first_use_or_when_told_to(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "memory.db"
    memory = AsyncBethink(str(path), embedder=HashEmbedder())
    assert not path.exists()
    assert await memory.open() is memory
    assert path.exists()
    await memory.close()
    async with AsyncBethink(str(path), embedder=HashEmbedder()) as again:
        assert await again.check() == "unopened"


async def test_many_first_uses_at_once_open_it_once(home: Home) -> None:
    memory = home.memory()
    await asyncio.gather(*(memory.remember(f"note {number}") for number in range(10)))
    assert await memory.count() == 10
    await memory.close()


async def test_after_closing_everything_is_refused(home: Home) -> None:
    async with home.memory() as memory:
        await memory.remember("x")
    await memory.close()
    for call in (
        memory.recall("x"),
        memory.remember("y"),
        memory.open(),
        memory.facts.list(),
        memory.settle(),
    ):
        with pytest.raises(Closed, match="open it again"):
            await call


async def test_what_was_written_is_there_when_it_is_opened_again(home: Home) -> None:
    async with home.memory() as memory:
        await memory.remember("The piano is in the attic", tags=["house"])
        await memory.observe("chat", [{"content": "hello"}])
        await memory.facts.set("home", "city", "Rome")
        before = (await memory.list(), await memory.messages.of("chat"), await memory.facts.list())
    async with home.memory() as memory:
        assert (await memory.list(), await memory.messages.of("chat"), await memory.facts.list()) == before
        hit = (await memory.recall("piano attic")).hits[0]
        assert (hit.text, hit.engine) == ("The piano is in the attic", "terms+vector")


async def test_two_memories_that_live_in_memory_only_are_two() -> None:
    one = AsyncBethink(":memory:", embedder=HashEmbedder())
    other = AsyncBethink(":memory:", embedder=HashEmbedder())
    async with one, other:
        await one.remember("Likes tea")
        assert texts(await one.recall("tea")) == ["Likes tea"]
        assert await other.list() == []


@pytest.mark.parametrize("url", ["mysql://host/db", "redis://host"])
async def test_an_unknown_kind_of_database_is_refused(url: str) -> None:
    with pytest.raises(StoreError, match="use a file path"):
        await AsyncBethink(url, embedder=HashEmbedder()).open()


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, not a database\n" * 100)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        await AsyncBethink(str(path), embedder=HashEmbedder()).open()
    assert path.read_text().startswith("these are my notes")


async def test_a_memory_that_could_not_be_opened_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("not a database, and long enough to be taken for one" * 100)
    memory = AsyncBethink(str(path), embedder=HashEmbedder())
    with pytest.raises(StoreError):
        await memory.remember("x")
    path.unlink()
    assert (await memory.remember("x")).status == "stored"
    await memory.close()


def test_settings_come_from_an_object_with_keywords_laid_over_it() -> None:
    settings = Settings.load(recall={"limit": 3}, space="home")
    memory = AsyncBethink("other.db", settings=settings, recall={"max_tokens": 50})
    assert (memory.settings.recall.limit, memory.settings.recall.max_tokens) == (3, 50)
    assert (memory.settings.url, memory.name) == ("other.db", "home")
    assert settings.url is None
    with pytest.raises(SettingsError, match="did you mean"):
        AsyncBethink(**unchecked(recal={"limit": 3}))


async def test_the_vector_store_must_suit_the_database(tmp_path: Path) -> None:
    memory = AsyncBethink(str(tmp_path / "a.db"), embedder=HashEmbedder(), index={"vector_store": "pgvector"})
    with pytest.raises(SettingsError, match=r"index\.vector_store"):
        await memory.open()


async def test_memories_are_listed_newest_first_and_page_by_page(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        for number in range(7):
            clock.advance(timedelta(hours=1))
            await memory.remember(f"note {number}", observed_at=day(20 - number))
    await memory.remember_many([{"content": f"late {number}"} for number in range(3)])
    everything = [kept.content for kept in await memory.list()]
    assert everything == [f"late {n}" for n in (2, 1, 0)] + [f"note {n}" for n in range(6, -1, -1)]
    pages = [await memory.list(limit=4, offset=offset) for offset in (0, 4, 8, 12)]
    assert [kept.content for page in pages for kept in page] == everything
    assert [len(page) for page in pages] == [4, 4, 2, 0]
    assert await memory.count() == 10


async def test_memories_are_listed_and_counted_by_any_filter(memory: AsyncBethink) -> None:
    ann = await add_person(memory, "Ann")
    await memory.remember_many(
        [
            {"content": "plain", "observed_at": day(1)},
            {"content": "procedural", "type": "procedural", "observed_at": day(2)},
            {"content": "tagged", "tags": ["hot", "leaf"], "observed_at": day(3)},
            {"content": "categorised", "category": "drinks", "observed_at": day(4)},
            {"content": "imported", "source": "import", "observed_at": day(5)},
            {"content": "pinned", "pinned": True, "observed_at": day(6)},
            {"content": "of Ann", "person_id": ann, "observed_at": day(7)},
            {"content": "of a session", "session_id": "chat", "observed_at": day(8)},
        ]
    )
    await memory.remember("gone", expires_at=day(9), tags=["hot"], pinned=True)
    everything = {
        "plain", "procedural", "tagged", "categorised", "imported", "pinned", "of Ann", "of a session",
    }  # fmt: skip
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({}, everything),
        ({"types": [MemoryType.PROCEDURAL]}, {"procedural"}),
        ({"types": ["procedural", "semantic"]}, {"procedural"}),
        ({"tags": ("leaf", "cold")}, {"tagged"}),
        ({"categories": ["drinks"]}, {"categorised"}),
        ({"sources": ["import"]}, {"imported"}),
        ({"pinned": True}, {"pinned"}),
        ({"pinned": False}, everything - {"pinned"}),
        ({"person_ids": [ann]}, {"of Ann"}),
        ({"session_ids": ["chat"]}, {"of a session"}),
        ({"since": day(7)}, {"of Ann", "of a session"}),
        ({"until": day(2)}, {"plain"}),
        ({"since": datetime(2024, 3, 2), "until": datetime(2024, 3, 3)}, {"procedural"}),
        ({"since": datetime.fromisoformat("2024-03-08T01:00:00+01:00")}, {"of a session"}),
        ({"tags": ["hot"], "pinned": True}, set()),
        *(
            ({name: []}, set())
            for name in ("types", "tags", "categories", "sources", "person_ids", "session_ids")
        ),
    ]
    for chosen, expected in cases:
        assert {kept.content for kept in await memory.list(**chosen)} == expected, chosen
        assert await memory.count(**chosen) == len(expected), chosen


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": PAGE_LIMIT + 1}, "limit"),
        ({"offset": -1}, "offset"),
        ({"offset": FARTHEST + 1}, "offset"),
        ({"offset": 10**30}, "offset"),
        ({"types": ["odd"]}, "types.0"),
        ({"tags": "hot"}, "tags"),
        ({"tags": ["a\0"]}, "tags.0"),
        ({"session_ids": ["\ud800"]}, "session_ids.0"),
        ({"since": "soon"}, "since"),
    ],
)
async def test_a_wrong_listing_is_refused_and_names_the_field(
    memory: AsyncBethink, chosen: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput, match=f"{field}: ") as caught:
        await memory.list(**chosen)
    assert caught.value.field == field


async def test_other_listings_have_limits_too(memory: AsyncBethink) -> None:
    for call, field in [
        (memory.sessions(limit=0), "limit"),
        (memory.messages.of("chat", limit=PAGE_LIMIT + 1), "limit"),
        (memory.messages.of("chat", after=-1), "after"),
        (memory.messages.of("chat", after=10**30), "after"),
        (memory.facts.list(limit=0), "limit"),
        (memory.facts.list(category="a\0"), "category"),
        (memory.facts.get("a\0", "b"), "category"),
        (memory.facts.history("a", "\ud800"), "key"),
        (memory.facts.forget("a", ""), "key"),
        (memory.count(**unchecked(colour="red")), "colour"),
    ]:
        with pytest.raises(InvalidInput) as caught:
            await call
        assert caught.value.field == field


@pytest.mark.parametrize("name", ["", "x" * 501, "a\0b", "\udfff"])
async def test_a_space_needs_a_name_that_can_be_kept(memory: AsyncBethink, name: str) -> None:
    with pytest.raises(InvalidInput, match="space: ") as caught:
        await memory.space(name).list()
    assert caught.value.field == "space"


@pytest.mark.parametrize("name", ["work", "'; DROP TABLE spaces; --", "家", "a/b c", "x" * 250])
async def test_a_space_may_have_any_other_name(memory: AsyncBethink, name: str) -> None:
    space = memory.space(f"{memory.name}{name}"[-250:])
    await space.remember("here")
    assert [kept.content for kept in await space.list()] == ["here"]
    assert await memory.list() == []


async def test_limits_are_named_with_what_was_over_them(home: Home) -> None:
    async with home.memory(limits={"content_chars": 100, "batch": 3}) as memory:
        long = "x" * 101
        known = await memory.remember("x" * 100)
        for call, field, size, limit in [
            (memory.remember(long), "content", "101", "100"),
            (memory.update(known.id, content=long), "content", "101", "100"),
            (memory.observe("chat", [{"content": long}]), "content", "101", "100"),
            (memory.facts.set("a", "b", long), "value", "101", "100"),
            (memory.facts.set("a", "b", "c", source_context=long), "source_context", "101", "100"),
            (memory.remember_many([{"content": str(n)} for n in range(4)]), "items", "4", "3"),
            (memory.observe("chat", [{"content": str(n)} for n in range(4)]), "items", "4", "3"),
        ]:
            with pytest.raises(TooLarge, match=f"^{field}: {size} is over the limit of {limit};") as caught:
                await call
            assert caught.value.field == field
        assert await memory.count() == 1
        assert await memory.messages.of("chat") == []


async def test_stats_tell_what_a_space_holds(home: Home) -> None:
    async with home.memory(WatchedEmbedder(48, model="tiny")) as memory:
        assert (await memory.stats()).layers == {}
        await memory.remember("one")
        await memory.remember("two")
        await memory.facts.set("home", "city", "Rome")
        await memory.settle()
        stats = await memory.stats()
        assert stats.space == memory.name
        assert {layer: count.total for layer, count in stats.layers.items()} == {"memory": 2, "fact": 1}
        assert (stats.embedding_source, stats.signature) == ("testing", "testing:tiny:48")
        assert stats.embedding_reason == "the caller gave this embedder"
        assert await memory.check() == "ready"


async def test_many_readers_and_writers_at_once(memory: AsyncBethink) -> None:
    async def work(number: int) -> None:
        await memory.remember(f"The number of the day is {number}")
        await memory.observe(f"chat {number % 3}", [{"content": f"said {number}"}])
        await memory.facts.set("count", str(number % 5), str(number))
        assert f"The number of the day is {number}" in texts(await memory.recall(f"{number}", limit=50))

    await asyncio.gather(*(work(number) for number in range(25)))
    assert await memory.count() == 25
    assert sum([len(await memory.messages.of(f"chat {n}")) for n in range(3)]) == 25
    versions = [await memory.facts.history("count", str(n)) for n in range(5)]
    assert [len(found) for found in versions] == [5] * 5
    assert all(sum(fact.valid_to is None for fact in found) == 1 for found in versions)
