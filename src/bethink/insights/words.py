"""The words that say what texts are about, and how many of them two share. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bethink.records import Message
from bethink.shapes.insights import Insight
from bethink.text.terms import query_terms

STEM, LONG_STEM = 4, 6  # letters of words that are one; of longer ones the beginning counts
_EMPTY = frozenset(
    {"back", "done", "pleas", "today", "tomorrow", "new", "bitt", "neu", "hoy", "hoje"}
)  # say nothing


def speakers_of(messages: Sequence[Message], open_: Sequence[Insight]) -> frozenset[str]:
    """The names of those who speak."""
    spoken = {one.name for one in messages if one.name}
    return frozenset(
        spoken | {str(line["name"]) for one in open_ for line in one.details if line.get("name")}
    )


def names_of(speakers: Iterable[str]) -> frozenset[str]:
    """The words of names: whom something is said to is not what it is about."""
    return frozenset(term for name in speakers for term in query_terms(name))


def terms_of(text: str, names: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words that say what a text is about."""
    return frozenset(query_terms(text, 64)) - names - _EMPTY


def shared(one: frozenset[str], other: frozenset[str]) -> int:
    """How many words two texts share, whatever their endings, and where one is part of the other."""
    words = [word for word in other if _bends(word)]
    lined = "".join(f"\n{word}" for word in words)
    return sum(word in other or (_bends(word) and _is_among(word, words, lined)) for word in one)


def _bends(word: str) -> bool:
    return len(word) >= STEM and word.isalpha()


def _is_among(word: str, words: Sequence[str], lined: str) -> bool:
    """Whether a word is one of those that stand a line each, by its beginning or as a part."""
    return word in lined or f"\n{word[:LONG_STEM]}" in lined or any(part in word for part in words)
