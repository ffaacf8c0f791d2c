from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bethink.errors import ModelError, ModelMissing
from bethink.models.embed.local import LocalEmbedder, open_local
from bethink.models.weights import Weights, from_hub
from bethink.settings import Settings
from tests.models.embed.hosts import running_hub, unused_port


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("own_cache")
async def test_weights_are_fetched_once_when_that_is_allowed(
    packaged: Weights,
    local: LocalEmbedder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    pooling = tmp_path / "pooling.json"
    pooling.write_text('{"pooling_mode_cls_token": true}')
    files = {
        "onnx/model.onnx": packaged.onnx,
        "tokenizer.json": packaged.tokenizer,
        "1_Pooling/config.json": pooling,
    }
    settings = Settings.load(embed={"source": "local", "model": "owner/model", "allow_download": True})
    with running_hub(files) as (url, asked):
        monkeypatch.setenv("HF_ENDPOINT", url)
        embedder = await open_local(settings)
        after_first = len(asked)
        again = await open_local(settings)
        assert len(asked) == after_first > 0
    ours, theirs = [await each.embed(["tea"], "document") for each in (local, embedder)]
    assert np.array_equal(ours, theirs)
    await embedder.close()
    await again.close()
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


@pytest.mark.usefixtures("own_cache")
def test_a_model_without_onnx_weights_is_named(packaged: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_hub({"tokenizer.json": packaged.tokenizer}) as (url, _):
        monkeypatch.setenv("HF_ENDPOINT", url)
        with pytest.raises(ModelMissing, match="owner/model has no ONNX model"):
            from_hub("owner/model")


@pytest.mark.usefixtures("own_cache")
def test_a_hub_out_of_reach_is_a_model_error_with_the_ways_out(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused_port()}")
    with pytest.raises(ModelError, match="could not be fetched") as caught:
        from_hub("owner/model")
    assert "embed.path" in caught.value.message
    assert capfd.readouterr().err == ""
