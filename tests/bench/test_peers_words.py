"""A worker to test the contract with: run as a program, it serves a system that ranks by shared words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from bench.peers.workers.contract import Memory, Vectors, serve, spoken


class SharedWords:
    """Ranks by how many words a memory shares with the query."""

    def __init__(self, vectors: Vectors, folder: Path, option: str) -> None:
        self._vectors, self._folder, self._option = vectors, folder, option
        self._texts: dict[str, str] = {}

    def index(self, memories: Sequence[Memory]) -> None:
        print("a library that talks on standard output")
        vectors = self._vectors([spoken(memory) for memory in memories], "document")
        if [len(vector) for vector in vectors] != [384] * len(memories):
            raise ValueError("vectors of another length")
        self._texts |= {memory["id"]: spoken(memory) for memory in memories}

    def search(self, query: str, k: int) -> list[str]:
        if query == "end":
            sys.exit("the disk is full")
        if query == "fail":
            raise LookupError("nothing is called that")
        if query == "where":
            return [self._option, *(str(file) for file in self._folder.iterdir())]
        self._vectors([query], "query")
        wanted = set(query.split())
        return sorted(self._texts, key=lambda id_: -len(wanted & set(self._texts[id_].split())))[:k]


def test_memories_that_share_more_words_come_first(tmp_path: Path) -> None:
    answers = StringIO('{"vectors": []}\n' * 2)
    system = SharedWords(Vectors(StringIO(), answers), tmp_path, "")
    system._texts = {"a": "one two", "b": "two three four"}
    assert system.search("two three", 2) == ["b", "a"]


if __name__ == "__main__":
    serve(SharedWords)
