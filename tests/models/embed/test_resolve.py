from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pytest

from bethink.errors import Closed, ModelError, ModelMissing, SettingsError
from bethink.models.embed import (
    CachedEmbedder,
    Embedder,
    PassedOver,
    Resolution,
    State,
    resolve,
    signature,
)
from bethink.models.weights import MODELS, InFolder, InPackage
from bethink.settings import EmbedSettings, Settings
from bethink.settings.keywords import EmbedOverrides
from bethink.testing import HashEmbedder
from tests.models.embed.hosts import Answer, Asked, numbers_of, running_host, unused_port


class Ticks:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def openai_answer(asked: Asked) -> Answer:
    return Answer({"data": [{"embedding": numbers_of(text, 16)} for text in asked.body["input"]]})


def state_of(resolution: Resolution) -> State:
    return resolution.state


def settings(**embed: Unpack[EmbedOverrides]) -> Settings:
    return Settings.load(embed=embed)


async def test_by_default_the_local_model_is_taken_and_works() -> None:
    resolution = resolve(settings())
    assert (resolution.source, resolution.state, resolution.enabled) == ("local", "unopened", True)
    assert "bge-small" in resolution.reason
    assert [passed.source for passed in resolution.passed_over] == ["openai", "multilingual"]
    embedder = await resolution.ready()
    assert state_of(resolution) == "ready"
    assert await resolution.ready() is embedder is resolution.embedder
    assert signature(embedder) == "local:bge-small-en-v1.5-int8:384"
    await embedder.embed(["tea"], "query")
    await embedder.embed(["tea"], "query")
    assert resolution.statistics is not None
    assert (resolution.statistics.hits, resolution.statistics.misses) == (1, 1)
    await resolution.close()


@pytest.mark.parametrize("section", ["embed", "chat"])
def test_auto_takes_a_configured_host_first(section: str) -> None:
    resolution = resolve(Settings.checked({section: {"base_url": "http://host.test/v1"}}))
    assert (resolution.source, resolution.reason) == ("openai", f"{section}.base_url is set")
    assert resolution.passed_over == ()


