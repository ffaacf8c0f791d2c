"""What is looked after in a running server, over HTTP: keys, spaces, options, texts, the index."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Unpack

from bethink.client.http import Http, body_of, segment
from bethink.records import Record
from bethink.shapes.accounts import (
    IssuedKey,
    KeyChange,
    KeyDraft,
    ListedKey,
    ListedSpace,
    SpaceChange,
    SpaceDraft,
)
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.keywords import KeyChanges, KeyFields, OptionChanges, RecallOptions, SpaceChanges
from bethink.shapes.options import OptionsChange, Scope, SpaceOptions
from bethink.shapes.outcomes import CacheStats, FilesSynced, Growth
from bethink.shapes.rights import Receipt
from bethink.shapes.status import (
    EmbeddingSource,
    EngineStatus,
    Health,
    Preview,
    ReindexStarted,
    ReindexStatus,
)


class _Keys(Record):
    items: list[ListedKey]


class _Spaces(Record):
    items: list[ListedSpace]


class _Sources(Record):
    items: list[EmbeddingSource]


class _Content(Record):
    content: str


class _Raw(Record):
    soul: str
    memory: str


class ClientKeys:
    """The keys of a server, for an admin's key."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def create(self, name: str, **fields: Unpack[KeyFields]) -> IssuedKey:
        """Make a key for a space, by default a member's for this one."""
        body = body_of(KeyDraft, {"name": name, **fields})
        if self._http.space is not None:
            body = {"space": self._http.space, **body}
        return await self._http.post("/api/keys", IssuedKey, body)

    async def list(self) -> builtins.list[ListedKey]:
        """Every key, revoked ones too, in the order they were made."""
        return (await self._http.get("/api/keys", _Keys)).items

    async def rename(self, key_id: str, name: str) -> ListedKey:
        """Call a key something else."""
        return await self.update(key_id, name=name)

    async def update(self, key_id: str, **changes: Unpack[KeyChanges]) -> ListedKey:
        """Change what is given of a key."""
        return await self._http.post(_key(key_id), ListedKey, body_of(KeyChange, changes), method="PATCH")

    async def rotate(self, key_id: str) -> IssuedKey:
        """Give a key a new secret; the old one is dead at once."""
        return await self._http.post(f"{_key(key_id)}/rotate", IssuedKey)

    async def revoke(self, key_id: str) -> ListedKey:
        """Make a key useless from now on."""
        return await self._http.post(_key(key_id), ListedKey, method="DELETE")


class ClientSpaces:
    """The spaces of a server, for an admin's key."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def create(self, name: str, *, display_name: str | None = None) -> ListedSpace:
        """Make a space; `Conflict` when there is one of that name."""
        body = body_of(SpaceDraft, {"name": name, "display_name": display_name})
        return await self._http.post("/api/spaces", ListedSpace, body)

    async def list(self) -> builtins.list[ListedSpace]:
        """Every space with how much it holds, in the order they were made."""
        return (await self._http.get("/api/spaces", _Spaces)).items

    async def get(self, name: str) -> ListedSpace:
        """One space with how much it holds."""
        return await self._http.get(_space(name), ListedSpace)

    async def rename(self, space: str, **changes: Unpack[SpaceChanges]) -> ListedSpace:
        """Change what people call a space, or the `name` by which requests mean it."""
        body = body_of(SpaceChange, changes)
        return await self._http.post(_space(space), ListedSpace, body, method="PATCH")

    async def delete(self, space: str, *, confirm: str) -> Receipt:
        """Delete a space and everything in it, for good; `confirm` repeats its name."""
        return await self._http.post(_space(space), Receipt, method="DELETE", confirm=confirm)


class ClientOptions:
    """The options of a space: what is switched and tuned while the server runs."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def get(self) -> SpaceOptions:
        """What holds now, and where it was chosen."""
        return _named(await self._http.get(_OPTIONS, SpaceOptions))

    async def update(self, *, scope: Scope = "space", **changes: Unpack[OptionChanges]) -> SpaceOptions:
        """Change some options, for this space or for the server; the others stay."""
        body = body_of(OptionsChange, changes)
        return _named(await self._http.post(_OPTIONS, SpaceOptions, body, method="PUT", scope=scope))

    async def reset(self, *names: str, scope: Scope = "space") -> SpaceOptions:
        """Take back choices; without names, all."""
        wanted = [*names] or None
        return _named(
            await self._http.post(_OPTIONS, SpaceOptions, method="DELETE", scope=scope, name=wanted)
        )


