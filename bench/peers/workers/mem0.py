"""mem0 without an LLM: `infer=False`, its default local Qdrant, and the keyword search it has with fastembed.

fastembed would download the words that its BM25 leaves out; those below are handed to it instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.peers.workers.contract import Memory, Vectors, serve, spoken

USER = "user"
DIMENSIONS = 384
STOP_WORDS = (
    "a about after again all am an and any are as at be been before being but by can could did do does for"
    " from had has have he her here hers him his how i if in into is it its just me more my no nor not of"
    " off on once only or other our out over own she should so some such than that the their them then there"
    " these they this those through to too under until up very was we were what when where which while who"
    " whom why will with would you your"
)


class Mem0:
    def __init__(self, vectors: Vectors, folder: Path, _option: str) -> None:
        unused = {"api_key": "unused"}  # both are made, neither is called
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS, "on_disk": True}
        self._memory: Any = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "openai", "config": unused},
                "llm": {"provider": "openai", "config": unused},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _embedding_model(vectors)
        self._memory.vector_store._bm25_encoder = import_module("fastembed").SparseTextEmbedding(
            model_name="Qdrant/bm25", specific_model_path=str(folder), stopwords=set(STOP_WORDS.split())
        )
        self._names: dict[str, str] = {}

    def index(self, memories: Sequence[Memory]) -> None:
        """A call takes messages that share their metadata: those of one time."""
        for sent_at, turns in groupby(memories, lambda memory: memory["sent_at"]):
            batch = list(turns)
            about = {"sent_at": sent_at} if sent_at else {}
            messages = [_message(memory) for memory in batch]
            added = self._memory.add(messages, user_id=USER, metadata=about, infer=False)
            self._names |= {
                one["id"]: memory["id"] for one, memory in zip(added["results"], batch, strict=True)
            }

    def search(self, query: str, k: int) -> list[str]:
        """Semantic and keyword search, as mem0 mixes them."""
        found = self._memory.search(query, top_k=k, filters={"user_id": USER})
        return [self._names[hit["id"]] for hit in found["results"]]


def _message(memory: Memory) -> dict[str, str]:
    message = {"role": "user", "content": spoken(memory)}
    return {**message, "name": memory["speaker"]} if memory["speaker"] else message


def _embedding_model(vectors: Vectors) -> Any:
    base: Any = import_module("mem0.embeddings.base").EmbeddingBase

    def embed(_self: Any, text: str, memory_action: str | None = None) -> list[float]:
        return vectors([text], "query" if memory_action == "search" else "document")[0]

    return type("DriversVectors", (base,), {"embed": embed})()


if __name__ == "__main__":
    serve(Mem0)
