"""The `http` reranker: any host with a `/rerank`, in the shape of Cohere and Jina or of TEI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError
from bethink.models.hosts import Host, Refused
from bethink.settings import RerankSettings


class HttpReranker:
    """Sends the query and all texts in one call."""

    source = "http"

    def __init__(self, rerank: RerankSettings) -> None:
        base = (rerank.base_url or "").rstrip("/")
        self.model = rerank.model
        self._host = Host(
            base if base.endswith("/rerank") else f"{base}/rerank",
            key=rerank.api_key.get_secret_value() if rerank.api_key else None,
            timeout=rerank.seconds,
            missing="Check that rerank.base_url is right and that the host has rerank.model.",
            kind="rerank",
            section="rerank",
            time_limit="seconds",
        )
        self._calls_them_texts = False

    async def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A rating for each text, in their order."""
        if not texts:
            return np.zeros(0, np.float32)
        # Hosts refuse an empty text, and half a surrogate pair is no JSON.
        sent = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        asked = query.encode("utf-8", "replace").decode("utf-8")
        try:
            answer = await self._host.post(self._body(asked, sent))
        except Refused:
            if self._calls_them_texts:
                raise
            answer = await self._host.post(self._body(asked, sent, texts_wanted=True))
            self._calls_them_texts = True  # a host of the other kind
        return self._ratings(answer, len(sent))

    async def close(self) -> None:
        """Close the connections to the host."""
        await self._host.close()

    def _body(self, query: str, texts: Sequence[str], *, texts_wanted: bool = False) -> dict[str, Any]:
        if texts_wanted or self._calls_them_texts:
            return {"query": query, "texts": texts}
        model = {"model": self.model} if self.model else {}
        return {**model, "query": query, "documents": texts, "top_n": len(texts)}

    def _ratings(self, answer: Any, count: int) -> NDArray[np.float32]:
        try:
            found = answer if isinstance(answer, list) else answer.get("results", answer.get("data"))
            rated = {
                int(item["index"]): float(
                    item["relevance_score"] if "relevance_score" in item else item["score"]
                )
                for item in found
            }
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ModelError(
                f"The rerank host {self._host.url} answered with something else than ratings; check"
                " rerank.base_url and rerank.model.",
                field="rerank.base_url",
            ) from error
        ratings = np.array([rated.get(place, np.nan) for place in range(count)], np.float32)
        if len(rated) != count or not np.isfinite(ratings).all():
            raise ModelError(
                f"The rerank host {self._host.url} did not rate each text once; check rerank.model."
            )
        return ratings
