"""The extractors that are chosen by name."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.extraction.extractors.contract import Extractor, IsSmall, never_small
from bethink.extraction.extractors.facts import FactsExtractor
from bethink.extraction.extractors.one_fact import OneFactExtractor
from bethink.extraction.extractors.stale import StaleExtractor
from bethink.extraction.templates import Templates
from bethink.models.chat import Chat
from bethink.models.worth import Worth
from bethink.settings.sections import ExtractionSettings

_KINDS = (FactsExtractor, OneFactExtractor, StaleExtractor)
NAMES: tuple[str, ...] = tuple(kind.name for kind in _KINDS)


def extractors_for(
    names: Sequence[str],
    chat: Chat,
    settings: ExtractionSettings,
    templates: Templates,
    *,
    worth: Worth | None = None,
    is_small: IsSmall = never_small,
) -> list[Extractor]:
    """The extractors of these names that ask a chat model, in their own order; others are not ours."""
    return [
        kind(chat, settings, templates, worth=worth, is_small=is_small)
        for kind in _KINDS
        if kind.name in names
    ]
