"""Chroma's persistent client; the vectors are handed over, the index is its default HNSW, by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.workers.contract import Memory, Vectors, serve, spoken


class Chroma:
    def __init__(self, vectors: Vectors, folder: Path, _option: str) -> None:
        client: Any = import_module("chromadb").PersistentClient(path=str(folder))
        self._vectors, self._at_once = vectors, client.get_max_batch_size()
        self._collection = client.create_collection(
            "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def index(self, memories: Sequence[Memory]) -> None:
        """Add in batches as large as Chroma takes them."""
        for start in range(0, len(memories), self._at_once):
            batch = memories[start : start + self._at_once]
            texts = [spoken(memory) for memory in batch]
            self._collection.add(
                ids=[memory["id"] for memory in batch],
                documents=texts,
                embeddings=self._vectors(texts, "document"),
                metadatas=[{"speaker": memory["speaker"], "sent_at": memory["sent_at"]} for memory in batch],
            )

    def search(self, query: str, k: int) -> list[str]:
        """Query with the documents and metadata that a caller needs."""
        found = self._collection.query(query_embeddings=self._vectors([query], "query"), n_results=k)
        return list(found["ids"][0])


if __name__ == "__main__":
    serve(Chroma)
