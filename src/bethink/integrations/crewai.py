"""CrewAI's storage in a space: its memories are memories here, so recall finds them too.

    crew = Crew(agents=agents, tasks=tasks, memory=Memory(storage=BethinkStorage(memory)))

CrewAI embeds its texts itself, with the `embedder` that its `Memory` has, and searches by those vectors; they
are kept beside each memory. Give it `Bethink`, since CrewAI calls it without `await`. Needs
`pip install 'bethink[crewai]'`.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ModuleNotFoundError as error:
    raise ImportError("CrewAI's storage needs a package: pip install 'bethink[crewai]'") from error

from bethink.errors import InvalidInput
from bethink.integrations.calling import Calls
from bethink.integrations.matching import matches
from bethink.records import Json, Memory
from bethink.store import memories

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.sync import Space

SOURCE = "crewai"
_PAGE = 1000
Found = list[tuple[MemoryRecord, float]]


class BethinkStorage:
    """Keeps CrewAI's records in a space: a memory each, with the record beside its text."""

    def __init__(self, space: AsyncSpace | Space) -> None:
        self._calls = Calls(space)

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records."""
        self._calls.wait(self._save(records))

    def update(self, record: MemoryRecord) -> None:
        """Store a record again, in the place of the one with its id."""
        self._calls.wait(self._save([record]))

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> Found:
        """The records nearest to a vector, best first."""
        found = self._search(query_embedding, scope_prefix, categories, metadata_filter, limit, min_score)
        return self._calls.wait(found)

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that all of these mean; how many."""
        gone = self._delete(scope_prefix, categories, record_ids, older_than, metadata_filter)
        return self._calls.wait(gone)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """One record by its id."""
        return self._calls.wait(self._one(record_id))

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Records, newest first."""
        found = sorted(self._under(scope_prefix), key=lambda one: _utc(one.created_at), reverse=True)
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """What is in a scope."""
        found = self._under(scope)
        made = [record.created_at for record in found]
        return ScopeInfo(
            path=_path(scope),
            record_count=len(found),
            categories=sorted({name for record in found for name in record.categories}),
            oldest_record=min(made, default=None),
            newest_record=max(made, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes right under another."""
        base = _path(parent).rstrip("/") + "/"
        inside = (_path(record.scope) for record in self._under(parent))
        return sorted({base + path[len(base) :].split("/")[0] for path in inside if len(path) > len(base)})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """The categories, and how many records have each."""
        counted: dict[str, int] = {}
        for record in self._under(scope_prefix):
            for name in record.categories:
                counted[name] = counted.get(name, 0) + 1
        return counted

    def count(self, scope_prefix: str | None = None) -> int:
        """How many records there are."""
        return len(self._under(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete all records, or those of a scope."""
        self.delete(scope_prefix=scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Store records."""
        await self._calls.do(self._save(records))

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> Found:
        """The records nearest to a vector, best first."""
        found = self._search(query_embedding, scope_prefix, categories, metadata_filter, limit, min_score)
        return await self._calls.do(found)

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that all of these mean; how many."""
        gone = self._delete(scope_prefix, categories, record_ids, older_than, metadata_filter)
        return await self._calls.do(gone)

    def _under(self, scope: str | None) -> list[MemoryRecord]:
        """The records of a scope and of those in it."""
        found = self._calls.wait(self._all())
        return [record for record in map(_record, found) if _is_under(record.scope, scope)]

    async def _save(self, records: Sequence[MemoryRecord]) -> None:
        if records:
            await self._calls.space.remember_many([_draft(record) for record in records])

    async def _one(self, record_id: str) -> MemoryRecord | None:
        core, space = await self._calls.space.inside.here()
        key = _key(record_id)
        found = (await core.driver.read(memories.by_keys, space.id, [key])).get(key)
        return _record(found) if found else None

    async def _all(self) -> list[Memory]:
        """All memories of ours, with nothing in them masked: CrewAI writes them back."""
        core, space = await self._calls.space.inside.here()
        found: list[Memory] = []
        while True:
            page = await self._calls.space.list(sources=[SOURCE], limit=_PAGE, offset=len(found))
            ids = [memory.id for memory in page]
            exact = await core.driver.read(memories.by_ids, space.id, ids)
            found += [exact[id_] for id_ in ids if id_ in exact]
            if len(page) < _PAGE:
                return found

    async def _search(
        self,
        wanted: list[float],
        scope: str | None,
        categories: list[str] | None,
        metadata: dict[str, Any] | None,
        limit: int,
        least: float,
    ) -> Found:
        near: Found = []
        query = _unit(np.asarray(wanted, dtype=np.float32))
        for memory in await self._all():
            record = _record(memory)
            if record.embedding is None or not _is_meant(record, scope, categories, metadata):
                continue
            if len(record.embedding) != len(query):
                raise InvalidInput(
                    f"query_embedding: has {len(query)} numbers, what is kept {len(record.embedding)};"
                    " another embedder made those. Reset the memory, or use that embedder.",
                    field="query_embedding",
                )
            near.append((record, float(_unit(np.asarray(record.embedding, dtype=np.float32)) @ query)))
        near.sort(key=lambda pair: pair[1], reverse=True)
        return [pair for pair in near if pair[1] >= least][:limit]

    async def _delete(
        self,
        scope: str | None,
        categories: list[str] | None,
        ids: list[str] | None,
        older_than: datetime | None,
        metadata: dict[str, Any] | None,
    ) -> int:
        gone = []
        for memory in await self._all():
            record = _record(memory)
            named = ids is None or record.id in ids
            old = older_than is None or _utc(record.created_at) < _utc(older_than)
            if named and old and _is_meant(record, scope, categories, metadata):
                gone.append(memory.id)
        if gone:
            await self._calls.space.forget(*gone)
        return len(gone)


def _key(record_id: str) -> str:
    return f"{SOURCE} {record_id}"


def _draft(record: MemoryRecord) -> Json:
    vector = None
    if record.embedding is not None:
        vector = base64.b64encode(np.asarray(record.embedding, dtype="<f4").tobytes()).decode()
    return {
        "content": record.content,
        "key": _key(record.id),
        "source": SOURCE,
        "tags": record.categories,
        "observed_at": _utc(record.created_at),
        "metadata": {SOURCE: {"record": record.model_dump(mode="json"), "vector": vector}},
    }


def _record(memory: Memory) -> MemoryRecord:
    """A record as CrewAI gave it; its text is the memory's, which somebody may have mended since."""
    kept: Json = memory.metadata[SOURCE]
    record = MemoryRecord.model_validate({**kept["record"], "content": memory.content})
    if kept["vector"]:
        record.embedding = np.frombuffer(base64.b64decode(kept["vector"]), dtype="<f4").tolist()
    return record


def _is_meant(
    record: MemoryRecord, scope: str | None, categories: list[str] | None, metadata: dict[str, Any] | None
) -> bool:
    fits = not categories or bool(set(categories) & set(record.categories))
    return fits and _is_under(record.scope, scope) and matches(record.metadata, metadata)


def _path(scope: str) -> str:
    return "/" + scope.strip("/")


def _is_under(scope: str, prefix: str | None) -> bool:
    wanted = _path(prefix or "/").rstrip("/")
    return (_path(scope) + "/").startswith(wanted + "/")


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length or 1.0)


def _utc(at: datetime) -> datetime:
    """A time of CrewAI's, which are UTC without saying so."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)
