from __future__ import annotations

from collections.abc import Iterator

import pytest

from bethink.models import weights
from bethink.models.embed.local import LocalEmbedder
from bethink.models.weights import Weights
from bethink.settings import EmbedSettings


@pytest.fixture(scope="session")
def packaged() -> Weights:
    found = weights.find(weights.MODELS["embed"])
    assert found is not None
    return found


@pytest.fixture(scope="session")
def local(packaged: Weights) -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder(packaged, EmbedSettings(threads=2))
    yield embedder
    embedder._workers.close()
