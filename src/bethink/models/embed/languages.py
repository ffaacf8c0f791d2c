"""Which models read which languages, and which of the packaged ones the texts of a database need. Pure.

All spaces of a database share one model, so it is chosen by all their texts together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

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


def reads_english_only(model: str) -> bool:
    """Whether a model is known to read no other language."""
    return _ENGLISH_ONLY.search(model.lower()) is not None


def reading(model: str, query: str, spoken: Spoken) -> Reading:
    """How a query and a model go together; a query that tells no language is taken to be like the texts."""
    english_only = reads_english_only(model)
    if not english_only and not _MANY_LANGUAGES.search(model.lower()):
        return "usual"
    language = language_told(query)
    if language is None and spoken.told >= LEAST and spoken.share > 0.5:
        language = spoken.language
    if not is_foreign(language):
        return "usual"
    return "unread" if english_only else "foreign"


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
