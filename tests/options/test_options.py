from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import AsyncBethink
from bethink.errors import InvalidInput, SettingsError
from bethink.recall.plan import filled
from bethink.settings import Settings
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.options import SERVER_WIDE, Options, effective, with_options
from tests import opened
from tests.opened import Home, texts

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

NOW = datetime(2025, 6, 1, tzinfo=UTC)
PLAIN = Settings()


def test_nothing_chosen_means_the_settings_of_the_process() -> None:
    settings = Settings.checked({"recall": {"strategy": "recent", "max_tokens": 700}})
    found = effective(settings, {}, {})
    assert (found.strategy, found.max_tokens, found.enabled, found.chosen) == ("recent", 700, False, {})


def test_a_space_lies_over_the_server_but_not_where_the_server_has_one_for_all() -> None:
    server = {"strategy": "recent", "max_tokens": 100, "embedding_source": "none"}
    own = {"max_tokens": 50, "embedding_source": "local"}
    found = effective(PLAIN, server, own)
    assert (found.strategy, found.max_tokens, found.embedding_source) == ("recent", 50, "none")
    assert found.chosen == {"strategy": "server", "max_tokens": "space", "embedding_source": "server"}


@given(st.dictionaries(st.text(max_size=20), st.one_of(st.none(), st.integers(), st.text(max_size=5))))
def test_what_another_version_stored_never_breaks_this_one(stored: dict[str, object]) -> None:
    bad = {**stored, "max_tokens": -5, "strategy": "psychic", "extractors": "all"}
    found = effective(PLAIN, bad, bad)
    assert (found.max_tokens, found.strategy, found.extractors) == (2000, "hybrid", ["patterns"])


@pytest.mark.parametrize(
    ("source", "model", "expected"),
    [
        ("auto", None, ("auto", None)),
        ("remote", "text-embedding-3-small", ("openai", "text-embedding-3-small")),
        ("auto", "ollama/nomic-embed-text", ("ollama", "nomic-embed-text")),
        ("local", "BAAI/bge-small-en-v1.5", ("local", "BAAI/bge-small-en-v1.5")),
        ("transformers", "transformers/all-MiniLM-L6-v2", ("sentence-transformers", "all-MiniLM-L6-v2")),
    ],
)
def test_a_model_may_be_named_with_its_source(
    source: str, model: str | None, expected: tuple[str, str | None]
) -> None:
    options = Options(embedding_source=source, embedding_provider_model=model)
    embed = with_options(PLAIN, options).embed
    assert (embed.source, embed.model) == expected


def test_a_request_says_more_than_the_options() -> None:
    options = effective(PLAIN, {}, {"strategy": "recent", "max_tokens": 9, "retention_days": 30})
    silent = filled(RecallRequest(query="tea"), options)
    assert (silent.strategy, silent.max_tokens) == ("recent", 9)
    asked = filled(RecallRequest(query="tea", strategy="hybrid", limit=3), options)
    assert (asked.strategy, asked.max_tokens) == ("hybrid", None)


async def test_what_is_within_the_retention_time_began_so_many_days_ago(memory: AsyncBethink) -> None:
    core, space = await memory.inside.here()
    assert await core.options.kept_since(space, NOW) is None
    await memory.options.update(retention_days=30)
    assert await core.options.kept_since(space, NOW) == NOW - timedelta(days=30)


async def test_options_are_kept_and_taken_back(home: Home) -> None:
    async with home.memory() as memory:
        changed = await memory.options.update(enabled=True, max_tokens=500)
        assert (changed.enabled, changed.max_tokens) == (True, 500)
    async with home.memory() as memory:
        found = await memory.options.get()
        assert (found.enabled, found.chosen["enabled"]) == (True, "space")
        assert (await memory.space(f"{home.space}-other").options.get()).enabled is False
        back = await memory.options.reset("enabled")
        assert (back.enabled, back.max_tokens) == (False, 500)
        page = await memory.journal()
        assert [(entry.noun, entry.before, entry.after) for entry in page.items] == [
            ("options", {"enabled": True}, {}),
            ("options", {}, {"enabled": True, "max_tokens": 500}),
        ]


async def test_another_process_sees_a_change(home: Home) -> None:
    async with home.memory() as one, home.memory() as two:
        for text in ("tea in the morning", "coffee at noon", "water", "juice", "milk", "cola", "beer"):
            await two.remember(text)
        assert texts(await two.recall("tea"))[0] == "tea in the morning"
        await one.options.update(strategy="recent")
        core, _ = await two.inside.here()
        core.options.forget()  # as half a second would
        assert texts(await two.recall("tea"))[0] == "beer"


async def test_what_is_older_than_the_retention_is_not_recalled(memory: AsyncBethink) -> None:
    await memory.remember("Zoe moved to Oslo", observed_at=datetime(2020, 1, 1, tzinfo=UTC))
    await memory.remember("Zoe bought a boat")
    await memory.options.update(retention_days=30)
    assert texts(await memory.recall("Zoe")) == ["Zoe bought a boat"]
    assert [one.content for one in await memory.list()] == ["Zoe bought a boat"]


async def test_a_prompt_keeps_to_the_tokens_of_its_space(memory: AsyncBethink) -> None:
    for number in range(20):
        await memory.remember(f"Trip {number} went to a town by the sea, with a long walk along the coast")
    assert (await memory.prompt("sea trip")).memories
    await memory.options.update(max_tokens=0)
    assert (await memory.prompt("sea trip")).memories == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"max_tokens": 16_001}, "max_tokens"),
        ({"retention_days": 0}, "retention_days"),
        ({"strategy": "exact"}, "strategy"),
        ({"embedding_source": "crystal"}, "embedding_source"),
        ({"colour": "blue"}, "colour"),
        ({"enabled": None}, "enabled"),
    ],
)
async def test_a_bad_option_is_named(memory: AsyncBethink, change: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await memory.options.update(**change)
    assert caught.value.field == field
    assert (await memory.options.get()).chosen == {}


async def test_the_embedding_source_changes_while_recall_answers(tmp_path: Path) -> None:
    async with AsyncBethink(f"{tmp_path}/m.db") as memory:
        await memory.remember("The cat sleeps on the radiator")
        await memory.settle()
        assert (await memory.stats()).embedding_source == "local"
        await memory.options.update(embedding_source="none")
        stats = await memory.stats()
        assert (stats.embedding_source, stats.embedding_state) == ("none", "off")
        assert texts(await memory.recall("radiator")) == ["The cat sleeps on the radiator"]
        await memory.options.reset("embedding_source", scope="server")
        found = await memory.recall("where is the pet?")
        assert (found.degraded, texts(found)) == ([], ["The cat sleeps on the radiator"])


async def test_a_source_that_can_never_work_is_refused(home: Home) -> None:
    async with AsyncBethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        with pytest.raises(SettingsError, match="no host"):
            await memory.options.update(embedding_source="remote")
        assert (await memory.options.get()).embedding_source == "none"


async def test_another_vector_store_is_used_at_once(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "memory.db"))
    async with home.memory() as memory:
        await memory.remember("The spare key is under the pot")
        await memory.options.update(vector_store="sqlite-vec")
        assert (await memory.index.status()).vector_store.name == "sqlite-vec"
        with pytest.raises(SettingsError, match="pgvector"):
            await memory.options.update(vector_store="pgvector")
    async with home.memory() as memory:
        assert (await memory.index.status()).vector_store.name == "sqlite-vec"
        assert (await memory.recall("spare key")).hits[0].engine == "terms+vector"


def test_server_wide_options_are_options() -> None:
    assert set(Options.model_fields) >= SERVER_WIDE
