"""Qdrant's own engine, which `qdrant-edge-py` carries, asked in the words of Qdrant's HTTP.

A server of Qdrant is this engine with a network around it, so what is done here with vectors, filters, graphs
and coarse copies is what a server does. A server builds its graphs in the background; here a search does so
before it looks.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import qdrant_edge as edge

Json = dict[str, Any]


class Collections:
    """The collections of a server, each a shard in a folder of its own."""

    def __init__(self, folder: Path, *, index_from_kb: int | None = None) -> None:
        self._folder, self._index_from_kb = folder, index_from_kb
        self._shards: dict[str, tuple[Any, Path]] = {}
        self._unsorted: set[str] = set()  # into which something came since they were put in order
        self._made = 0

    def answered(self, verb: str, parts: list[str], body: Json) -> Any:
        """The result of a request; a `KeyError` where there is no such collection."""
        if parts == ["collections"]:
            return {"collections": [{"name": name} for name in self._shards]}
        name, rest = parts[1], tuple(parts[2:])
        if rest == ("exists",):
            return {"exists": name in self._shards}
        if not rest and verb == "PUT":
            return self._make(name, body)
        if not rest and verb == "DELETE":
            shard, folder = self._shards.pop(name)
            shard.close()
            shutil.rmtree(folder)
            return True
        if rest == ("index",):
            schema = _schema(body["field_schema"])
            self._shards[name][0].update(edge.UpdateOperation.create_field_index(body["field_name"], schema))
            return _DONE
        return self._of_points(name, rest, body)

    def close(self) -> None:
        """Let go of every shard."""
        for shard, _ in self._shards.values():
            shard.close()
        self._shards.clear()

    def _make(self, name: str, body: Json) -> bool:
        if name in self._shards:
            raise FileExistsError(name)
        vectors, graph = body["vectors"], body.get("hnsw_config") or {}
        config = edge.EdgeConfig(
            vectors=edge.EdgeVectorParams(vectors["size"], getattr(edge.Distance, vectors["distance"])),
            hnsw_config=edge.HnswIndexConfig(
                graph.get("m", 16), 100, 10_000, payload_m=graph.get("payload_m")
            ),
            quantization_config=_coarse(body.get("quantization_config")),
            optimizers=edge.EdgeOptimizersConfig(indexing_threshold=self._index_from_kb),
            wal_enabled=False,
        )
        self._made += 1
        folder = self._folder / str(self._made)
        self._shards[name] = edge.EdgeShard.create(str(folder), config), folder
        return True

    def _of_points(self, name: str, rest: tuple[str, ...], body: Json) -> Any:
        shard, chosen = self._shards[name][0], _filter(body.get("filter"))
        match rest:
            case ("points",):
                points = [edge.Point(one["id"], one["vector"], one["payload"]) for one in body["points"]]
                shard.update(edge.UpdateOperation.upsert_points(points))
                self._unsorted.add(name)
            case ("points", "delete") if chosen:
                shard.update(edge.UpdateOperation.delete_points_by_filter(chosen))
            case ("points", "delete"):
                shard.update(edge.UpdateOperation.delete_points(body["points"]))
            case ("points", "count"):
                return {"count": shard.count(edge.CountRequest(exact=True, filter=chosen))}
            case ("points", "scroll"):
                asked = edge.ScrollRequest(offset=body.get("offset"), limit=body["limit"], filter=chosen)
                points, after = shard.scroll(asked)
                return {"points": [{"id": one.id} for one in points], "next_page_offset": after}
            case ("points", "query"):
                return {"points": self._nearest(name, body, chosen)}
            case _:
                raise KeyError(rest)
        return _DONE

    def _nearest(self, name: str, body: Json, chosen: Any) -> list[Json]:
        shard = self._shards[name][0]
        if name in self._unsorted:
            self._unsorted.discard(name)
            shard.optimize()
        again = (body.get("params") or {}).get("quantization")
        params = edge.SearchParams(quantization=edge.QuantizationSearchParams(**again)) if again else None
        nearest = edge.Query.Nearest(body["query"]["nearest"])
        asked = edge.QueryRequest(body["limit"], query=nearest, filter=chosen, params=params)
        return [{"id": one.id, "version": 0, "score": one.score} for one in shard.query(asked)]


_DONE = {"operation_id": 0, "status": "completed"}


def _schema(told: Json) -> Any:
    kinds = {"keyword": edge.KeywordIndexParams, "integer": edge.IntegerIndexParams}
    return kinds[told["type"]](**{name: value for name, value in told.items() if name != "type"})


def _coarse(told: Json | None) -> Any:
    match told:
        case {"scalar": scalar}:
            return edge.ScalarQuantizationConfig(
                edge.ScalarType.Int8, quantile=scalar["quantile"], always_ram=scalar["always_ram"]
            )
        case {"binary": binary}:
            return edge.BinaryQuantizationConfig(always_ram=binary["always_ram"])
    return None


def _filter(told: Json | None) -> Any:
    return edge.Filter(must=[_condition(one) for one in told["must"]]) if told else None


def _condition(told: Json) -> Any:
    match told:
        case {"has_id": ids}:
            return edge.HasIdCondition(set(ids))
        case {"key": key, "match": {"value": value}}:
            return edge.FieldCondition(key, match=edge.MatchValue(value))
        case {"key": key, "match": {"any": values}}:
            return edge.FieldCondition(key, match=edge.MatchAny(values))
        case {"key": key, "range": bounds}:
            return edge.FieldCondition(key, range=edge.RangeFloat(**bounds))
    raise KeyError(str(told))
