"""txtai's embeddings database; the option is `hybrid` (its vectors and its own BM25) or `dense`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.workers.contract import Memory, Vectors, serve, spoken


class Txtai:
    def __init__(self, vectors: Vectors, _folder: Path, kind: str) -> None:
        self._numpy: Any = import_module("numpy")
        self._vectors, self._role = vectors, "document"
        # It takes plain functions only; a bound method it would call for a function.
        self._embeddings: Any = import_module("txtai").Embeddings(
            method="external",
            transform=lambda texts: self._transform(texts),
            content=True,
            hybrid=kind == "hybrid",
        )

    def index(self, memories: Sequence[Memory]) -> None:
        """The first batch makes the index, others are upserted."""
        self._role = "document"
        self._embeddings.upsert((memory["id"], _data(memory), None) for memory in memories)

    def search(self, query: str, k: int) -> list[str]:
        """Vectors and BM25 with equal weights, as is the default."""
        self._role = "query"
        return [hit["id"] for hit in self._embeddings.search(query, k)]

    def _transform(self, texts: Sequence[str]) -> Any:
        return self._numpy.array(self._vectors(texts, self._role), dtype=self._numpy.float32)


def _data(memory: Memory) -> dict[str, str]:
    return {"text": spoken(memory), "speaker": memory["speaker"], "sent_at": memory["sent_at"]}


if __name__ == "__main__":
    serve(Txtai)
