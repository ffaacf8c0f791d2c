"""Messages put in the order of their times: kept in a file meanwhile, with only their places in memory."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO, cast

from bethink.transfer.bounds import MOST_ITEMS, SPLIT
from bethink.transfer.chats.sources import Source


class InTime:
    """Takes values with their times, and gives them back oldest first."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._times, self._places = array("d"), array("q")

    def __enter__(self) -> InTime:
        self._file = tempfile.TemporaryFile()
        self._kept = self._source.stop.watched(cast(BinaryIO, self._file))
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, at: datetime, value: Any) -> None:
        if len(self._times) >= MOST_ITEMS:
            raise self._source.too_large("the file", f"holds more than {MOST_ITEMS:,} messages; {SPLIT}.")
        self._times.append(at.timestamp())
        self._places.append(self._file.tell())
        self._file.write(json.dumps(value).encode() + b"\n")

    def __iter__(self) -> Iterator[Any]:
        """The values by time; those of one time as they came."""
        for number in sorted(range(len(self._times)), key=self._times.__getitem__):
            self._kept.seek(self._places[number])
            yield json.loads(self._kept.readline())
