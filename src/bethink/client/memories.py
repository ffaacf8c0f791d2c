"""What a space does with memories, over HTTP."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from bethink.client.http import Http, body_of, segment
from bethink.records import Memory
from bethink.shapes.fields import checked
from bethink.shapes.inputs import MemoryChange, MemoryDraft, MemoryQuery
from bethink.shapes.keywords import MemoryChanges, MemoryFields, MemoryFilters, MemoryInput
from bethink.shapes.outcomes import Compaction, Forgotten, MemoryPage, Remembered

_FILTERS = {
    "types": "type", "session_ids": "sessionId", "person_ids": "personId", "tags": "tag",
    "sources": "source", "categories": "category", "pinned": "pinned", "archived": "archived",
    "since": "since", "until": "until",
}  # fmt: skip


class ClientRemembering:
    """What a space does with memories."""

    _http: Http

    async def remember(self, content: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory."""
        return await self._http.post(
            "/api/memory", Remembered, body_of(MemoryDraft, {"content": content, **fields})
        )

    async def remember_many(
        self, drafts: Sequence[MemoryInput | MemoryDraft | Mapping[str, Any]]
    ) -> builtins.list[Remembered]:
        """Store memories, one after the other."""
        bodies = [body_of(MemoryDraft, draft) for draft in drafts]
        return [await self._http.post("/api/memory", Remembered, body) for body in bodies]

    async def get(self, memory_id: str, *, secrets: bool = False) -> Memory:
        """One memory by its id."""
        return await self._http.get(_memory(memory_id), Memory, secrets=secrets)

    async def update(
        self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory:
        """Change what is given of a memory."""
        body = body_of(MemoryChange, changes)
        return await self._http.post(_memory(memory_id), Memory, body, method="PATCH", reason=reason)

    async def replace(
        self, memory_id: str, content: str, *, reason: str | None = None, **fields: Unpack[MemoryFields]
    ) -> Memory:
        """Make a memory what this says; a field that is left out has its default again."""
        body = body_of(MemoryDraft, {"content": content, **fields})
        return await self._http.post(_memory(memory_id), Memory, body, method="PUT", reason=reason)

    async def pin(self, memory_id: str, pinned: bool = True) -> Memory:
        """Pin a memory, or unpin it."""
        method = "POST" if pinned else "DELETE"
        return await self._http.post(f"{_memory(memory_id)}/pin", Memory, method=method)

    async def forget(self, *memory_ids: str, reason: str | None = None) -> builtins.list[Memory]:
        """Delete memories, one after the other; the journal keeps what they were."""
        return [
            await self._http.post(_memory(id_), Memory, method="DELETE", reason=reason) for id_ in memory_ids
        ]

    async def compact(self, *, older_than_days: int = 180, dry_run: bool = False) -> Compaction:
        """Let one memory tell of many old ones, which are archived."""
        body = {"olderThanDays": older_than_days, "dryRun": dry_run}
        return await self._http.post("/api/memory/summarize", Compaction, body)

    async def condense(
        self, session: str | None = None, *, max_tokens: int = 4000, dry_run: bool = False
    ) -> Compaction:
        """Bring memories into a budget of tokens; of the older ones the first three sentences stay."""
        body = {"sessionId": session, "maxTokens": max_tokens, "dryRun": dry_run}
        return await self._http.post("/api/memory/summarize", Compaction, body)

    async def forget_many(
        self, *, dry_run: bool = False, reason: str | None = None, **filters: Unpack[MemoryFilters]
    ) -> Forgotten:
        """Delete all memories that the filters choose; at least one is needed."""
        query = _chosen(filters)
        if query is None:
            return Forgotten(count=0, sample=[], dry_run=dry_run)
        return await self._http.post(
            "/api/memory", Forgotten, method="DELETE", dryRun=dry_run, reason=reason, **query
        )

    async def list(
        self, *, limit: int = 50, offset: int = 0, secrets: bool = False, **filters: Unpack[MemoryFilters]
    ) -> builtins.list[Memory]:
        """Memories, newest first. A filter list that is empty matches nothing."""
        page = await self.page(limit=limit, offset=offset, secrets=secrets, **filters)
        return page.items

    async def page(
        self,
        *,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        cursor: str | None = None,
        secrets: bool = False,
        **filters: Unpack[MemoryFilters],
    ) -> MemoryPage:
        """Memories, newest first, with how many there are; with a `query`, those that answer it."""
        chosen = _chosen(filters)
        if chosen is None:
            return MemoryPage(items=[], total=0, tokens=0, next_cursor=None)
        given = {"q": query, "limit": limit, "offset": offset, "cursor": cursor, "secrets": secrets}
        told = await self._http.send("GET", "/api/memory", query={**given, **chosen})
        return MemoryPage(
            items=[Memory.model_validate(one) for one in told["items"]],
            total=told["total"],
            tokens=told["stats"]["tokensUsed"],
            next_cursor=told["nextCursor"],
        )


def _memory(memory_id: str) -> str:
    return f"/api/memory/{segment(memory_id)}"


def _chosen(filters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Filters as the server's parameters; None when a list is empty, which matches nothing."""
    wanted = checked(MemoryQuery, dict(filters))
    given = {name: getattr(wanted, name) for name in _FILTERS}
    if any(value == [] for value in given.values()):
        return None
    return {_FILTERS[name]: value for name, value in given.items() if value is not None}
