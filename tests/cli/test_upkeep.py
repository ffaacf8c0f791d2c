from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from bethink import AsyncBethink
from bethink.cli import settle
from bethink.cli.output import Output
from bethink.models.embed import EmbedRole
from bethink.testing import HashEmbedder
from tests.cli.running import Cli


def test_stats_count_every_layer(cli: Cli) -> None:
    assert "is empty" in cli.ok("stats").err
    cli.ok("remember", "one")
    cli.ok("observe", "--session", "s", stdin='{"role": "user", "content": "hello"}')
    rows = [line.split()[:2] for line in cli.ok("stats").out.splitlines()]
    assert rows[1:3] == [["memory", "1"], ["message", "1"]]
    assert cli.json("stats", "--space", "other")["layers"] == {}


def test_reindex_needs_a_source_and_says_so(cli: Cli) -> None:
    ended = cli("reindex", "--json")
    assert ended.code == 1
    assert ended.problem["type"] == "urn:bethink:problem:model-missing"


def test_reindex_makes_what_is_missing_and_all_when_forced(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("remember", "one")
    cli.ok("remember", "two", "--space", "other")
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "local")
    assert cli.ok("reindex").out.startswith("vectors of space 'default': ")
    assert cli.ok("reindex").out == "vectors of space 'default': none were missing\n"
    made = cli.json("reindex", "--all-spaces")["spaces"]
    assert (made["default"], made["other"] > 0) == (0, True)
    forced = cli.json("reindex", "--force", "--all-spaces")
    assert all(forced["spaces"].values())
    assert forced["embedded"] == sum(forced["spaces"].values())
    assert cli.ok("reindex", "--all-spaces").out == "vectors of 2 spaces: none were missing\n"


def test_migrate_tells_what_it_applied(cli: Cli) -> None:
    first = cli.ok("migrate").out.splitlines()
    assert first[0] == "applied 0001 foundation"
    version = int(first[-1].split()[1])
    assert cli.ok("migrate").out == f"up to date (version {version})\n"
    assert cli.json("migrate") == {"applied": [], "version": version}


def test_migrate_works_on_each_database(cli: Cli, empty_database_url: str) -> None:
    assert cli.json("migrate", "--url", empty_database_url)["applied"]
    assert cli.json("migrate", "--url", empty_database_url)["applied"] == []


class Stuck(HashEmbedder):
    """Never answers."""

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        await asyncio.Event().wait()
        return await super().embed(texts, role)


async def test_a_source_that_hangs_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(settle, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(settle, "SECONDS_PER_ENTRY", 0.0)
    async with AsyncBethink(":memory:", embedder=Stuck()) as memory:
        await memory.remember("one")
        await settle.settle(memory, memory, Output(json=False))
        assert (await memory.list())[0].content == "one"
    assert capsys.readouterr().err.startswith("warning: Everything is stored")


async def test_settling_makes_the_vectors(capsys: pytest.CaptureFixture[str]) -> None:
    async with AsyncBethink(":memory:", embedder=HashEmbedder()) as memory:
        await memory.remember_many([{"content": f"note {number}"} for number in range(200)])
        await settle.settle(memory, memory, Output(json=False))
        assert (await memory.stats()).awaiting_vectors == 0
    assert capsys.readouterr() == ("", "")
