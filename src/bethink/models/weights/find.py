"""Where the files of a local model are: in an installed package, in a folder, or on the Hugging Face hub."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bethink.errors import ModelError, ModelMissing
from bethink.models.weights.digests import check_file, check_folder, file_sha256
from bethink.models.weights.hub import fetch_files
from bethink.models.weights.registry import (
    MODELS,
    MOST_TOKENS,
    InFolder,
    InPackage,
    Model,
    OnHub,
    Pooling,
)

_ONNX_FILES = ("onnx/model_quantized.onnx", "onnx/model.onnx", "model.onnx")
_TOKENIZER = "tokenizer.json"
_POOLING_FILE = "1_Pooling/config.json"
_TOKENIZER_SETTINGS = "tokenizer_config.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """The files of one model and how to read its output."""

    name: str
    onnx: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int = MOST_TOKENS
    # Known for models of the registry only: another's shows when it runs.
    dimensions: int | None = None
    # Checked when the model is loaded: of the registry's models as released, of others as they were found.
    sha256: str | None = None
    tokenizer_sha256: str | None = None
    repair: str = "fetch the model again"

    def check(self) -> None:
        """Raise `ModelError` when a file is not the one that was meant."""
        for file, sha256 in ((self.onnx, self.sha256), (self.tokenizer, self.tokenizer_sha256)):
            if sha256 is not None:
                check_file(file, sha256, f"{self.repair}, or set embed.path.")


def is_static_model(folder: Path) -> bool:
    """Does the folder hold a static model rather than a local one?"""
    places = (folder, folder / "0_StaticEmbedding")
    return not _onnx_in(folder) and any((place / "model.safetensors").is_file() for place in places)


def located(model: Model, *, download: bool = False) -> dict[str, Path] | None:
    """Each file of a registered model; None when one is not on this machine and may not be fetched."""
    match model.where:
        case OnHub(repository):
            found = fetch_files(repository, [[name] for name in model.files], download=download)
            files = {name: path for name, path in zip(model.files, found, strict=True) if path is not None}
        case InFolder(path):
            files = _files_in(path, model)
        case InPackage(package, folder):
            spec = find_spec(package.partition("=")[0])
            places = (spec.submodule_search_locations or []) if spec else []
            every = [_files_in(Path(place, folder), model) for place in places]
            files = max(every, key=len, default={})
    return files if len(files) == len(model.files) else None


def find(model: Model, *, download: bool = False) -> Weights | None:
    """The weights of a registered model; None when they are not at hand."""
    files = located(model, download=download)
    if files is None:
        return None
    return Weights(
        model.name,
        files[model.onnx],
        files[_TOKENIZER],
        model.pooling,
        model.max_tokens,
        model.dimensions,
        model.files[model.onnx],
        model.files[_TOKENIZER],
        model.where.repair,
    )


def required(model: Model) -> Weights:
    """The weights of a registered model, or `ModelMissing` with what to do."""
    found = find(model)
    if found is None:
        raise ModelMissing(f"The weights of {model.name} are not on this machine: {model.where.remedy}.")
    return found


def checked_file(model: Model, name: str) -> Path:
    """One file of a registered model, checked by its digest."""
    files = located(model)
    if files is None:
        raise ModelMissing(f"{name} is not on this machine: {model.where.remedy}.")
    check_file(files[name], model.files[name], f"{model.where.repair}.")
    return files[name]


def in_folder(folder: Path, name: str | None) -> Weights:
    """The weights in a folder."""
    onnx, tokenizer = _onnx_in(folder), folder / _TOKENIZER
    if onnx is None or not tokenizer.is_file():
        raise ModelMissing(
            f"embed.path is {folder}, which has no {_TOKENIZER if onnx else 'model.onnx'}; point it at"
            " a folder that holds both, or unset it to use the packaged model.",
            field="embed.path",
        )
    check_folder(folder)
    return _described(name or folder.name, onnx, tokenizer)


def from_hub(model: str) -> Weights:
    """The weights of a repository of the Hugging Face hub, fetched unless they were before."""
    wanted = ([_TOKENIZER_SETTINGS], [_POOLING_FILE], [_TOKENIZER], _ONNX_FILES)
    *_, tokenizer, onnx = fetch_files(model, wanted)
    if onnx is None or tokenizer is None:
        raise ModelMissing(
            f"{model} has no ONNX model and tokenizer on the Hugging Face hub; choose another embed.model.",
            field="embed.model",
        )
    return _described(model, onnx, tokenizer)


def _described(name: str, onnx: Path, tokenizer: Path) -> Weights:
    digest, folder, known = file_sha256(onnx), tokenizer.parent, MODELS["embed"]
    if digest == known.files[known.onnx]:
        found = Weights(known.name, onnx, tokenizer, known.pooling, known.max_tokens, known.dimensions)
    else:  # with the digest in the name, other weights under the same name never pass for these
        pooling, most = _pooling(folder, name), _max_tokens(folder)
        found = Weights(f"{name}@{digest[:8]}", onnx, tokenizer, pooling, most)
    return replace(found, sha256=digest, tokenizer_sha256=file_sha256(tokenizer))


def _files_in(folder: Path, model: Model) -> dict[str, Path]:
    return {name: path for name in model.files if (path := folder / name).is_file()}


def _onnx_in(folder: Path) -> Path | None:
    return next((folder / name for name in reversed(_ONNX_FILES) if (folder / name).is_file()), None)


def _pooling(folder: Path, name: str) -> Pooling:
    described = _read_json(folder / _POOLING_FILE)
    if "pooling_mode_cls_token" in described:
        return "cls" if described["pooling_mode_cls_token"] else "mean"
    return "cls" if "bge-" in name.lower() else "mean"


def _max_tokens(folder: Path) -> int:
    longest = _read_json(folder / _TOKENIZER_SETTINGS).get("model_max_length")
    return min(MOST_TOKENS, int(longest)) if isinstance(longest, int | float) else MOST_TOKENS


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ModelError(f"{path} is not valid JSON: {error}; fetch the model again.") from error
    return content if isinstance(content, dict) else {}
