"""The map: what means the like lies near each other, and no vector breaks it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from bethink.status.map import on_a_plane


def test_what_is_alike_lies_together_and_what_differs_apart() -> None:
    rng = np.random.default_rng(7)
    homes = np.eye(16, dtype=np.float32)[:3]
    matrix = np.repeat(homes, 20, axis=0) + rng.normal(0, 0.02, (60, 16)).astype(np.float32)
    places, kept = on_a_plane(matrix)
    groups = places.reshape(3, 20, 2)
    middles = groups.mean(axis=1)
    within = max(np.linalg.norm(groups[k] - middles[k], axis=1).max() for k in range(3))
    between = min(np.linalg.norm(middles[a] - middles[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert between > 5 * within
    assert kept > 0.9


@given(
    arrays(
        np.float32,
        array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=12),
        elements=st.floats(-9, 9, width=32),
    )
)
def test_every_point_is_on_the_map_whatever_the_vectors(matrix: np.ndarray) -> None:
    places, kept = on_a_plane(matrix)
    assert places.shape == (len(matrix), 2)
    assert np.isfinite(places).all()
    assert np.abs(places).max(initial=0.0) <= 1.0 + 1e-9
    assert -1e-9 <= kept <= 1.0 + 1e-9


def test_one_record_more_does_not_turn_the_map_over() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal(0, 1, (50, 8)).astype(np.float32) * np.linspace(4, 1, 8, dtype=np.float32)
    before, _ = on_a_plane(matrix[:-1])
    after, _ = on_a_plane(matrix)
    assert np.abs(after[:-1] - before).max() < np.abs(after[:-1] + before).max()
