"""The model follows the languages of the texts, and what it cannot read is compared by its words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.clock import now
from bethink.core import current_options
from bethink.errors import StoreError
from bethink.index.near import near
from bethink.models.embed.traits import Reading
from bethink.models.weights import MODELS, InPackage
from bethink.recall.rank import weights
from bethink.settings import RecallSettings
from bethink.store import languages
from tests import opened
from tests.opened import Home, WatchedEmbedder, texts

home = opened.home

GERMAN = [
    "Wir sind letzte Woche nach Augsburg gezogen.", "Der Hund heißt Bello und ist drei Jahre alt.",
    "Meine Schwester arbeitet bei der Bahn.", "Ich darf keine Erdnüsse essen.",
    "Am Dienstag gehe ich immer schwimmen.", "Das Auto ist in der Werkstatt.",
    "Oma hat im Juni Geburtstag.", "Der Schlüssel liegt unter dem blauen Topf.",
    "Ich trinke morgens nur Tee.", "Die Katze schläft auf dem Sofa.",
    "Unser Sohn lernt jetzt Klavier.", "Im Sommer fahren wir nach Italien.",
    "Mein Zahnarzt ist in der Ulmenstraße.", "Der Strom wird am Freitag abgelesen.",
]  # fmt: skip
ENGLISH = [f"The meeting number {number} is on the second floor of the old house" for number in range(100)]
MULTILINGUAL = "multilingual:multilingual-e5-small-q4:384"
PACKAGED = "local:bge-small-en-v1.5-int8:384"
AUTO: dict[str, Any] = {"embed": {"source": "auto"}, "recall": {"tier": "fast"}}


async def remember(memory: AsyncBethink, notes: list[str]) -> None:
    await memory.remember_many([{"content": note} for note in notes])
    await memory.settle()


@pytest.fixture
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_options, "TEXTS_SECONDS", 0.0)


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = InPackage("a-package-that-is-not-there==1", "", extra="multilingual")
    monkeypatch.setitem(MODELS, "multilingual", replace(MODELS["multilingual"], where=elsewhere))


@pytest.mark.usefixtures("looks_at_once")
async def test_auto_goes_over_to_the_multilingual_model_and_makes_all_vectors_anew(database_url: str) -> None:
    async with AsyncBethink(database_url, **AUTO) as memory:
        await remember(memory, ENGLISH[:2])
        assert (await memory.stats()).signature == PACKAGED
        await remember(memory, GERMAN)
        found = await memory.index.status()
        assert (found.embedding.signature, found.awaiting_vectors) == (MULTILINGUAL, 0)
        assert found.embedding.reason == "the texts here are mostly German"
        result = await memory.recall("Worauf bin ich allergisch?", limit=3)
        assert "Ich darf keine Erdnüsse essen." in texts(result)
        assert result.degraded == []


async def test_what_it_opens_with_is_decided_by_the_texts_and_does_not_go_to_and_fro(
    database_url: str,
) -> None:
    async with AsyncBethink(database_url, **AUTO) as memory:
        await remember(memory, GERMAN)
        assert (await memory.stats()).signature == PACKAGED, "there was no text when it was opened"
    async with AsyncBethink(database_url, **AUTO) as memory:
        assert (await memory.stats()).signature == MULTILINGUAL
        await memory.reindex()
        await remember(memory, ENGLISH[:30])  # under a third are German now
    async with AsyncBethink(database_url, **AUTO) as memory:
        assert (await memory.stats()).signature == MULTILINGUAL
        await remember(memory, ENGLISH[30:])
    async with AsyncBethink(database_url, **AUTO) as memory:
        assert (await memory.stats()).signature == PACKAGED


@pytest.mark.usefixtures("not_installed", "looks_at_once")
async def test_without_the_package_the_status_says_what_would_find_more(database_url: str) -> None:
    async with AsyncBethink(database_url, **AUTO) as memory:
        await remember(memory, GERMAN)
        found = await memory.index.status()
        assert found.embedding.signature == PACKAGED
        assert found.embedding.advice is not None
        assert "mostly German" in found.embedding.advice
        assert "pip install 'bethink[multilingual]'" in found.embedding.advice
        assert found.degraded == [], "it works as it should"


async def test_an_embedder_that_was_given_is_not_replaced(database_url: str) -> None:
    async with AsyncBethink(database_url, embedder=WatchedEmbedder(), **AUTO) as memory:
        await remember(memory, GERMAN)
    async with AsyncBethink(database_url, embedder=WatchedEmbedder(), **AUTO) as memory:
        assert (await memory.stats()).signature == "testing:hash:64"


@pytest.mark.parametrize(
    ("late", "reading", "expected"),
    [
        (False, "usual", (1.5, 1.0, 0.0)),
        (False, "foreign", (1.5, 2.0, 0.0)),
        (False, "unread", (1.5, 0.33, 0.0)),
        (True, "usual", (1.0, 0.5, 1.0)),
        (True, "foreign", (1.0, 1.0, 1.0)),
        (True, "unread", (1.0, 0.165, 1.0)),
    ],
)
def test_vectors_weigh_by_who_reads_the_query(
    late: bool, reading: Reading, expected: tuple[float, float, float]
) -> None:
    assert weights(RecallSettings(), reading, late=late, documents=False) == pytest.approx(expected)
    terms, *others = weights(RecallSettings(), reading, late=late, documents=True)
    assert [terms, *others] == pytest.approx([expected[0] / 2, *expected[1:]])


async def test_a_query_that_the_model_cannot_read_is_answered_by_its_words(home: Home) -> None:
    """The same vectors under two names: the English model's count less, and no cosine cuts them."""
    most = {}
    for model in ("bge-small-en-v1.5", "hash"):
        async with home.memory(WatchedEmbedder(model=model), space=f"{home.space}-{model}") as memory:
            await remember(memory, GERMAN)
            result = await memory.recall("wohin sind wir gezogen?", limit=len(GERMAN))
            assert result.hits[0].text == GERMAN[0]
            most[model] = max(hit.fused for hit in result.hits if hit.terms is None)
            strict = await memory.recall("wohin sind wir gezogen?", limit=3, min_similarity=0.99)
            assert any(hit.vector is not None for hit in strict.hits) == (model != "hash")
    assert most["bge-small-en-v1.5"] < most["hash"]


