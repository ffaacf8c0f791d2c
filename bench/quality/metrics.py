"""How good one ranked list is, and the mean of many. Pure.

A record is evidence for a question or it is not. Recall@k is the share of the evidence among the first k;
nDCG discounts by log2 of the rank plus one; MRR is one over the rank of the first evidence. The session
metrics rank sessions by their first record in the list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

RECALL_AT = (5, 10, 20, 50)
NDCG_AT = 10
SESSION_RECALL_AT = (5, 10)


def recall_at(k: int, ranked: Sequence[str], evidence: frozenset[str]) -> float:
    """The share of the evidence among the first k."""
    return len(evidence & set(ranked[:k])) / len(evidence)


def ndcg_at(k: int, ranked: Sequence[str], evidence: frozenset[str]) -> float:
    """Discounted gain of the first k over that of the best order there could be."""
    gained = math.fsum(_discount(rank) for rank, id_ in enumerate(ranked[:k], 1) if id_ in evidence)
    return gained / math.fsum(map(_discount, range(1, min(k, len(evidence)) + 1)))


def reciprocal_rank(ranked: Sequence[str], evidence: frozenset[str]) -> float:
    """One over the rank of the first evidence; 0 without any."""
    for rank, id_ in enumerate(ranked, 1):
        if id_ in evidence:
            return 1 / rank
    return 0.0


def score(ranked: Iterable[str], evidence: frozenset[str], session_of: Mapping[str, str]) -> dict[str, float]:
    """Every metric of one ranked list. An id that comes twice counts where it comes first."""
    if not evidence:
        raise ValueError("A question without evidence cannot be scored: leave it out when loading.")
    ids = list(dict.fromkeys(ranked))
    sessions = list(dict.fromkeys(session_of[id_] for id_ in ids))
    wanted = frozenset(session_of[id_] for id_ in evidence)
    return {
        **{f"recall@{k}": recall_at(k, ids, evidence) for k in RECALL_AT},
        f"ndcg@{NDCG_AT}": ndcg_at(NDCG_AT, ids, evidence),
        "mrr": reciprocal_rank(ids, evidence),
        **{f"session_recall@{k}": recall_at(k, sessions, wanted) for k in SESSION_RECALL_AT},
    }


def mean(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric over questions."""
    return {name: round(fmean(one[name] for one in scores), 4) for name in scores[0]} if scores else {}


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)