def test_auto_takes_a_static_model_where_the_path_holds_one(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    resolution = resolve(settings(path=tmp_path))
    assert resolution.source == "static"
    assert PassedOver("local", "embed.path holds a static model") in resolution.passed_over


def test_auto_takes_the_path_for_a_local_model_otherwise(tmp_path: Path) -> None:
    resolution = resolve(settings(path=tmp_path))
    assert (resolution.source, resolution.reason) == ("local", "embed.path is set")


async def test_auto_without_anything_usable_is_off_and_says_why() -> None:
    resolution = resolve(settings(model="some/model"))
    assert (resolution.source, resolution.state, resolution.enabled) == ("none", "off", False)
    reasons = {passed.source: passed.reason for passed in resolution.passed_over}
    assert list(reasons) == ["openai", "multilingual", "local", "static", "sentence-transformers"]
    assert "some/model" in reasons["local"]
    assert "allow_download" in reasons["static"]
    with pytest.raises(ModelMissing, match="keywords only"):
        await resolution.ready()
    await resolution.close()


def test_auto_may_fetch_another_model_when_that_is_allowed() -> None:
    assert resolve(settings(model="some/model", allow_download=True)).source == "local"


def test_auto_passes_over_weights_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = replace(MODELS["embed"], where=InPackage("a-package-that-is-not-there==1", "models"))
    monkeypatch.setitem(MODELS, "embed", elsewhere)
    resolution = resolve(settings())
    assert resolution.source == "none"
    assert "install a-package-that-is-not-there==1" in resolution.passed_over[2].reason


async def test_none_means_none() -> None:
    resolution = resolve(Settings.load(embed={"source": "none"}, chat={"base_url": "http://host.test"}))
    assert (resolution.state, resolution.problem, resolution.passed_over) == ("off", None, ())


async def test_a_host_out_of_reach_is_no_error_until_used_and_ready_once_it_is_there() -> None:
    clock, port = Ticks(), unused_port()
    chosen = settings(source="openai", base_url=f"http://127.0.0.1:{port}/v1", retry_seconds=15)
    resolution = resolve(chosen, clock=clock)
    assert state_of(resolution) == "unopened"
    with pytest.raises(ModelError, match="cannot be reached"):
        await resolution.ready()
    assert state_of(resolution) == "failing"
    assert "cannot be reached" in (resolution.problem or "")
    with running_host(openai_answer, port) as host:
        clock.now = 10
        with pytest.raises(ModelError, match="next try is in 5 s"):
            await resolution.ready()
        assert host.asked == []
        clock.now = 15
        embedder = await resolution.ready()
        assert (resolution.state, resolution.problem) == ("ready", None)
        assert embedder.dimensions == 16
        await resolution.close()


async def test_a_host_that_goes_away_rests_too_while_the_cache_still_answers() -> None:
    clock = Ticks()
    down = False
    with running_host(lambda asked: Answer("down", status=503) if down else openai_answer(asked)) as host:
        chosen = settings(source="openai", base_url=host.url, retry_seconds=15)
        resolution = resolve(chosen, clock=clock)
        embedder = await resolution.ready()
        known = await embedder.embed(["known"], "query")
        down = True
        with pytest.raises(ModelError, match="503"):
            await embedder.embed(["new"], "query")
        asked = len(host.asked)
        with pytest.raises(ModelError, match="next try is in 15 s"):
            await embedder.embed(["new"], "query")
        assert len(host.asked) == asked
        assert state_of(resolution) == "failing"
        assert np.array_equal(await embedder.embed(["known"], "query"), known)
        down, clock.now = False, 15.0
        assert (await embedder.embed(["new"], "query")).shape == (1, 16)
        assert state_of(resolution) == "ready"
        await resolution.close()


async def test_uses_at_once_open_the_source_once() -> None:
    with running_host(openai_answer) as host:
        resolution = resolve(settings(source="openai", base_url=host.url))
        embedders = await asyncio.gather(*(resolution.ready() for _ in range(10)))
        await resolution.close()
    assert len(set(map(id, embedders))) == 1
    assert len(host.asked) == 1


async def test_a_closed_resolution_says_so() -> None:
    resolution = resolve(settings())
    embedder = await resolution.ready()
    await resolution.close()
    await resolution.close()
    with pytest.raises(Closed):
        await resolution.ready()
    with pytest.raises(Closed):
        await embedder.embed(["tea"], "query")


async def test_closing_while_it_is_being_opened_leaves_nothing_open() -> None:
    mine, begun, go_on = Owned(), asyncio.Event(), asyncio.Event()

    async def open_slowly() -> Embedder:
        begun.set()
        await go_on.wait()
        return mine

    resolution = Resolution("mine", "a test", (), open_slowly, EmbedSettings())
    opening = asyncio.create_task(resolution.ready())
    await begun.wait()
    await resolution.close()
    go_on.set()
    with pytest.raises(Closed):
        await opening
    assert mine.closed
    assert resolution.embedder is None


class Owned(HashEmbedder):
    closed = False

    async def close(self) -> None:
        self.closed = True


async def test_an_embedder_that_is_given_is_taken_and_left_open() -> None:
    mine = Owned()
    resolution = resolve(settings(source="none"), mine)
    embedder = await resolution.ready()
    assert isinstance(embedder, CachedEmbedder)
    assert signature(embedder) == "testing:hash:64"
    await resolution.close()
    assert not mine.closed


async def test_the_cache_can_be_off() -> None:
    resolution = resolve(settings(cache_size=0), HashEmbedder())
    assert not isinstance(await resolution.ready(), CachedEmbedder)
    assert resolution.statistics is None


class Wrong(HashEmbedder):
    async def embed(self, texts: Any, role: Any) -> Any:
        if "raise" in texts:
            raise ZeroDivisionError("oops")
        return (await super().embed(texts, role))[:, 1:]


@pytest.mark.parametrize(("text", "says"), [("raise", "oops"), ("short", r"\(1, 63\)")])
async def test_a_given_embedder_that_misbehaves_is_a_model_error(text: str, says: str) -> None:
    embedder = await resolve(settings(), Wrong()).ready()
    with pytest.raises(ModelError, match=says):
        await embedder.embed([text], "query")


PLUGIN = """
from bethink.testing import HashEmbedder

class Embedder(HashEmbedder):
    source = "mine"

    def __init__(self, settings):
        super().__init__(settings.embed.dimensions or 12)

async def later(settings):
    return Embedder(settings)

def broken(settings):
    raise RuntimeError("no luck")
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings three embedding sources."""
    (tmp_path / "my_embedders.py").write_text(PLUGIN)
    info = tmp_path / "my_embedders-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-embedders\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[bethink.embedders]\n"
        "mine = my_embedders:Embedder\n"
        "mine-later = my_embedders:later\n"
        "mine-broken = my_embedders:broken\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_embedders", raising=False)


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("source", ["mine", "mine-later"])
async def test_another_package_can_bring_a_source(source: str) -> None:
    resolution = resolve(settings(source=source, dimensions=20))
    embedder: Embedder = await resolution.ready()
    assert signature(embedder) == "mine:hash:20"
    assert (await embedder.embed(["tea"], "query")).shape == (1, 20)
    await resolution.close()


