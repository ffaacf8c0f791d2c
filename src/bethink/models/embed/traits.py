"""What is known of models by their names: which languages they read, and how near is near enough. Pure.

All spaces of a database share one model, so it is chosen by all their texts together. Two texts that mean the
same have a cosine of 0.95 with one model and of 0.6 with another: settings speak a common scale, and a model
that was measured has the cosines of its own that mean the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

from bethink.settings.sections import SimilaritySettings
from bethink.text.language import Spoken, is_foreign, language_told

MULTILINGUAL = "multilingual"  # the source
INSTALL = "pip install 'bethink[multilingual]'"
LEAST = 12  # texts in a language that can be told, before anything follows from them
TAKE, LEAVE = 0.4, 0.15  # part of them not English from which the model is taken, and under which it is left

# By the names that sources give their models.
_ENGLISH_ONLY = re.compile(
    r"\bbge-(small|base|large)-en|\ball-minilm|\bpotion-(base|retrieval)|\bnomic-embed-text(?!-v2)|\be5-\w+-v2"
    r"|\bgte-(small|base|large)\b"
)
_MANY_LANGUAGES = re.compile(r"multilingual|\bbge-m3|\btext-embedding-3|\bnomic-embed-text-v2")

# How a query and a model go together: it is English, or nothing is known; it is not, and the model reads it;
# it is not, and the model does not.
Reading = Literal["usual", "foreign", "unread"]


@dataclass(frozen=True, slots=True)
class Texts:
    """What texts a database holds, as far as it matters to the choice of a model."""

    spoken: Spoken = field(default_factory=Spoken)
    multilingual: bool = False  # whether their vectors are that model's already

    @property
    def suit(self) -> bool:
        """Whether they want a model that reads more than English.

        The model is left only when far fewer do than it was taken for, so that it does not change to and fro.
        """
        return self.spoken.told >= LEAST and self.spoken.share >= (LEAVE if self.multilingual else TAKE)


@lru_cache(maxsize=64)
def languages_read(model: str) -> Literal["English", "many"] | None:
    """What a model reads; None where its name does not tell."""
    if _ENGLISH_ONLY.search(model.lower()):
        return "English"
    return "many" if _MANY_LANGUAGES.search(model.lower()) else None


def reads_english_only(model: str) -> bool:
    """Whether a model is known to read no other language."""
    return languages_read(model) == "English"


def reading(model: str, query: str, spoken: Spoken) -> Reading:
    """How a query and a model go together; a query that tells no language is taken to be like the texts."""
    read = languages_read(model)
    if read is None:
        return "usual"
    language = language_told(query)
    if language is None and spoken.told >= LEAST and spoken.share > 0.5:
        language = spoken.language
    if not is_foreign(language):
        return "usual"
    return "unread" if read == "English" else "foreign"


def advice(model: str | None, named: str, installed: bool, texts: Texts) -> str | None:
    """What would find more in these texts than the model in use; None where nothing would.

    `named` is the setting `embed.source`.
    """
    if model is None or not reads_english_only(model) or not texts.suit:
        return None
    found = f"{texts.spoken.summary}, and {model} reads English only"
    if not installed:
        wanted = INSTALL if named == "auto" else f"{INSTALL} and embed.source = {MULTILINGUAL!r}"
        return f"{found}: {wanted} finds more"
    return f"{found}: embed.source = {MULTILINGUAL!r} finds more"


Purpose = Literal["recall", "passages", "documents", "facts", "dedupe"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)

_USUAL = SimilaritySettings()
# The common scale: what a memory, a message, a passage of a file, and a fact must reach to answer a query,
# and what two memories must reach to say the same.
COMMON: dict[Purpose, float] = {
    "recall": 0.5,
    "passages": 0.7,
    "documents": 0.7,
    "facts": 1 - _USUAL.facts_distance,
    "dedupe": _USUAL.dedupe,
}

# A pattern of the model's name, then its own cosines, as `bench/similarity.py` measures them on sentences,
# and `bench.documents --floor` on passages of files, which are longer.
_MEASURED: tuple[tuple[str, dict[Purpose, float]], ...] = (
    (
        r"\bbge-small-en-v1\.5",
        {"recall": 0.54, "passages": 0.62, "documents": 0.64, "facts": 0.62, "dedupe": 0.92},
    ),
    (
        r"\bmultilingual-e5-small",
        {"recall": 0.8, "passages": 0.84, "documents": 0.82, "facts": 0.84, "dedupe": 0.98},
    ),
)


def threshold(signature: str, purpose: Purpose, common: float | None = None) -> float:
    """The least cosine that counts for a purpose, by the signature of the vectors.

    `common` is another value of the common scale than the usual one. A model that was not measured is taken
    to keep to the common scale itself.
    """
    wanted = COMMON[purpose] if common is None else common
    own = next((values for pattern, values in _MEASURED if re.search(pattern, signature.lower())), COMMON)
    return _translated(wanted, COMMON[purpose], own[purpose])


@lru_cache(maxsize=64)
def is_measured(signature: str) -> bool:
    """Whether the cosines of a model are known, by the signature of its vectors."""
    return any(re.search(pattern, signature.lower()) for pattern, _ in _MEASURED)


def _translated(wanted: float, usual: float, own: float) -> float:
    """A value of the common scale on a model's: straight lines from -1 to what was measured, and on to 1."""
    if wanted == usual:
        return own
    if wanted < usual:
        return own - (usual - wanted) * (own + 1) / (usual + 1)
    return own + (wanted - usual) * (1 - own) / (1 - usual)
