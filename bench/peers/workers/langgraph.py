"""LangGraph's stores with an index over the text; the option is `memory` or `sqlite`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.workers.contract import Memory, Vectors, serve, spoken

NAMESPACE = ("memories",)
DIMENSIONS = 384


class LangGraph:
    def __init__(self, vectors: Vectors, folder: Path, kind: str) -> None:
        self._put: Any = import_module("langgraph.store.base").PutOp
        self._vectors, self._role = vectors, "document"
        # The two stores read the same setting under two names.
        fields = {"fields": ["text"], "text_fields": ["text"]}
        index = {"dims": DIMENSIONS, "embed": self._embeddings(), **fields}
        if kind == "memory":
            self._store: Any = import_module("langgraph.store.memory").InMemoryStore(index=index)
        else:
            # Many builds of Python come with an sqlite3 that loads no extensions, and the store needs one.
            sqlite: Any = import_module("pysqlite3")
            file = sqlite.connect(str(folder / "store.db"), check_same_thread=False, isolation_level=None)
            self._store = import_module("langgraph.store.sqlite").SqliteStore(file, index=index)
            self._store.setup()

    def index(self, memories: Sequence[Memory]) -> None:
        """One batch of puts."""
        self._role = "document"
        self._store.batch([self._put(NAMESPACE, memory["id"], _value(memory)) for memory in memories])

    def search(self, query: str, k: int) -> list[str]:
        """The nearest by cosine."""
        self._role = "query"
        return [item.key for item in self._store.search(NAMESPACE, query=query, limit=k)]

    def _embeddings(self) -> Any:
        """As the store of SQLite embeds queries like documents, the role is what is being done."""
        base: Any = import_module("langchain_core.embeddings").Embeddings

        def embed_documents(_self: Any, texts: list[str]) -> list[list[float]]:
            return self._vectors(texts, self._role)

        def embed_query(_self: Any, text: str) -> list[float]:
            return self._vectors([text], self._role)[0]

        methods = {"embed_documents": embed_documents, "embed_query": embed_query}
        return type("DriversVectors", (base,), methods)()


def _value(memory: Memory) -> dict[str, str]:
    return {"text": spoken(memory), "speaker": memory["speaker"], "sent_at": memory["sent_at"]}


if __name__ == "__main__":
    serve(LangGraph)