def _named(options: SpaceOptions) -> SpaceOptions:
    """Options whose choices have the names that Python knows them by."""
    names = {field.alias: name for name, field in SpaceOptions.model_fields.items()}
    chosen = {names.get(name, name): scope for name, scope in options.chosen.items()}
    return options.model_copy(update={"chosen": chosen})


class ClientTexts:
    """The texts of a space: its soul, the narrative, and the files that mirror them."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def soul(self, *, secrets: bool = False) -> str:
        """The owner's own words about how the assistant is to be."""
        return (await self._http.get("/api/soul", _Content, secrets=secrets)).content

    async def set_soul(self, text: str) -> str:
        """Replace the soul."""
        return (await self._http.post("/api/soul", _Content, {"content": text}, method="PUT")).content

    async def narrative(self) -> str:
        """What is remembered about the user as one text."""
        return (await self._http.get("/api/narrative", _Content)).content

    async def set_narrative(self, text: str) -> str:
        """Replace the narrative."""
        return (await self._http.post("/api/narrative", _Content, {"content": text}, method="PUT")).content

    async def memory_file(self) -> str:
        """What MEMORY.md holds: the promoted facts."""
        return (await self._http.get("/api/raw", _Raw)).memory

    async def set_memory_file(self, text: str, *, base: str | None = None) -> FilesSynced:
        """Take in a changed MEMORY.md; `base` is the text that was changed."""
        change = {"memory": text, "base": base}
        return await self._http.post("/api/raw", FilesSynced, change, method="PUT")

    async def folder(self) -> Path | None:
        """None: where the files are is the server's own business."""
        return None

    async def sync(self) -> FilesSynced:
        """Let the server take in edits of its files now."""
        return await self._http.post("/api/raw/sync", FilesSynced)


class ClientIndex:
    """The index of a space: what searches it, and how that is doing."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def status(self) -> EngineStatus:
        """Terms, embedding source and why, vector store, counts, last errors."""
        return await self._http.get("/api/memory/engine-status", EngineStatus)

    async def sources(self) -> list[EmbeddingSource]:
        """Every embedding source, and whether it could be chosen."""
        return (await self._http.get("/api/memory/embedding-providers", _Sources)).items

    async def preview(self, query: str, **options: Unpack[RecallOptions]) -> Preview:
        """What a recall would bring back, with every part of the scores; nothing is counted as used."""
        body = body_of(RecallRequest, {"query": query, **options})
        return await self._http.post("/api/memory/retrieve-preview", Preview, body)

    async def check(self) -> Health:
        """Write something, find it, and delete it."""
        return await self._http.get("/api/memory/health", Health)

    async def cache(self) -> CacheStats:
        """How often what is asked again is answered from memory."""
        told = await self._http.send("GET", "/api/memory", query={"limit": 1})
        return CacheStats.model_validate(told["cacheStats"])

    async def growth(self, *, days: int = 90) -> Growth:
        """How much was added, day by day."""
        return await self._http.get("/api/stats/growth", Growth, days=days)

    async def start_reindex(self, *, force: bool = False) -> ReindexStarted:
        """Make the vectors that are missing, in the background."""
        return await self._http.post("/api/memory/reindex", ReindexStarted, {"force": force})

    async def reindex_status(self) -> ReindexStatus:
        """How far it has come."""
        return await self._http.get("/api/memory/reindex", ReindexStatus)


_OPTIONS = "/api/settings/memory"


def _key(key_id: str) -> str:
    return f"/api/keys/{segment(key_id)}"


def _space(name: str) -> str:
    return f"/api/spaces/{segment(name)}"
