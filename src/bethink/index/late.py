"""Token vectors as they are stored, and the score they give. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bethink.models.late import DIMENSIONS, Tokens
from bethink.models.product import product

NEARBY = 0.9  # worth of a match in a neighbouring turn
_TOKEN_BYTES = DIMENSIONS + 2  # int8 codes, then a float16 scale for each token


def pack(tokens: Tokens) -> bytes:
    """Token vectors in int8, each with its own scale."""
    peak = np.maximum(np.abs(tokens).max(axis=1, initial=0, keepdims=True), 1e-6)
    codes = np.round(tokens / peak * 127).astype(np.int8)
    scales = (peak / 127).astype("<f2")
    return bytes(codes.tobytes() + scales.tobytes())


def max_sim(
    query: Tokens, packed: Mapping[int, bytes], near: Mapping[int, Sequence[int]]
) -> dict[int, float]:
    """The score of each text: the mean over the query's tokens of the best match in the text.

    A match in a text that is `near`, such as the turn before, counts `NEARBY` of its worth.
    """
    texts = {id_: data for id_, data in packed.items() if len(data) >= _TOKEN_BYTES}
    if not texts:
        return {}
    best = _best_matches(query, list(texts.values()))
    column = {id_: place for place, id_ in enumerate(texts)}
    scores = {}
    for id_, place in column.items():
        beside = [column[other] for other in near.get(id_, ()) if other in column]
        match = np.maximum(best[:, place], NEARBY * best[:, beside].max(axis=1)) if beside else best[:, place]
        scores[id_] = float(match.mean())
    return scores


def _best_matches(query: Tokens, texts: Sequence[bytes]) -> NDArray[np.float32]:
    """For each token of the query (rows) its best cosine with a token of each text (columns)."""
    lengths = np.array([len(data) // _TOKEN_BYTES for data in texts])
    ends = np.cumsum(lengths)
    codes = np.empty((ends[-1], DIMENSIONS), np.float32)
    scales = np.empty(ends[-1], np.float32)
    for data, length, end in zip(texts, lengths, ends, strict=True):
        split = length * DIMENSIONS
        codes[end - length : end] = np.frombuffer(data, np.int8, split).reshape(length, DIMENSIONS)
        scales[end - length : end] = np.frombuffer(data, "<f2", length, split)
    cosines = product(codes, query.T) * scales[:, None]
    best: NDArray[np.float32] = np.maximum.reduceat(cosines, ends - lengths, axis=0).T
    return best
