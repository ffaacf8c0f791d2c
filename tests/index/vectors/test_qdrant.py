"""What a Qdrant server is asked for: graphs for each space, coarse copies, and searches that look again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from bench.qdrant_front import KEY, Request

from bethink.clock import new_id
from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import StoreError
from bethink.index.vectors.qdrant import QdrantVectors, connect
from bethink.records import Layer, Space
from bethink.settings import VectorSettings
from bethink.store.filters import EntryFilter
from tests.index.vectors import servers

NOW = datetime(2024, 5, 17, tzinfo=UTC)
SIGNATURE = "testing:plane:2"
HOME = Space(id="home", number=7, name="home", display_name="Home", created_at=NOW, updated_at=NOW)
FIRST = 7 << 32
pytestmark = pytest.mark.xdist_group("vector stores")  # their clients are loaded in one process only


class Asked(list[Request]):
    """The requests of a test."""

    def one(self, verb: str, end: str) -> Request:
        (found,) = [one for one in self if one.verb == verb and one.path.endswith(end)]
        return found


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def port(asked: Asked) -> Iterator[int]:
    with servers.qdrant_engine(asked) as port:
        yield port


@pytest.fixture
async def index(request: pytest.FixtureRequest, port: int) -> AsyncIterator[QdrantVectors]:
    place = {"host": "127.0.0.1", "port": port, "api_key": KEY} | getattr(request, "param", {})
    settings = VectorSettings.model_validate(place)
    index = QdrantVectors(connect(settings), settings, new_id())
    yield index
    await index.close()


async def fill(index: QdrantVectors, count: int = 3) -> None:
    vectors = np.eye(max(count, 2), dtype=np.float32)
    entries = [VectorEntry(FIRST + n, Layer.MEMORY, vectors[n], NOW) for n in range(count)]
    await index.put(HOME.number, SIGNATURE, entries)


async def search(index: QdrantVectors, dimensions: int = 3) -> list[int]:
    query = np.eye(dimensions, dtype=np.float32)[0]
    found = await index.nearest(VectorQuery(HOME, SIGNATURE, query, EntryFilter(), NOW, 2))
    return [id_ for id_, _ in found]


INT8 = {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}}
BINARY = {"binary": {"always_ram": True}}


@pytest.mark.parametrize(
    ("index", "copies", "looks_again"),
    [
        ({"quantisation": "none"}, None, None),
        ({"quantisation": "int8"}, INT8, {"rescore": True, "oversampling": 2}),
        ({"quantisation": "binary"}, BINARY, {"rescore": True, "oversampling": 500}),
    ],
    indirect=["index"],
    ids=["none", "int8", "binary"],
)
async def test_coarse_copies_are_kept_in_memory_and_the_vectors_themselves_decide(
    index: QdrantVectors, asked: Asked, copies: Any, looks_again: Any
) -> None:
    await fill(index)
    assert (await search(index))[0] == FIRST
    (made,) = [one for one in asked if one.verb == "PUT" and one.path.count("/") == 1]
    assert made.body["vectors"] == {"size": 3, "distance": "Cosine"}
    assert made.body.get("quantization_config") == copies
    params = asked.one("POST", "/points/query").body.get("params")
    assert (params and params["quantization"]) == looks_again


async def test_each_space_has_a_graph_of_its_own_and_filters_have_indexes(
    index: QdrantVectors, asked: Asked
) -> None:
    await fill(index)
    (made,) = [one for one in asked if one.verb == "PUT" and one.path.count("/") == 1]
    assert made.body["hnsw_config"] == {"m": 0, "payload_m": 16}
    indexed = {
        one.body["field_name"]: one.body["field_schema"] for one in asked if one.path.endswith("/index")
    }
    assert indexed.pop("space") == {"type": "keyword", "is_tenant": True}
    number = {"type": "integer", "lookup": False, "range": True, "enable_hnsw": False}
    word = {"type": "keyword", "enable_hnsw": False}
    assert indexed == {
        "layer": word,
        "person_id": word,
        "session_id": word,
        "observed_at": number,
        "expires_at": number,
    }, "no graphs for these"


@pytest.mark.parametrize(
    ("index", "waits"),
    [({"batch": 2, "wait": False}, "false"), ({"batch": 2, "wait": True}, "true")],
    indirect=["index"],
)
async def test_vectors_go_in_batches_that_are_waited_for_where_it_is_set(
    index: QdrantVectors, asked: Asked, waits: str
) -> None:
    await fill(index, 5)
    sent = [one for one in asked if one.verb == "PUT" and one.path.endswith("/points")]
    assert [len(one.body["points"]) for one in sent] == [2, 2, 1]
    assert {one.query["wait"] for one in sent} == {waits}
    assert await index.count(HOME.number, SIGNATURE) == 5


@pytest.mark.parametrize("index", [{"api_key": "a wrong key"}], indirect=True)
async def test_a_wrong_key_is_told_and_not_quoted(index: QdrantVectors) -> None:
    with pytest.raises(StoreError, match="is its key right") as caught:
        await fill(index)
    assert "a wrong key" not in caught.value.message
    assert "401" in (await index.health() or "")
