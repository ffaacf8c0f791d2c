"""Every index finds the same in one store of real texts, which was changed after it was filled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench import congruence
from bethink.models.embed import EmbedRole
from bethink.testing import HashEmbedder

Floats = NDArray[np.float32]
pytestmark = pytest.mark.xdist_group("vector stores")  # their clients are loaded in one process only
NEARLY = 0.95  # of the ten nearest, for indexes that are not exact


class DenseEmbedder(HashEmbedder):
    """Vectors without zeros, as those of models are."""

    def __init__(self) -> None:
        super().__init__(256)
        self._turn = np.random.default_rng(1).standard_normal((256, 256), np.float32)

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> Floats:
        turned: Floats = await super().embed(texts, role) @ self._turn
        return turned


async def test_every_index_finds_the_same(database_url: str, tmp_path: Path) -> None:
    every = congruence.texts(330)
    stored, queries = every[:300], every[300:]
    on_postgres = database_url.startswith("postgres")
    tiers = [tier for tier in congruence.tiers(tmp_path) if tier.postgres == on_postgres]
    assert len(tiers) >= 2
    found = await congruence.compare(stored, queries, tiers, database_url, DenseEmbedder())
    for tier in tiers:
        assert found[tier.name] >= (1.0 if tier.exact else NEARLY), found
