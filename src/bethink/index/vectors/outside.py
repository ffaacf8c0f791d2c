"""Vector stores beside the database: which there are, and how the settings choose and open one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bethink.contracts import VectorIndex
from bethink.errors import BethinkError, SettingsError
from bethink.index.vectors import ground_name
from bethink.settings import VECTOR_PLUGINS, Settings
from bethink.store.queries import Dialect

_log = logging.getLogger(__name__)
Open = Callable[[Settings, str], VectorIndex]
"""Makes an index from the settings and the id of the database, whose vectors are apart from all others'."""


class Store(NamedTuple):
    """A kind of vector store that Bethink itself knows."""

    package: str  # without which it does not work; an extra of its own has it
    quantises: bool
    open: Open
    place: Callable[[str], dict[str, Any]] = lambda _reader: {}  # the settings that a reader's name tells


def _sqlite_vec(settings: Settings, _database: str) -> VectorIndex:
    from bethink.index.vectors.sqlite_vec import SqliteVectors

    return SqliteVectors(vector_file(settings), quantisation=settings.vectors.quantisation)


def _qdrant(settings: Settings, database: str) -> VectorIndex:
    from bethink.index.vectors.qdrant import QdrantVectors, connect

    return QdrantVectors(connect(settings.vectors), settings.vectors, database)


def _chroma(settings: Settings, database: str) -> VectorIndex:
    from bethink.index.vectors.chroma import ChromaVectors

    return ChromaVectors(settings.vectors, database)


def _file_place(reader: str) -> dict[str, Any]:
    _, _, place = reader.partition(":")
    path, _, quantisation = place.rpartition(":")
    return {"path": path, "quantisation": quantisation}


def _server_place(reader: str) -> dict[str, Any]:
    _, _, place = reader.partition(":")
    place, _, quantisation = place.rpartition(":")
    return _address(place) | {"quantisation": quantisation}


def _chroma_place(reader: str) -> dict[str, Any]:
    _, _, place = reader.partition(":")
    folder, _, collection = place.rpartition("/")
    return {"path": folder, "collection": collection} if "/" in folder else _address(place)


def _address(place: str) -> dict[str, Any]:
    server, _, collection = place.rpartition("/")
    host, _, port = server.rpartition(":")
    return {"host": host, "port": int(port), "collection": collection}


STORES = {
    "sqlite-vec": Store("sqlite_vec", True, _sqlite_vec, _file_place),
    "qdrant": Store("qdrant_client", True, _qdrant, _server_place),
    "chroma": Store("chromadb", False, _chroma, _chroma_place),
}


def store_name(settings: Settings, dialect: Dialect) -> str:
    """Where the settings have vectors searched, on this database; raises when that can never work."""
    wanted, ground = settings.index.vector_store, ground_name(dialect)
    if wanted in ("auto", ground):
        return ground
    if wanted in ("embedded", "pgvector"):
        raise _wrong(
            f"{wanted!r} does not work with this database; use 'auto', {ground!r}, or a store beside it."
        )
    if wanted in STORES:
        store = STORES[wanted]
        if find_spec(store.package) is None:
            raise _wrong(f"{wanted!r} is not installed: pip install 'bethink[{wanted}]'.")
        if settings.vectors.quantisation != "none" and not store.quantises:
            raise SettingsError(
                f"vectors.quantisation: {wanted!r} has none; leave it at 'none'.",
                field="vectors.quantisation",
            )
    return wanted


def open_store(settings: Settings, database: str) -> VectorIndex:
    """The store beside the database that the settings ask for."""
    name = settings.index.vector_store
    return STORES[name].open(settings, database) if name in STORES else _plugin(name)(settings, database)


def reopen_store(settings: Settings, database: str, reader: str) -> VectorIndex | None:
    """The store that the database knows by this name from before; None when it cannot be told any more."""
    name = reader.partition(":")[0]
    place = STORES[name].place(reader) if name in STORES else {}
    try:
        values = {"index": {"vector_store": name}, "vectors": place}
        index = open_store(settings.with_overrides(values), database)
    except BethinkError as error:
        _log.warning("The vector store %s, used before, cannot be opened: %s", name, error.message)
        return None
    return index if index.reader == reader else None


def vector_file(settings: Settings) -> str:
    """The file of sqlite-vec: beside an SQLite file, in the home for another database."""
    if settings.vectors.path:
        return str(settings.vectors.path)
    scheme, separator, rest = settings.database_url.partition("://")
    path = rest if separator else settings.database_url
    if scheme in ("postgresql", "postgres") and separator:
        parts = urlsplit(settings.database_url)
        place = f"{parts.hostname}:{parts.port}{parts.path}"
        return str(settings.home / f"vectors-{sha256(place.encode()).hexdigest()[:12]}.db")
    return path if path == ":memory:" else f"{Path(path).absolute()}-vectors"


def _plugin(name: str) -> Open:
    from importlib.metadata import entry_points

    (found,) = entry_points(group=VECTOR_PLUGINS, name=name)
    try:
        made: Open = found.load()
    except Exception as error:
        raise _wrong(f"{name!r} could not be loaded: {error!r}.") from error
    return made


def _wrong(why: str) -> SettingsError:
    return SettingsError(f"index.vector_store: {why}", field="index.vector_store")
