from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import corpus
from bethink.testing import HashEmbedder

SOURCE = '''"""A module that tells kites from drums and nothing else."""
# A comment that goes on for more than
# one line is a single sentence.

def fly(height):
    """Let the kite rise to the given height. Return how long it took in seconds.

    >>> fly(height) and then another line of code follows
    """
'''


def test_documentation_is_cut_into_sentences(tmp_path: Path) -> None:
    (tmp_path / "kites.py").write_text(SOURCE)
    (tmp_path / "again.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("def (:")
    assert set(corpus.sentences([tmp_path])) == {
        "A module that tells kites from drums and nothing else.",
        "A comment that goes on for more than one line is a single sentence.",
        "Let the kite rise to the given height.",
        "Return how long it took in seconds.",
    }


@pytest.mark.parametrize(
    "text", ["Too short.", "=" * 60, "x = {1: 2, 3: 4, 5: 6} and y = [7, 8, 9, 10, 11, 12]"]
)
def test_what_does_not_read_like_a_sentence_is_left_out(text: str) -> None:
    assert list(corpus.split(text)) == []


async def test_a_text_is_embedded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "RESULTS", tmp_path)
    embedder, said = HashEmbedder(), list[str]()
    first = await corpus.embedded(embedder, ["one kite", "two drums"], "document", said.append)
    assert said == ["embedding: 0 of 2 texts that are new"]
    again = await corpus.embedded(embedder, ["two drums", "three flutes"], "document", said.append)
    assert said[1:] == ["embedding: 0 of 1 texts that are new"]
    assert np.array_equal(again[0], first[1])
    assert np.allclose(again[1], (await embedder.embed(["three flutes"], "document"))[0])