@pytest.mark.usefixtures("plugin")
async def test_a_source_of_another_package_that_fails_is_a_model_error() -> None:
    resolution = resolve(settings(source="mine-broken"))
    with pytest.raises(ModelError, match="no luck"):
        await resolution.ready()
    assert "no luck" in (resolution.problem or "")


@pytest.mark.usefixtures("plugin")
def test_an_unknown_source_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"locl.*auto, local.*mine, mine-broken") as caught:
        settings(source="locl")
    assert caught.value.field == "embed.source"


# A chat host without embeddings


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_chat_host_without_embeddings_gives_way_to_the_packaged_model(status: int) -> None:
    with running_host(lambda _: Answer({"error": "not supported"}, status=status)) as host:
        resolution = resolve(Settings.load(chat={"base_url": host.url}))
        assert resolution.source == "openai"
        embedder = await resolution.ready()
        rows = await embedder.embed(["tea"], "document")
        assert rows.shape == (1, 384)
        assert (resolution.source, state_of(resolution)) == ("local", "ready")
        assert resolution.reason == (
            f"embedding by the packaged model because the host {host.url} has no embeddings"
        )
        assert resolution.passed_over[0].source == "openai"
        assert str(status) in resolution.passed_over[0].reason
        await resolution.close()
        assert len(host.asked) == 1


@pytest.mark.parametrize("embed", [{"source": "openai"}, {"model": "nomic-embed-text"}, {"base_url": "HOST"}])
async def test_a_host_or_model_that_was_asked_for_is_not_replaced(embed: EmbedOverrides) -> None:
    with running_host(lambda _: Answer({"error": "no"}, status=501)) as host:
        if "base_url" in embed:
            embed = {"base_url": host.url}
        resolution = resolve(Settings.load(chat={"base_url": host.url}, embed=embed))
        with pytest.raises(ModelError, match="501"):
            await resolution.ready()
        assert (resolution.source, state_of(resolution)) == ("openai", "failing")
        await resolution.close()


async def test_a_chat_host_that_is_down_is_waited_for() -> None:
    with running_host(lambda _: Answer({"error": "busy"}, status=503)) as host:
        resolution = resolve(Settings.load(chat={"base_url": host.url}))
        with pytest.raises(ModelError, match="503"):
            await resolution.ready()
        assert resolution.source == "openai"
        await resolution.close()


async def test_without_another_source_the_hosts_refusal_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "embed", replace(MODELS["embed"], where=InFolder(Path("/not/there"))))
    with running_host(lambda _: Answer({"error": "no"}, status=501)) as host:
        resolution = resolve(Settings.load(chat={"base_url": host.url}))
        with pytest.raises(ModelError, match="501"):
            await resolution.ready()
        await resolution.close()
