"""Wrong keys are answered ever later, by the address they come from. A right key is never kept waiting.

So nobody can lock another one out: the key is looked up first, and only who presented a wrong one waits.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from ipaddress import IPv6Address, ip_address

from bethink.rest.admission import Bucket, take

ADDRESSES_KEPT = 10_000  # the one quiet for longest goes first
HELD = 200  # answers kept back at a time; further ones go out at once, so that they take no memory
LONGEST_SECONDS = 10.0
BURST = 10  # wrong keys that an address may present before it is slowed


class WrongKeys:
    """How often each address has presented a wrong key of late, in this process."""

    def __init__(
        self,
        per_minute: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._per_second, self._clock, self._sleep = per_minute / 60, clock, sleep
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._held = 0

    async def slow_down(self, address: str | None) -> None:
        """Wait before the answer to a wrong key, once there were many from this address."""
        seconds = self._seconds(network_of(address))
        if not seconds or self._held >= HELD:
            return
        self._held += 1
        try:
            await self._sleep(seconds)
        finally:
            self._held -= 1

    def _seconds(self, network: str) -> float:
        if not self._per_second:
            return 0.0
        bucket, early = take(self._buckets.get(network), self._clock(), self._per_second, BURST)
        # Those that came too early count as well, so that whoever goes on waits longer and longer.
        left = bucket.left - 1.0 if early else bucket.left
        self._buckets[network] = Bucket(max(left, -LONGEST_SECONDS * self._per_second), bucket.at)
        self._buckets.move_to_end(network)
        while len(self._buckets) > ADDRESSES_KEPT:
            self._buckets.popitem(last=False)
        return min(early, LONGEST_SECONDS)


def network_of(address: str | None) -> str:
    """What stands for one place: an IPv4 address, or the /64 that a network of IPv6 gets at least."""
    try:
        known = ip_address(address or "")
    except ValueError:
        return "elsewhere"
    if isinstance(known, IPv6Address) and known.ipv4_mapped is None:
        return str(IPv6Address(int(known) >> 64 << 64))
    return str(known)
