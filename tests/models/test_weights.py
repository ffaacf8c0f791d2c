"""A model of one's own takes the place of a packaged one by one entry of the registry."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bethink.errors import ModelError, ModelMissing
from bethink.models.embed import signature
from bethink.models.embed.local import open_local
from bethink.models.late import LateEncoder
from bethink.models.weights import MODELS, InFolder, InPackage, Model, OnHub, find, required
from bethink.models.weights.digests import file_sha256
from bethink.settings import Settings
from tests.models.embed.hosts import running_hub

LOCAL = Settings.load(embed={"source": "local"})


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """Another model, in a folder, in the place of the packaged embedding model."""
    packaged, folder = required(MODELS["embed"]), tmp_path / "own"
    folder.mkdir()
    shutil.copy(packaged.tokenizer, folder)
    # A field of no number that anything reads: the same model, and yet another file.
    (folder / "own.onnx").write_bytes(packaged.onnx.read_bytes() + b"\xfa\x7f\x01x")
    digests = {name: file_sha256(folder / name) for name in ("own.onnx", "tokenizer.json")}
    model = Model("own-model", "me/own-model", "MIT", InFolder(folder), digests, dimensions=384)
    monkeypatch.setitem(MODELS, "embed", model)
    return model


async def test_one_entry_replaces_the_model_that_embeds(own: Model) -> None:
    embedder = await open_local(LOCAL)
    assert signature(embedder) == f"local:{own.name}:384"
    assert (await embedder.embed(["tea"], "query")).shape == (1, 384)
    await embedder.close()


async def test_an_entry_whose_digest_is_anothers_is_refused(
    own: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = replace(own, files={**own.files, "own.onnx": "0" * 64})
    monkeypatch.setitem(MODELS, "embed", wrong)
    embedder = await open_local(LOCAL)
    with pytest.raises(ModelError, match=r"own\.onnx is not the file it should be.*put its files into"):
        await embedder.embed(["tea"], "query")
    await embedder.close()


def test_an_entry_of_the_hub_is_fetched_where_that_is_allowed_and_found_again_without(
    own: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(own.where, InFolder)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    there = replace(own, where=OnHub("owner/model"))
    assert find(there) is None
    with pytest.raises(ModelMissing, match=r"set embed\.allow_download to fetch owner/model"):
        required(there)
    with running_hub({name: own.where.path / name for name in own.files}) as (url, _):
        monkeypatch.setenv("HF_ENDPOINT", url)
        fetched = find(there, download=True)
    assert fetched is not None
    fetched.check()
    assert find(there) == fetched


async def test_a_changed_projection_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "projection.npy").write_bytes(b"nothing of the kind")
    monkeypatch.setitem(MODELS, "projection", replace(MODELS["projection"], where=InFolder(tmp_path)))
    encoder = LateEncoder(1)
    with pytest.raises(ModelError, match=r"projection\.npy is not the file it should be"):
        await encoder.query("tea")
    await encoder.close()


def test_a_package_that_is_not_installed_is_named() -> None:
    elsewhere = replace(MODELS["rerank"], where=InPackage("a-package-that-is-not-there==1", "models"))
    with pytest.raises(ModelMissing, match="install a-package-that-is-not-there==1"):
        required(elsewhere)
