"""Ranked lists made one, by weighted reciprocal ranks and by the scores themselves. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def fuse(
    lists: Sequence[tuple[float, Sequence[tuple[int, float]]]], k: float, score_share: float = 0.0
) -> dict[int, float]:
    """The fused score of every id in (weight, (id, score) best first) lists: 1 for an id that leads them all.

    What a list gives an id is mixed of two parts, each at most 1: by rank, (k + 1) / (k + rank), and, to the
    extent of `score_share`, where its score lies between the list's last and its first. Ranks stay steady
    whatever the scores look like; scores tell a clear first from one of many.
    """
    total = sum(weight for weight, _ in lists)
    if total <= 0:
        return {}
    fused: dict[int, float] = {}
    for weight, ranked in lists:
        if not ranked:
            continue
        by_rank = weight / total * (1 - score_share) * (k + 1)
        by_score = weight / total * score_share
        last = ranked[-1][1]
        spread = ranked[0][1] - last
        for rank, (id_, score) in enumerate(ranked, 1):
            lead = (score - last) / spread if spread > 0 else 1.0
            fused[id_] = fused.get(id_, 0.0) + by_rank / (k + rank) + by_score * lead
    return fused


def best_of(fused: dict[int, float], count: int) -> dict[int, float]:
    """The `count` ids with the highest scores; of equals those that came first."""
    if len(fused) <= count:
        return fused
    best = sorted(fused, key=fused.__getitem__, reverse=True)[:count]
    return {id_: fused[id_] for id_ in best}
