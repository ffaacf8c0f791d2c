"""Embeddings by this server's own model, in OpenAI's shape."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.gateway.refusals import Refused
from bethink.gateway.weave import JsonText
from bethink.settings.upstreams import OWN_PROVIDER
from bethink.text.terms import estimate

MOST = 2048  # texts in a request, as OpenAI has it


def texts_of(posted: JsonText, dimensions: int) -> list[str]:
    """The texts to embed; `Refused` for what this server cannot do."""
    given, length = posted.value("input"), posted.value("dimensions")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise Refused(400, "input: must be a text or a list of texts; this server's model takes no tokens.")
    if len(texts) > MOST:
        raise Refused(400, f"input: {len(texts):,} texts are over the limit of {MOST:,}.")
    if length not in (None, dimensions):
        raise Refused(400, f"dimensions: this server's model has {dimensions}; leave it out.")
    return texts


def embeddings(posted: JsonText, texts: Sequence[str], rows: NDArray[np.float32], model: str) -> Any:
    """The answer."""
    packed = posted.value("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": number, "embedding": _packed(row) if packed else row.tolist()}
        for number, row in enumerate(rows)
    ]
    tokens = sum(estimate(text) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": f"{OWN_PROVIDER}/{model}", "usage": usage}


def _packed(row: NDArray[np.float32]) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()
