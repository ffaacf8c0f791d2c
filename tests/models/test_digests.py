"""Files of models that are not what they should be."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from io import BufferedReader
from pathlib import Path

import pytest

from bethink.errors import ModelError
from bethink.models import weights
from bethink.models.onnx import load_model
from bethink.models.weights.digests import check_folder, file_sha256
from tests.models.embed.hosts import running_hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of one's own: a copy of the packaged one."""
    packaged = weights.required(weights.MODELS["embed"])
    place = tmp_path / "model"
    place.mkdir()
    shutil.copy(packaged.onnx, place / "model.onnx")
    shutil.copy(packaged.tokenizer, place / "tokenizer.json")
    return place


def test_every_file_of_the_packaged_models_has_a_digest_that_is_its_own() -> None:
    for model in weights.MODELS.values():
        found = weights.located(model)
        assert found is not None
        assert {name: file_sha256(file) for name, file in found.items()} == model.files


def test_a_changed_tokenizer_of_the_packaged_model_is_refused(folder: Path) -> None:
    packaged = weights.required(weights.MODELS["embed"])
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8").replace("the", "eht"), "utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json is not the file it should be"):
        load_model(replace(packaged, tokenizer=tokenizer))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_changes_between_being_found_and_being_loaded_is_refused(folder: Path, name: str) -> None:
    found = weights.in_folder(folder, None)
    with (folder / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelError, match="is not the file it should be"):
        load_model(found)


def test_a_folder_with_digests_of_its_own_is_held_to_them(folder: Path) -> None:
    names = ("model.onnx", "tokenizer.json")
    (folder / "SHA256SUMS").write_text("".join(f"{file_sha256(folder / name)}  {name}\n" for name in names))
    assert weights.in_folder(folder, None).name == weights.MODELS["embed"].name
    with (folder / "tokenizer.json").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelError, match=r"tokenizer\.json is not the file it should be"):
        weights.in_folder(folder, None)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="which is not there"):
        check_folder(folder)
    (folder / "SHA256SUMS").write_text("nonsense\n")
    with pytest.raises(ModelError, match="no digest and name"):
        check_folder(folder)


def test_a_file_of_the_hub_that_was_changed_in_the_cache_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    files = {"onnx/model.onnx": folder / "model.onnx", "tokenizer.json": folder / "tokenizer.json"}
    with running_hub(files) as (url, _):
        monkeypatch.setenv("HF_ENDPOINT", url)
        kept = weights.from_hub("owner/model").tokenizer
    with kept.open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelError, match=r"is not the file it should be.*is fetched again"):
        weights.from_hub("owner/model")


def test_a_digest_is_read_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"one")
    read: list[object] = []
    digest = hashlib.file_digest

    def watched(opened: BufferedReader, name: str) -> object:
        read.append(opened)
        return digest(opened, name)

    monkeypatch.setattr(hashlib, "file_digest", watched)
    assert file_sha256(file) == file_sha256(file) == hashlib.sha256(b"one").hexdigest()
    assert len(read) == 1
    file.write_bytes(b"another")
    assert file_sha256(file) == hashlib.sha256(b"another").hexdigest()
