"""Has a file read in a process of its own, which ends when it takes too much time or memory."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.split import Piece, split
from bethink.settings import DocumentSettings

_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT", "PYTHONPATH", "PYTHONHOME")

# A thread for each core would take more memory than the limit where there are many.
_OWN = {"PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass
class Parsing:
    """A file that is being read: its passages piece by piece, then what it tells of itself."""

    path: Path
    name: str
    limits: DocumentSettings
    kind: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._slow = threading.Event()
        self._pieces = self._read()

    def take(self, count: int) -> list[Piece]:
        """The next passages, at most so many; none at the end. `Unreadable` says why it cannot be read."""
        return list(islice(self._pieces, count))

    def stop(self) -> None:
        """End the process, whatever it is at."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    def _read(self) -> Iterator[Piece]:
        limits = self.limits
        told = [str(limits.parse_seconds), str(limits.parse_mb), str(limits.max_characters)]
        command = [sys.executable, "-P", "-m", "bethink.documents.worker", str(self.path), self.name, *told]
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        with subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment | _OWN,
        ) as self._process:  # fmt: skip
            timer = threading.Timer(limits.parse_seconds, self._give_up)
            timer.start()
            try:
                yield from split(self._blocks(self._process))
            finally:
                timer.cancel()
                self.stop()

    def _blocks(self, process: subprocess.Popen[bytes]) -> Iterator[Block]:
        ended = False
        for line in process.stdout or ():
            try:
                value = json.loads(line)
            except ValueError:
                break  # it was cut off
            if isinstance(value, list):
                yield Block(*value)
                continue
            self.kind = value.get("kind", self.kind)
            self.metadata |= value.get("metadata", {})
            self.notes += value.get("notes", [])
            if failure := value.get("failed"):
                raise Unreadable(self._too_big() if failure == "memory" else failure)
            ended = "metadata" in value
        if not ended:
            raise Unreadable(self._why(process.wait()))

    def _give_up(self) -> None:
        self._slow.set()
        self.stop()

    def _why(self, code: int) -> str:
        if self._slow.is_set() or code in (-24, -9):  # of the system, for the time it took
            seconds = self.limits.parse_seconds
            return f"Reading it takes longer than the {seconds:g} seconds of documents.parse_seconds."
        return self._too_big()

    def _too_big(self) -> str:
        return f"Reading it takes more memory than the {self.limits.parse_mb:,} MB of documents.parse_mb."
