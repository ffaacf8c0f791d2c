"""MemPalace: drawers in its default Chroma palace, found by its own search with its own re-ranking."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.workers.contract import Memory, Vectors, serve, spoken

AT_ONCE = 1000


class MemPalace:
    def __init__(self, vectors: Vectors, folder: Path, _option: str) -> None:
        self._palace = str(folder / "palace")
        function = _embedding_function(vectors)
        embedding: Any = import_module("mempalace.embedding")
        embedding.get_embedding_function = lambda *_args, **_kwargs: function
        self._drawers: Any = import_module("mempalace.palace").get_collection(self._palace, create=True)
        self._search: Any = import_module("mempalace.searcher").search_memories

    def index(self, memories: Sequence[Memory]) -> None:
        """Drawers of one wing, a room for each session."""
        for start in range(0, len(memories), AT_ONCE):
            batch = memories[start : start + AT_ONCE]
            self._drawers.upsert(
                ids=[memory["id"] for memory in batch],
                documents=[spoken(memory) for memory in batch],
                metadatas=[_about(memory) for memory in batch],
            )

    def search(self, query: str, k: int) -> list[str]:
        """Its default strategy."""
        found = self._search(query, self._palace, n_results=k)
        if "error" in found:
            raise RuntimeError(found["error"])
        return [hit["drawer_id"] for hit in found["results"]]


def _about(memory: Memory) -> dict[str, str | int]:
    return {
        "wing": "memories",
        "room": memory["session"] or "notes",
        "source_file": memory["id"],
        "chunk_index": 0,
        "filed_at": memory["sent_at"],
    }


def _embedding_function(vectors: Vectors) -> Any:
    base: Any = import_module("chromadb").EmbeddingFunction

    def made(_self: Any, _how: None = None) -> None:
        """Nothing to load."""

    # Chroma refuses a function whose parameter has another name.
    def call(_self: Any, input: list[str]) -> list[list[float]]:  # noqa: A002
        return vectors(input, "document")

    def embed_query(_self: Any, input: list[str]) -> list[list[float]]:  # noqa: A002
        return vectors(input, "query")

    methods = {"__init__": made, "__call__": call, "embed_query": embed_query}
    return type("DriversVectors", (base,), {**methods, "name": staticmethod(lambda: "default")})()


if __name__ == "__main__":
    serve(MemPalace)
