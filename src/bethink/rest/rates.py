"""How often a key may ask: a bucket of requests for each, which fills again at a steady rate."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass

KEYS_KEPT = 10_000  # the one unused for longest goes first, which at worst fills its bucket


@dataclass(frozen=True)
class Bucket:
    """What is left of a bucket at a time, in requests and seconds."""

    left: float
    at: float


def take(bucket: Bucket | None, now: float, per_second: float, burst: int) -> tuple[Bucket, float]:
    """The bucket after one request, and how many seconds too early it came; 0 when it may go on."""
    if bucket is None:
        return Bucket(burst - 1.0, now), 0.0
    at = max(now, bucket.at)  # a clock that goes back fills nothing
    left = min(float(burst), bucket.left + (at - bucket.at) * per_second)
    if left >= 1.0:
        return Bucket(left - 1.0, at), 0.0
    return Bucket(left, at), (1.0 - left) / per_second


class Rates:
    """The buckets of every key, in this process."""

    def __init__(self, per_minute: int, burst: int) -> None:
        self._per_second, self._burst = per_minute / 60, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def seconds_to_wait(self, key_id: str, now: float) -> int:
        """0 when a key may ask now; otherwise after how many whole seconds it may."""
        if not self._per_second:
            return 0
        bucket, early = take(self._buckets.get(key_id), now, self._per_second, self._burst)
        self._buckets[key_id] = bucket
        self._buckets.move_to_end(key_id)
        while len(self._buckets) > KEYS_KEPT:
            self._buckets.popitem(last=False)
        return math.ceil(early)
