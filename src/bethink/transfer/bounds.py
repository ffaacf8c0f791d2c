"""How much a file to import may hold, so that none takes more memory, disk or time than there is.

A limit that a file is over is named in the error, with what to do. An archive of Bethink has no bound on its
records: they are read one by one, and whatever was exported can be imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

MOST_ITEMS = 2_000_000  # memories or messages of one file of another program
MOST_PARTS = 1_000_000  # texts, lists and objects of one value that is in memory as a whole
DEEPEST = 100  # lists and objects within each other
MOST_MEMBERS = 100_000  # files of a zip archive
UNPACKED_BYTES = 2_000_000_000  # of all files of an archive that are read
UNPACKED_TIMES = 200  # as large as its packed form a file may be, once it is larger than
FREELY_UNPACKED = 20_000_000  # bytes
BATCH = 500  # records stored in one transaction, or fewer if they have more than
BATCH_CHARS = 4_000_000  # characters

SPLIT = "split it, and import the pieces one after the other"

_PARTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]', re.DOTALL)
T = TypeVar("T")


def has_too_many_parts(raw: bytes) -> bool:
    """Whether a JSON text would take far more room in memory than it has as text."""
    if raw.count(b'"') // 2 + raw.count(b"[") + raw.count(b"{") <= MOST_PARTS:
        return False  # even if none of them stood within a text
    return sum(1 for _ in islice(_PARTS.finditer(raw), MOST_PARTS + 1)) > MOST_PARTS


def some(items: Iterator[T], size: Callable[[T], int]) -> list[T]:
    """The next items, as many as are stored at once; none at the end."""
    batch: list[T] = []
    room = BATCH_CHARS
    while room > 0 and len(batch) < BATCH and (found := list(islice(items, 1))):
        batch += found
        room -= size(found[0])
    return batch
