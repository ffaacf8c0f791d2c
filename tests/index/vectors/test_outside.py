"""Which vector store is used, by the settings, and what each says that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.errors import SettingsError
from bethink.index.vectors import outside
from bethink.index.vectors.outside import store_name, vector_file
from bethink.settings import Settings
from bethink.store.queries import Dialect
from bethink.testing import HashEmbedder


def wanted(store: str, **vectors: object) -> Settings:
    return Settings.checked({"index": {"vector_store": store}, "vectors": vectors})


@pytest.mark.parametrize(
    ("store", "dialect", "name"),
    [
        ("auto", "sqlite", "embedded"),
        ("auto", "postgres", "pgvector"),
        ("pgvector", "postgres", "pgvector"),
        ("sqlite-vec", "sqlite", "sqlite-vec"),
        ("sqlite-vec", "postgres", "sqlite-vec"),
    ],
)
def test_the_store_suits_the_database(store: str, dialect: Dialect, name: str) -> None:
    assert store_name(wanted(store), dialect) == name


@pytest.mark.parametrize(("store", "dialect"), [("pgvector", "sqlite"), ("embedded", "postgres")])
def test_one_that_does_not_suit_the_database_is_refused(store: str, dialect: Dialect) -> None:
    with pytest.raises(SettingsError, match=r"index\.vector_store: .* does not work") as caught:
        store_name(wanted(store), dialect)
    assert caught.value.field == "index.vector_store"


def test_one_that_nobody_has_is_refused() -> None:
    with pytest.raises(
        SettingsError, match=r"'faiss' is no vector store; known are auto, embedded, sqlite-vec"
    ):
        wanted("faiss")


def test_one_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"pip install 'bethink\[sqlite-vec\]'"):
        store_name(wanted("sqlite-vec"), "sqlite")


def test_the_file_of_vectors_is_beside_the_database(tmp_path: Path) -> None:
    at = tmp_path / "memory.db"
    assert vector_file(Settings.checked({"url": str(at)})) == f"{at}-vectors"
    assert vector_file(Settings.checked({"url": ":memory:"})) == ":memory:"
    two = [
        vector_file(Settings.checked({"home": tmp_path, "url": f"postgresql://me:secret@host/{name}"}))
        for name in ("one", "two")
    ]
    assert len(set(two)) == 2
    assert all(Path(path).parent == tmp_path and "secret" not in path for path in two)
    assert vector_file(Settings.checked({"vectors": {"path": at}})) == str(at)


async def test_the_quantisation_changes_while_it_is_used(tmp_path: Path) -> None:
    """The coarse copies lie in the same file, and the old ones go without the new ones."""
    settings: dict[str, Any] = {"index": {"vector_store": "sqlite-vec"}}
    async with AsyncBethink(str(tmp_path / "memory.db"), embedder=HashEmbedder(64), **settings) as memory:
        notes = [f"The spare key number {number} is in the shed" for number in range(9)]
        await memory.remember_many([{"content": note} for note in notes])
        await memory.settle()
        for quantisation in ("int8", "binary", "none"):
            await memory.vectors.update(quantisation=quantisation)
            await memory.settle()
            found = await memory.vectors.search("spare key number 7", top_k=9)
            assert (len(found.hits), found.hits[0].text) == (9, notes[7])
            store = (await memory.index.status()).vector_store
            assert (store.answering, store.quantisation) == ("sqlite-vec", quantisation)
            assert [one.state for one in store.stores] == ["ready"], "the one of before is gone"
