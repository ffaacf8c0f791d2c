"""How much one call may hold, and what is said when it holds more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bethink.errors import InvalidInput, TooLarge
from bethink.settings import LimitSettings

PAGE_LIMIT = 1000  # most records one listing returns
FARTHEST = 1_000_000_000  # where a listing may begin: none is longer, and every database can count so far


def check_sizes(
    limits: LimitSettings, *, texts: Sequence[str], count: int = 0, field: str = "content"
) -> None:
    """Refuse too many items, or a text that is too long."""
    if count > limits.batch:
        raise TooLarge(_over("items", count, limits.batch), field="items")
    longest = max(map(len, texts), default=0)
    if longest > limits.content_chars:
        raise TooLarge(_over(field, longest, limits.content_chars), field=field)


def check_query(limits: LimitSettings, query: str) -> None:
    """Refuse a query that is too long."""
    if len(query) > limits.query_chars:
        raise TooLarge(_over("query", len(query), limits.query_chars), field="query")


def check_page(limit: int, start: int = 0, field: str = "offset") -> None:
    """Refuse a page that is too long, or begins too far."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise InvalidInput(f"limit: must be from 1 to {PAGE_LIMIT}, not {limit}.", field="limit")
    if not 0 <= start <= FARTHEST:
        raise InvalidInput(f"{field}: must be from 0 to {FARTHEST}, not {start}.", field=field)


def numbers_of(vector: Sequence[float]) -> NDArray[np.float32]:
    """A vector that a caller hands in, checked."""
    try:
        numbers = np.asarray(vector, np.float32)
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0), np.float32)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InvalidInput("vector: must be a list of finite numbers.", field="vector")
    return numbers


def _over(field: str, size: int, limit: int) -> str:
    return (
        f"{field}: {size:,} is over the limit of {limit:,}; make it shorter or raise the limit in settings."
    )
