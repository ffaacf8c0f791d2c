"""The only nondeterminism: what time it is, and what the next id is. Tests replace the clock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

_source: Callable[[], datetime] | None = None
_last_id = 0
_id_lock = threading.Lock()


def now() -> datetime:
    """The current time in UTC, to the microsecond."""
    return _source() if _source else datetime.now(UTC)


def set_source(source: Callable[[], datetime] | None) -> None:
    """Let `source` tell the time from now on; None gives it back to the system clock."""
    global _source
    _source = source


def local(at: datetime, zone: tzinfo | None) -> datetime:
    """A time on the clock of a zone; the first and the last day there are stay as they are."""
    try:
        return at.astimezone(zone)
    except OverflowError:
        return at


def new_id() -> str:
    """A UUIDv7: ids made later sort later, also within one millisecond of one process."""
    global _last_id
    millis = int(now().timestamp() * 1000)
    with _id_lock:
        # 48 bits of time, then a counter that starts at a random point and only grows.
        if millis > _last_id >> 74:
            _last_id = millis << 74 | int.from_bytes(os.urandom(9)) & ((1 << 73) - 1)
        else:
            _last_id += 1
        value = _last_id
    time, counter = value >> 74, value & ((1 << 74) - 1)
    digits = f"{time << 80 | 7 << 76 | (counter >> 62) << 64 | 2 << 62 | counter & ((1 << 62) - 1):032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
