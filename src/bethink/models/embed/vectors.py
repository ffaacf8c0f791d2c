"""Small steps on matrices of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    """The rows scaled to length 1; a row of zeros stays as it is."""
    exact = rows.astype(np.float32, copy=False)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (exact / lengths).astype(np.float32, copy=False)
    return scaled
