"""Products of matrices on the thread of the caller. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 200_000  # multiplications; from some 262,000 on OpenBLAS shares the work among threads


def product(rows: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """`rows @ others`, some rows at a time, so that no other thread takes part.

    Those threads go on spinning for a while: measured, 15 ms of CPU for a product that takes 0.1 ms.
    """
    step = max(1, _AT_ONCE // max(1, others.size))
    if len(rows) <= step:
        return np.asarray(rows @ others, np.float32)
    made = np.empty((len(rows), others.shape[1]), np.float32)
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], others, out=made[start : start + step])
    return made
