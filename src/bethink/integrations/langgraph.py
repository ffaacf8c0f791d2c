"""LangGraph's long-term store: its items are memories here, so recall finds them too.

    graph = builder.compile(checkpointer=…, store=BethinkStore(memory))

Give it `Bethink` for graphs that run with `invoke`, or `AsyncBethink` for those that run with `ainvoke` only.
Needs `pip install 'bethink[langgraph]'`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
    )
except ModuleNotFoundError as error:
    raise ImportError("LangGraph's store needs a package: pip install 'bethink[langgraph]'") from error

from bethink.clock import now
from bethink.errors import InvalidInput
from bethink.integrations.calling import Calls
from bethink.integrations.matching import matches
from bethink.recall.recall import recall_for
from bethink.records import Json, Layer, Memory
from bethink.shapes.inputs import RecallRequest
from bethink.store import memories

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.sync import Space

SOURCE = "langgraph"
DEEPEST = 200  # hits of a search that a filter chooses from
_PAGE = 1000
_FIELDS = {"namespace", "key", "value", "ttl", "searched"}  # of an item, in what a memory is told of it
_RENEWED = 0.1  # share of its time to live after which reading renews it


class BethinkStore(BaseStore):
    """Keeps a graph's long-term items in a space: a memory each, found by words and by meaning.

    `fields` are the paths whose texts are searched, where an item does not say; `$` is the whole value.
    `ttl` is LangGraph's own configuration: with `default_ttl` items end so many minutes after their last use.
    """

    supports_ttl = True

    def __init__(
        self, space: AsyncSpace | Space, *, fields: Sequence[str] = ("$",), ttl: TTLConfig | None = None
    ) -> None:
        self._calls = Calls(space)
        self._fields = list(fields)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things at once."""
        return self._calls.wait(self._batch(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things at once."""
        return await self._calls.do(self._batch(list(ops)))

    async def _batch(self, ops: Sequence[Op]) -> list[Result]:
        """The results in order; what is read is as it was before what is written, as in LangGraph's own."""
        found = await self._by_keys([op for op in ops if isinstance(op, GetOp)])
        results: list[Result] = []
        for op in ops:
            match op:
                case GetOp():
                    kept = found.get(_key(op.namespace, op.key))
                    if kept:
                        await self._renew([kept], op.refresh_ttl)
                    results.append(_item(kept) if kept else None)
                case SearchOp():
                    results.append(await self._search(op))
                case ListNamespacesOp():
                    results.append(await self._namespaces(op))
                case PutOp():
                    results.append(None)
        await self._put([op for op in ops if isinstance(op, PutOp)])
        return results

    async def _by_keys(self, ops: Sequence[GetOp | PutOp]) -> dict[str, Memory]:
        """The items that are there, by their keys as memories have them."""
        if not ops:
            return {}
        core, space = await self._calls.space.inside.here()
        keys = [_key(op.namespace, op.key) for op in ops]
        found = await core.driver.read(memories.by_keys, space.id, keys)
        return {key: memory for key, memory in found.items() if _holds(memory, now()) and _is_ours(memory)}

    async def _put(self, ops: Sequence[PutOp]) -> None:
        last = {_key(op.namespace, op.key): op for op in ops}
        gone = await self._by_keys([op for op in last.values() if op.value is None])
        if gone:
            await self._calls.space.forget(*(memory.id for memory in gone.values()))
        drafts = [self._draft(key, op) for key, op in last.items() if op.value is not None]
        if drafts:
            await self._calls.space.remember_many(drafts)

    def _draft(self, key: str, op: PutOp) -> Json:
        """An item as a memory: what is searched is its text, the value itself is beside it."""
        try:
            value = json.loads(json.dumps(op.value))
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"value: must be JSON: {error}.", field="value") from None
        minutes = op.ttl if op.ttl is not None else (self.ttl_config or {}).get("default_ttl")
        paths = self._fields if op.index is None else (op.index or [])
        texts = [text for path in paths for text in _texts(value, path)]
        searched = "\n".join(text for text in texts if text.strip())
        kept = {
            "namespace": list(op.namespace), "key": op.key, "value": value, "ttl": minutes,
            "searched": bool(searched),
        }  # fmt: skip
        return {
            "content": searched or op.key,
            "key": key,
            "source": SOURCE,
            "tags": [_tag(op.namespace[:depth]) for depth in range(1, len(op.namespace) + 1)],
            "metadata": {SOURCE: kept},
            "expires_at": now() + timedelta(minutes=minutes) if minutes else None,
        }

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        found = await (self._answering(op, op.query) if op.query else self._newest(op))
        as_put = await self._as_put([memory for memory, _ in found])
        found = [(as_put[memory.id], score) for memory, score in found if memory.id in as_put]
        wanted = [pair for pair in found if matches(_kept(pair[0])["value"], op.filter)]
        wanted = wanted[op.offset : op.offset + op.limit]
        await self._renew([memory for memory, _ in wanted], op.refresh_ttl)
        return [_search_item(memory, score) for memory, score in wanted]

    async def _answering(self, op: SearchOp, query: str) -> list[tuple[Memory, float | None]]:
        core, space = await self._calls.space.inside.here()
        request = RecallRequest(
            query=query[: core.settings.limits.query_chars],
            limit=DEEPEST if op.filter else min(op.offset + op.limit, DEEPEST),
            layers=[Layer.MEMORY],
            sources=[SOURCE],
            tags=_tags(op.namespace_prefix),
            recency="neutral",
            include_global=False,
        )
        found = await recall_for(core, space, request, await core.options.of(space), now())
        hits = [(hit.record, hit.score) for hit in found.hits]
        ours = [(one, score) for one, score in hits if isinstance(one, Memory) and _is_ours(one)]
        return [(one, score) for one, score in ours if _kept(one)["searched"]]

    async def _newest(self, op: SearchOp) -> list[tuple[Memory, float | None]]:
        most = None if op.filter else op.offset + op.limit
        return [(memory, None) for memory in await self._all(op.namespace_prefix, most)]

    async def _all(self, prefix: Sequence[str], most: int | None = None) -> list[Memory]:
        """The items under a namespace, newest first."""
        found: list[Memory] = []
        offset = 0
        while most is None or len(found) < most:
            size = _PAGE if most is None else min(most - len(found), _PAGE)
            page = await self._calls.space.list(
                sources=[SOURCE], tags=_tags(prefix), limit=size, offset=offset
            )
            found += filter(_is_ours, page)
            offset += len(page)
            if len(page) < size:
                break
        return found

    async def _as_put(self, found: Sequence[Memory]) -> dict[str, Memory]:
        """Memories with nothing in them masked: values are a program's own, which may write them back."""
        core, space = await self._calls.space.inside.here()
        exact = await core.driver.read(memories.by_ids, space.id, [memory.id for memory in found])
        return dict(exact)

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        exact = await self._as_put(await self._all(()))
        there = {tuple(_kept(memory)["namespace"]) for memory in exact.values()}
        conditions = op.match_conditions or ()
        chosen = {one for one in there if all(_is_meant(one, condition) for condition in conditions)}
        return sorted({one[: op.max_depth] for one in chosen})[op.offset : op.offset + op.limit]

    async def _renew(self, found: Sequence[Memory], wanted: bool) -> None:
        """Let items live on that were read, unless they were renewed a moment ago."""
        for memory in found if wanted else ():
            minutes = _kept(memory)["ttl"]
            ends = now() + timedelta(minutes=minutes) if minutes else None
            if ends and (memory.expires_at or ends) < ends - timedelta(minutes=minutes * _RENEWED):
                await self._calls.space.update(memory.id, expires_at=ends)


def _key(namespace: Sequence[str], key: str) -> str:
    """The key of an item among all memories; one that is too long is refused there."""
    return f"{SOURCE} {json.dumps([*namespace, key], ensure_ascii=False)}"


def _tag(namespace: Sequence[str]) -> str:
    return json.dumps(list(namespace), ensure_ascii=False)


def _tags(prefix: Sequence[str]) -> list[str] | None:
    return [_tag(prefix)] if prefix else None


def _texts(value: Any, path: str) -> list[str]:
    if path == "$":
        return list(_leaves(value))
    found: list[str] = get_text_at_path(value, path)
    return found


def _leaves(value: Any, name: str = "") -> Iterable[str]:
    """A value as lines, which embed better than brackets and quotes."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _leaves(inside, str(key))
    elif isinstance(value, list):
        for inside in value:
            yield from _leaves(inside, name)
    elif value is not None:
        yield f"{name}: {value}" if name else str(value)


def _kept(memory: Memory) -> Json:
    kept: Json = memory.metadata[SOURCE]
    return kept


def _is_ours(memory: Memory) -> bool:
    kept = memory.metadata.get(SOURCE)
    return memory.source == SOURCE and isinstance(kept, dict) and kept.keys() >= _FIELDS


def _holds(memory: Memory, at: datetime) -> bool:
    return memory.expires_at is None or memory.expires_at > at


def _fields_of(memory: Memory) -> Json:
    kept = _kept(memory)
    return {
        "namespace": tuple(kept["namespace"]), "key": kept["key"], "value": kept["value"],
        "created_at": memory.created_at, "updated_at": memory.updated_at,
    }  # fmt: skip


def _item(memory: Memory) -> Item:
    return Item(**_fields_of(memory))


def _search_item(memory: Memory, score: float | None) -> SearchItem:
    return SearchItem(**_fields_of(memory), score=score)


def _is_meant(namespace: Sequence[str], condition: MatchCondition) -> bool:
    path: Sequence[str] = condition.path
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", there) for wanted, there in zip(path, part, strict=True))
