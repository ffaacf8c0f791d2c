"""The threads a model runs on, so that the event loop never waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, ParamSpec, TypeVar

from bethink.errors import Closed

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Workers:
    """A model's own threads.

    With `own_query_thread` a query never waits behind a bulk of documents; a model that must not be entered
    twice at once has one thread for everything.
    """

    def __init__(self, threads: int = 1, *, own_query_thread: bool = False) -> None:
        self.threads = threads
        self._documents = ThreadPoolExecutor(threads, "bethink-embed")
        self._queries = ThreadPoolExecutor(1, "bethink-query") if own_query_thread else self._documents
        self._closed = False

    async def run(
        self,
        role: Literal["query", "document"],
        function: Callable[_Arguments, _Result],
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> _Result:
        """Call `function` on a thread of this role and wait for it without blocking the loop."""
        if self._closed:
            raise Closed("This model is closed: open the memory again before using it.")
        pool = self._queries if role == "query" else self._documents
        return await asyncio.wrap_future(pool.submit(function, *args, **kwargs))

    def close(self) -> None:
        """Take no more work and end the threads when what they are doing is done."""
        self._closed = True
        for pool in (self._documents, self._queries):
            pool.shutdown(wait=False, cancel_futures=True)
