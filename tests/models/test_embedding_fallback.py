"""A chat host that makes no vectors: memories get theirs from the packaged model."""

from __future__ import annotations

from typing import Any

from bethink import AsyncBethink
from tests import opened
from tests.models.embed.hosts import Answer, running_host
from tests.opened import Home

home, spaces_postgres_url = opened.home, opened.spaces_postgres_url


async def test_with_a_chat_host_that_has_no_embeddings_nothing_goes_without_a_vector(home: Home) -> None:
    with running_host(lambda _: Answer({"error": "not supported"}, status=501)) as host:
        settings: dict[str, Any] = {
            "space": home.space,
            "chat": {"base_url": host.url},
            "recall": {"tier": "fast"},
        }
        async with AsyncBethink(home.url, **settings) as memory:
            await memory.remember("The boiler was serviced in March")
            await memory.settle()
            stats = await memory.stats()
            assert stats.awaiting_vectors == 0
            assert stats.signature == "local:bge-small-en-v1.5-int8:384"
            assert stats.degraded == []
            status = await memory.index.status()
            assert status.embedding.source == "local"
            assert "because the host" in status.embedding.reason
            assert "has no embeddings" in status.embedding.reason
