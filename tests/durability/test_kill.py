from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw

from bethink import Bethink, Layer
from bethink.testing import HashEmbedder

PROGRAM = Path(__file__).with_name("writing.py")
DOCUMENTS = {"memory": "the word is ", "message": "they said ", "fact": "words word is "}


def killed_after(lines: int, path: Path, run: int) -> list[list[str]]:
    """What a program that was killed in the middle of its work said it had stored."""
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), str(path), str(run)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    return [line.split() for line in said if line.endswith("\n")]


def test_everything_acknowledged_survives_being_killed_and_is_found(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    acknowledged: list[list[str]] = []
    for run, lines in enumerate((1, 40, 120)):
        acknowledged += killed_after(lines, path, run)
        with Bethink(str(path), embedder=HashEmbedder()) as memory:
            for kind, id_, word in acknowledged:
                best = memory.recall(word, limit=1).hits[0]
                assert (best.layer, best.id) == (Layer(kind), id_)
                assert word in best.text
                assert best.terms is not None
    assert len(acknowledged) > 160
    with Bethink(str(path), embedder=HashEmbedder()) as memory:
        memory.reindex()
        assert memory.stats().awaiting_vectors == 0
        for kind, id_, word in acknowledged[::10]:
            hits = memory.recall(DOCUMENTS[kind] + word, strategy="semantic", limit=20).hits
            assert {hit.id: hit.engine for hit in hits}.get(id_) == "vector"
    with apsw.Connection(str(path)) as database:
        assert database.pragma("integrity_check") == "ok"
        database.execute("INSERT INTO terms (terms, rank) VALUES ('integrity-check', 0)")


def test_a_session_has_no_gap_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    killed_after(60, path, 0)
    with Bethink(str(path), embedder=HashEmbedder()) as memory:
        for thread in range(3):
            messages = memory.messages.of(f"chat 0 {thread}", limit=1000)
            assert [message.position for message in messages] == list(range(1, len(messages) + 1))
            assert messages