async def test_memories_that_the_model_cannot_read_are_not_taken_for_the_same(home: Home) -> None:
    """Of the packaged model's vectors these two have a cosine of 0.94, and 0.92 means the same."""
    known, new = "Anna ist gegen Nüsse allergisch.", "Anna ist gegen Katzen allergisch."
    for model, compared in (("bge-small-en-v1.5", False), ("hash", True)):
        async with home.memory(WatchedEmbedder(model=model), space=f"{home.space}-{model}") as memory:
            await remember(memory, [known])
            core, space = await memory.inside.here()
            found = await near(core.driver, core.index, space, [new], now())
            ((memory_found, cosine),) = found.memories[0]
            assert memory_found.content == known
            assert (cosine is not None) == compared
            assert (found.vectors[0] is not None) == compared


async def test_an_audit_does_not_go_by_vectors_of_what_the_model_cannot_read(home: Home) -> None:
    """The two are near by their vectors, which are made of letters here."""
    for model, kinds in (("bge-small-en-v1.5", []), ("hash", ["near-duplicate"])):
        async with home.memory(WatchedEmbedder(model=model), space=f"{home.space}-{model}") as memory:
            await remember(
                memory, ["Ich mag lange Wege am Meer bei Nacht", "Ich mag lange Wege am Meer bei der Nacht"]
            )
            found = await memory.audit()
            assert [one.kind for one in found.found] == kinds
            assert any("does not read their language" in note for note in found.notes) == (kinds == [])


async def test_a_database_whose_texts_cannot_be_read_is_opened_all_the_same(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise StoreError("The database is damaged.")

    async with home.memory() as memory:
        await remember(memory, GERMAN[:1])
    monkeypatch.setattr(languages, "newest", damaged)
    async with home.memory() as memory:
        assert texts(await memory.recall("Augsburg")) == GERMAN[:1]
