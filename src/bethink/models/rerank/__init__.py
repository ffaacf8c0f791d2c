"""Reranking: a model reads the query and the first hits together, and says how well each one answers."""

from __future__ import annotations

from bethink.models.rerank.protocol import Reranker
from bethink.models.rerank.resolve import Reranking, RerankState, check_reranker

__all__ = ["RerankState", "Reranker", "Reranking", "check_reranker"]
