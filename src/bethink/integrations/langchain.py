"""A LangChain retriever over a space: what it recalls are documents for a chain.

    retriever = BethinkRetriever(space=memory, k=5)
    chain = {"context": retriever, "question": RunnablePassthrough()} | prompt | model

Give it `Bethink` for `invoke`, or `AsyncBethink` for `ainvoke` only. Needs
`pip install 'bethink[langchain]'`.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

try:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    raise ImportError("The retriever needs a package: pip install 'bethink[langchain]'") from error

from bethink.integrations.calling import Calls
from bethink.shapes.outcomes import Hit
from bethink.text.fence import as_data
from bethink.tools.items import item_of_hit


class BethinkRetriever(BaseRetriever):
    """Recalls what answers a query. `options` are those of `recall`, such as `{"tags": ["food"]}`."""

    space: Any
    k: int = Field(8, ge=1, le=200, description="Most documents.")
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        calls = Calls(self.space)
        return calls.wait(self._recalled(calls, query))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        calls = Calls(self.space)
        return await calls.do(self._recalled(calls, query))

    async def _recalled(self, calls: Calls, query: str) -> list[Document]:
        found = await calls.space.recall(query, **{"limit": self.k, **self.options})
        return [_document(hit, calls.space.name) for hit in found.hits]


def _document(hit: Hit, space: str) -> Document:
    """What was recalled, as data; the metadata say what it is, when it was so and how well it fits."""
    told = item_of_hit(hit, {}, space).model_dump(mode="json", by_alias=False, exclude_none=True)
    return Document(page_content=as_data(told.pop("text")), id=told["id"], metadata=told)
