from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import choices
from string import ascii_lowercase

import apsw

from bethink import Bethink
from bethink.testing import HashEmbedder
from tests.waiting import PATIENCE_SECONDS

PROGRAM = Path(__file__).with_name("sharing.py")
SECONDS = float(os.environ.get("BETHINK_TEST_SOAK_SECONDS", "5"))


class Sharer:
    """One of the processes that use the memory."""

    def __init__(self, path: Path, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def end(self) -> tuple[str, str]:
        """What it said at the end, and what it complained of."""
        answer, complaints = self._process.communicate("stop\n", timeout=PATIENCE_SECONDS)
        return answer.strip(), complaints


def test_two_processes_share_a_file_and_each_sees_the_other_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    one, other = Sharer(path, "one"), Sharer(path, "other")  # both make the file at the same time
    deadline = time.monotonic() + SECONDS
    words = 0
    while time.monotonic() < deadline or words < 4:
        writer, reader = (one, other) if words % 2 else (other, one)
        word = "".join(choices(ascii_lowercase, k=12))
        assert writer.ask(f"remember {word}") == "stored"
        assert reader.ask(f"recall {word}") == "found"
        words += 1
    endings = [one.end(), other.end()]
    assert [complaints for _, complaints in endings] == ["", ""]
    written = [int(answer) for answer, _ in endings]
    assert min(written) > 0
    with Bethink(str(path), embedder=HashEmbedder()) as memory:
        assert memory.count() == words + sum(written)
        memory.reindex()
        assert memory.stats().awaiting_vectors == 0
        assert memory.recall("one wrote note number 0", limit=1).hits[0].text == "one wrote note number 0"
    with apsw.Connection(str(path)) as database:
        assert database.pragma("integrity_check") == "ok"
    print(f"{words} words passed on; {written} notes written in {SECONDS:g} s")
