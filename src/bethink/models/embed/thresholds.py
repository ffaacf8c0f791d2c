"""How near is near enough? Said once for every purpose, and translated for each model. Pure.

Two texts that mean the same have a cosine of 0.95 with one model and of 0.6 with another. So settings speak
a common scale, and a model that was measured has the cosines of its own that mean the same.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from bethink.models.embed.protocol import Embedder, signature
from bethink.settings.sections import SimilaritySettings

Purpose = Literal["recall", "passages", "facts", "dedupe"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)

_USUAL = SimilaritySettings()
# The common scale: what a memory, a passage or message, and a fact must reach to answer a query, and what
# two memories must reach to say the same.
COMMON: dict[Purpose, float] = {
    "recall": 0.5,
    "passages": 0.7,
    "facts": 1 - _USUAL.facts_distance,
    "dedupe": _USUAL.dedupe,
}

# A pattern of the model's name, then its own cosines, as `bench/similarity.py` measures them.
_MEASURED: tuple[tuple[str, dict[Purpose, float]], ...] = (
    (r"\bbge-small-en-v1\.5", {"recall": 0.54, "passages": 0.62, "facts": 0.62, "dedupe": 0.92}),
    (r"\bmultilingual-e5-small", {"recall": 0.8, "passages": 0.84, "facts": 0.84, "dedupe": 0.98}),
)


def threshold(model: Embedder | str, purpose: Purpose, common: float | None = None) -> float:
    """The least cosine that counts for a purpose, with an embedder or the signature of its vectors.

    `common` is another value of the common scale than the usual one. A model that was not measured is taken
    to keep to the common scale itself.
    """
    name = model if isinstance(model, str) else signature(model)
    wanted = COMMON[purpose] if common is None else common
    own = next((values for pattern, values in _MEASURED if re.search(pattern, name.lower())), COMMON)
    return _translated(wanted, COMMON[purpose], own[purpose])


def is_measured(model: Embedder | str) -> bool:
    """Whether a model's own cosines are known."""
    name = model if isinstance(model, str) else signature(model)
    return any(re.search(pattern, name.lower()) for pattern, _ in _MEASURED)


def _translated(wanted: float, usual: float, own: float) -> float:
    """A value of the common scale on a model's: straight lines from -1 to what was measured, and on to 1."""
    if wanted == usual:
        return own
    if wanted < usual:
        return own - (usual - wanted) * (own + 1) / (usual + 1)
    return own + (wanted - usual) * (1 - own) / (1 - usual)
