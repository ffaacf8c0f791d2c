"""Weighted reciprocal rank fusion. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest


def fuse(lists: Sequence[tuple[float, Sequence[int]]], k: float) -> dict[int, float]:
    """The fused score of every id in (weight, ids best first) lists: 1 for an id that leads them all.

    A list's share of an id is weight / (k + rank); the sum is divided by the best there could be.
    """
    best = sum(weight for weight, _ in lists) / (k + 1)
    fused: dict[int, float] = {}
    for weight, ids in lists:
        for rank, id_ in enumerate(ids, 1):
            fused[id_] = fused.get(id_, 0.0) + weight / (k + rank)
    return {id_: score / best for id_, score in fused.items()} if best > 0 else {}


def best_of(fused: dict[int, float], count: int) -> dict[int, float]:
    """The `count` ids with the highest scores; of equals those that came first."""
    if len(fused) <= count:
        return fused
    return dict(nlargest(count, fused.items(), key=lambda item: item[1]))
