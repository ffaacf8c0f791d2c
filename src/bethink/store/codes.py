"""Vectors as int8 codes: a quarter of the room, and cosines within a few thousandths of the same. Pure.

A row is a vector scaled to fill -127…127, beside the inverse length of those codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.errors import InvalidInput

Codes = NDArray[np.int8]
Floats = NDArray[np.float32]

BLOCK: Final = 2048  # rows of the usual dimensions that stay in a core's own cache
_NEGLIGIBLE: Final = 1e-30  # a vector with no greater component is taken as zero
_LENGTH_BYTES: Final = 4


def quantise(vectors: Floats, codes: Codes, inverse_lengths: Floats, *, field: str) -> None:
    """Fill in the vectors' codes and the inverse lengths of these, 0 for a zero vector."""
    for start in range(0, len(vectors), BLOCK):
        block = slice(start, start + BLOCK)
        part = vectors[block].astype(np.float32, copy=False)
        peaks = np.maximum(part.max(axis=1), -part.min(axis=1))
        if not np.isfinite(peaks).all():
            raise InvalidInput(f"{field} must hold finite numbers only: check the embedder", field=field)
        sizeable = peaks > _NEGLIGIBLE
        factors = np.divide(127, peaks, out=np.zeros_like(peaks), where=sizeable)
        rounded = np.rint(part * factors[:, None])
        codes[block] = rounded
        lengths = np.sqrt(np.einsum("ij,ij->i", rounded, rounded))
        inverse_lengths[block] = np.divide(1, lengths, out=np.zeros_like(lengths), where=sizeable)


def pack(vectors: Sequence[Floats]) -> list[bytes]:
    """The row of each vector, as it is stored."""
    if not vectors:
        return []
    matrix = np.array(vectors, np.float32)
    codes, inverse_lengths = np.empty(matrix.shape, np.int8), np.empty(len(matrix), "<f4")
    quantise(matrix, codes, inverse_lengths, field="vectors")
    return [row.tobytes() + end.tobytes() for row, end in zip(codes, inverse_lengths, strict=True)]


def unpack(rows: Sequence[bytes]) -> tuple[Codes, Floats]:
    """The codes and inverse lengths of stored rows."""
    if not rows:
        return np.empty((0, 0), np.int8), np.empty(0, np.float32)
    table = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), -1)
    ends = np.ascontiguousarray(table[:, -_LENGTH_BYTES:]).view("<f4").reshape(-1)
    return table[:, :-_LENGTH_BYTES], ends
