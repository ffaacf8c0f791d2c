from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Unpack

import numpy as np
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer, models, pre_tokenizers

from bethink.errors import ModelError, ModelMissing
from bethink.models.embed import resolve, signature
from bethink.models.embed.static import open_static
from bethink.settings import Settings
from bethink.settings.keywords import EmbedOverrides
from tests.models.embed.hosts import running_hub

WORDS = {"[UNK]": 0, "pizza": 1, "food": 2, "tax": 3, "report": 4}
VECTORS = np.array([[0, 0, 0], [3, 1, 0], [2, 0, 0], [0, 0, 5], [0, 1, 4]], np.float32)


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path / "tiny"
    StaticModel(VECTORS, tokenizer).save_pretrained(folder)
    return folder


def settings(**embed: Unpack[EmbedOverrides]) -> Settings:
    return Settings.load(embed={"source": "static", **embed})


async def test_a_model_in_a_folder_is_used(model_folder: Path) -> None:
    embedder = await open_static(settings(path=model_folder))
    food, pizza, tax, nothing = await embedder.embed(["food", "pizza", "tax report", "zzz"], "query")
    assert food @ pizza > food @ tax
    assert np.allclose([np.linalg.norm(row) for row in (food, pizza, tax)], 1)
    assert not nothing.any()
    assert embedder.dimensions == 3
    assert embedder.model.startswith("tiny@")
    assert (await embedder.embed([], "query")).shape == (0, 3)
    assert (await embedder.embed(["\ud83d pizza"], "query")).shape == (1, 3)
    await embedder.close()


async def test_other_vectors_under_the_same_name_have_another_signature(
    model_folder: Path, tmp_path: Path
) -> None:
    before = await open_static(settings(path=model_folder))
    tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    StaticModel(VECTORS[::-1], tokenizer).save_pretrained(tmp_path / "new" / "tiny")
    after = await open_static(settings(path=tmp_path / "new" / "tiny"))
    assert signature(before) != signature(after)
    await before.close()
    await after.close()


async def test_calls_at_once_do_not_disturb_each_other(model_folder: Path) -> None:
    resolution = resolve(Settings.load(embed={"path": model_folder, "cache_size": 0}))
    assert resolution.source == "static"
    embedder = await resolution.ready()
    answers = await asyncio.gather(*(embedder.embed(["food", "tax"], "document") for _ in range(30)))
    assert all(np.array_equal(rows, answers[0]) for rows in answers)
    await resolution.close()


async def test_a_model_is_fetched_from_the_hub_and_then_kept(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    names = ("config.json", "tokenizer.json", "model.safetensors")
    files = {name: model_folder / name for name in names}
    with running_hub(files) as (url, asked):
        monkeypatch.setenv("HF_ENDPOINT", url)
        first = await open_static(settings(model="owner/model", allow_download=True))
        after_first = len(asked)
        second = await open_static(settings(model="owner/model", allow_download=True))
    assert after_first > 0
    assert len(asked) == after_first
    assert signature(first) == signature(second)
    assert first.model.startswith("owner/model@")
    await first.close()
    await second.close()


async def test_a_model_the_hub_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    with running_hub({}) as (url, _):
        monkeypatch.setenv("HF_ENDPOINT", url)
        with pytest.raises(ModelMissing, match="owner/model has no static model"):
            await open_static(settings(model="owner/model", allow_download=True))


async def test_nothing_is_fetched_without_leave() -> None:
    with pytest.raises(ModelMissing, match=r"embed\.allow_download to fetch minishlab/potion-base-8M"):
        await open_static(settings())


async def test_a_folder_that_is_not_there_is_not_looked_up_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no folder"):
        await open_static(settings(path=tmp_path / "missing"))


async def test_a_folder_without_a_model_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not be loaded"):
        await open_static(settings(path=tmp_path))
