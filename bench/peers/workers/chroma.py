"""Chroma's persistent client; the vectors are handed over, the index is its default HNSW, by cosine.

With the option "own" Chroma embeds the queries itself, by its default embedding function. That would download
its model, so it finds the same weights where it would have put them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.workers.contract import MODEL, Memory, Vectors, serve, spoken


class Chroma:
    def __init__(self, vectors: Vectors, folder: Path, option: str) -> None:
        client: Any = import_module("chromadb").PersistentClient(path=str(folder))
        self._vectors, self._at_once = vectors, client.get_max_batch_size()
        self._collection = client.create_collection(
            "memories",
            embedding_function=_default_function(folder) if option else None,
            configuration={"hnsw": {"space": "cosine"}},
        )
        self._own_queries = bool(option)

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
        asked = (
            {"query_texts": [query]}
            if self._own_queries
            else {"query_embeddings": self._vectors([query], "query")}
        )
        found = self._collection.query(**asked, n_results=k)
        return list(found["ids"][0])


def _default_function(folder: Path) -> Any:
    """What Chroma embeds with unless it is told otherwise."""
    function = import_module("chromadb.utils.embedding_functions").ONNXMiniLM_L6_V2
    function.DOWNLOAD_PATH = folder / "model"
    place, given = folder / "model" / function.EXTRACTED_FOLDER_NAME, Path(os.environ[MODEL])
    place.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (place / name).symlink_to(given / name)
    for name in ("config.json", "special_tokens_map.json", "tokenizer_config.json", "vocab.txt"):
        (place / name).touch()  # never read; it only looks whether they are there
    return function()


if __name__ == "__main__":
    serve(Chroma)
