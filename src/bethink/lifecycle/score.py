"""What a message is worth keeping, from 0 to 1. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from bethink.records import Message
from bethink.text.language import language_told

RECENCY, ACCESS, IMPORTANCE, MEDIA, PINNED = 0.35, 0.30, 0.25, 0.10, 0.3
WITH_MEDIA, WITHOUT_MEDIA = 0.7, 0.25
FADES = timedelta(days=180)  # until age counts for nothing
ENOUGH_HITS = 4  # keywords that make a message as important as can be
_ANY = "English"  # whose keywords count in every language, where it has none of its own


def clamp01(value: float) -> float:
    return min(1.0, max(0.0, value))


def recency(age: timedelta) -> float:
    return clamp01(1 - age / FADES)


def access(count: int) -> float:
    return clamp01(math.log1p(max(count, 0)) / math.log(10))


def inferred_importance(text: str, keywords: Mapping[str, Sequence[str]]) -> float:
    """By how many of the words that mark what matters occur in it, in the language of the text."""
    language = language_told(text) or _ANY
    words = keywords.get(language.lower()) or keywords.get(_ANY.lower(), ())
    return clamp01(sum(1 for pattern in _patterns(tuple(words)) if pattern.search(text)) / ENOUGH_HITS)


def score(message: Message, now: datetime, keywords: Mapping[str, Sequence[str]]) -> float:
    """How much a message deserves to stay as it is."""
    importance = max(message.importance, inferred_importance(message.content, keywords))
    return clamp01(
        RECENCY * recency(now - message.sent_at)
        + ACCESS * access(message.access_count)
        + IMPORTANCE * importance
        + MEDIA * (WITH_MEDIA if message.attachments else WITHOUT_MEDIA)
        + (PINNED if message.pinned else 0.0)
    )


@lru_cache(maxsize=64)
def _patterns(words: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Each keyword where it begins a word, so that "deadlines" counts too; in Chinese anywhere."""
    return tuple(
        re.compile((r"(?<!\w)" if word[:1].isascii() else "") + re.escape(word), re.IGNORECASE)
        for word in words
    )
