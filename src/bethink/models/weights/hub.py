"""Files of models on the Hugging Face hub; asked for only where `embed.allow_download` is on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partialmethod
from importlib import import_module
from pathlib import Path
from typing import Any

from bethink.errors import ModelError
from bethink.models.weights.digests import check_kept

_ANSWER_SECONDS = 10


def fetch_files(model: str, wanted: Sequence[Sequence[str]], *, download: bool = True) -> list[Path | None]:
    """For each of `wanted`, the first of its names that the model has, or None.

    What was fetched before is taken from the hub's own cache with no network call. The last of `wanted`
    is fetched last, so when that is in the cache, so is everything there is. Each file is checked against
    the digest that the hub gave for it.
    """
    # The hub's own variables, read now: the library reads them once, when it is imported.
    endpoint, cache = os.environ.get("HF_ENDPOINT"), os.environ.get("HF_HUB_CACHE")
    files = [_first_kept(model, names, cache) for names in wanted]
    if files[-1] is None and download:
        files = _fetched(model, wanted, endpoint, cache)
    for file in files:
        if file is not None:
            check_kept(file, model)
    return files


def _fetched(
    model: str, wanted: Sequence[Sequence[str]], endpoint: str | None, cache: str | None
) -> list[Path | None]:
    try:
        return [_first_fetched(model, names, endpoint, cache) for names in wanted]
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise ModelError(
            f"The weights of {model} could not be fetched from the Hugging Face hub ({reason}). Check the"
            " network and embed.model, or put the files in a folder and set embed.path.",
            field="embed.model",
        ) from error


def _first_kept(model: str, names: Sequence[str], cache: str | None) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    found = (try_to_load_from_cache(model, name, cache_dir=cache) for name in names)
    return next((Path(path) for path in found if isinstance(path, str)), None)


def _first_fetched(model: str, names: Sequence[str], endpoint: str | None, cache: str | None) -> Path | None:
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError

    for name in names:
        try:
            # Asked first because the download itself retries for half a minute and writes to stderr
            # when the hub is out of reach.
            url = hf_hub_url(model, name, endpoint=endpoint)
            get_hf_file_metadata(url, timeout=_ANSWER_SECONDS, endpoint=endpoint)
        except EntryNotFoundError:
            continue
        fetched = hf_hub_download(
            model, name, endpoint=endpoint, cache_dir=cache, tqdm_class=_silent_progress()
        )
        return Path(fetched)
    return None


def _silent_progress() -> Any:
    """A progress bar that draws nothing: a library does not write to its user's terminal."""
    bar = import_module("tqdm.auto").tqdm
    return type("SilentProgress", (bar,), {"__init__": partialmethod(bar.__init__, disable=True)})
