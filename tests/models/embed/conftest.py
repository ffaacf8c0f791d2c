from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.models import weights
from recollect.models.embed.local import LocalEmbedder
from recollect.models.weights import Weights
from recollect.settings import EmbedSettings


@pytest.fixture(scope="session")
def packaged() -> Weights:
    found = weights.packaged()
    assert found is not None
    return found


@pytest.fixture(scope="session")
def local(packaged: Weights) -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder(packaged, EmbedSettings(threads=2))
    yield embedder
    embedder._workers.close()
