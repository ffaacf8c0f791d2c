"""CrewAI's storage, through CrewAI's own Memory; only where `crewai` is installed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink import Bethink
from bethink.errors import InvalidInput
from tests.opened import Home

pytest.importorskip("crewai", reason="crewai is not installed: it brings over a hundred packages")

from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory

from bethink.integrations.crewai import BethinkStorage


def embedder(texts: list[str]) -> list[list[float]]:
    return [[float("peanut" in text), float("milk" in text), 0.1] for text in texts]


def test_crewais_memory_keeps_and_recalls(home: Home) -> None:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        crew: Any = Memory(storage=BethinkStorage(memory), embedder=embedder)
        for text in ("Anna is allergic to peanuts", "Ben drinks milk"):
            crew.remember(text, scope="/family", categories=["food"], importance=0.5, metadata={"a": 1})
        crew.drain_writes()
        found = crew.recall("peanuts?", scope="/family", depth="shallow")
        assert found[0].record.content == "Anna is allergic to peanuts"
        # What CrewAI keeps is recalled like all else.
        assert "peanuts" in memory.recall("peanuts").hits[0].text
        crew.close()


def test_records_come_back_as_they_were(home: Home) -> None:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        store = BethinkStorage(memory)
        assert isinstance(store, StorageBackend)
        began = datetime(2026, 3, 1, tzinfo=UTC)
        records = [
            MemoryRecord(
                id=f"r{number}", content=f"Note {number}", scope=scope, categories=[f"c{number % 2}"],
                metadata={"n": number}, created_at=began + timedelta(days=number),
                embedding=[1.0, float(number), 0.0],
            )
            for number, scope in enumerate(("/a", "/a/b", "/a/b/c", "/other"))
        ]  # fmt: skip
        store.save(records)
        assert store.get_record("r1") == records[1]
        assert store.get_record("none") is None
        assert [one.id for one in store.list_records(limit=2, offset=1)] == ["r2", "r1"]
        assert [one.id for one in store.list_records("/a/b")] == ["r2", "r1"]
        assert store.list_scopes() == ["/a", "/other"]
        assert store.list_scopes("/a") == ["/a/b"]
        assert store.list_categories() == {"c0": 2, "c1": 2}
        info = store.get_scope_info("/a")
        assert (info.record_count, info.oldest_record, info.child_scopes) == (3, began, ["/a/b"])
        (best, score), *_ = store.search([1.0, 0.0, 0.0], scope_prefix="/a")
        assert (best.id, round(score, 3)) == ("r0", 1.0)
        assert [one.id for one, _ in store.search([1.0, 0.0, 0.0], categories=["c1"])] == ["r1", "r3"]
        assert [one.id for one, _ in store.search([1.0, 0.0, 0.0], metadata_filter={"n": 2})] == ["r2"]
        assert len(store.search([1.0, 0.0, 0.0], min_score=0.9)) == 1
        with pytest.raises(InvalidInput, match="another embedder"):
            store.search([1.0])
        store.update(records[0].model_copy(update={"content": "Note zero", "scope": "/z"}))
        changed = store.get_record("r0")
        assert changed
        assert (changed.content, changed.scope) == ("Note zero", "/z")
        assert store.delete(older_than=began + timedelta(days=2)) == 2
        assert store.delete(scope_prefix="/a/b", record_ids=["r2", "r3"]) == 1
        assert store.count() == 1
        store.reset()
        assert store.count() == 0
