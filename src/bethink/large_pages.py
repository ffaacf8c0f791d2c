"""Large pages for the memory that a server reads with every query (Linux 6.1 and later).

The weights of a model are thousands of small pages, more than a processor can look up quickly: each query
then waits for their addresses, in a virtual machine twice as long. Put together, they are a few dozen.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

LARGE = 2 * 1024 * 1024
_COLLAPSE = 25  # what Linux calls MADV_COLLAPSE
_log = logging.getLogger(__name__)


def use_large_pages() -> int:
    """Have the memory that this process holds by now put into large pages; how many bytes it was done for."""
    if sys.platform != "linux":
        return 0
    try:
        maps = Path("/proc/self/maps").read_bytes().decode("ascii", "replace")
    except OSError as error:  # as in a container that hides it
        _log.info("Memory stays in small pages: %s", error)
        return 0
    advise = ctypes.CDLL(None, use_errno=True).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    done = 0
    for start, end in spans(maps.split("\n")):
        if advise(start, end - start, _COLLAPSE) == 0:
            done += end - start
        else:  # as of an older Linux, or when there is no such piece of memory left
            _log.debug("Memory stays in small pages: %s", os.strerror(ctypes.get_errno()))
    return done


def spans(maps: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where whole large pages fit into memory that can be written and is no file's; by /proc/…/maps."""
    for line in maps:
        match line.split(maxsplit=5):
            case [addresses, rights, _, _, _] | [addresses, rights, _, _, _, "[heap]"]:
                pass
            case _:
                continue  # a file's memory, or the end of the list
        if rights.startswith("rw"):
            start, end = (int(address, 16) for address in addresses.split("-"))
            first, last = -(-start // LARGE) * LARGE, end // LARGE * LARGE
            if first < last:
                yield first, last
