"""Stable keys: the same statement gives the same key, different ones never share one. Pure."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

from bethink.extraction.patterns.found import Category
from bethink.text.fold import normalized

LONGEST_SLUG = 100

# A dot inside a number and the signs that end C++ and C# tell things apart; other punctuation does not.
_KEPT = re.compile(r"(?<=\d)[.,](?=\d)|(?<=[^\W_])[+#]+|[%&@°€$£¥]")
_BETWEEN = re.compile(r"_+")
_DIGEST_BYTES = 5

# Attributes somebody can have several of, so that each value is kept beside the others.
_SEVERAL_VALUES = frozenset(
    {"allergy", "intolerance", "health", "role", "family", "studies", "status", "owns", "work",
     "goal", "skill", "fear"}
)  # fmt: skip
# Relations of whom there can be several: the name of one does not replace the name of another.
_SEVERAL_PEOPLE = frozenset(
    {"daughter", "son", "child", "sister", "brother", "friend", "colleague", "cat", "dog", "pet", "cousin",
     "aunt", "uncle", "grandchild", "neighbour", "bird", "horse", "rabbit"}
)  # fmt: skip


def slug(text: str) -> str:
    """The text in one case and without punctuation, in any script; never empty, never cut without a mark."""
    folded = " ".join(normalized("NFKC", normalized("NFKC", text).casefold()).split())
    kept = {place for found in _KEPT.finditer(folded) for place in range(*found.span())}
    characters = [
        character
        if place in kept or unicodedata.category(character)[0] in "LMN" or _is_picture(character)
        else "_"
        for place, character in enumerate(folded)
    ]
    words = _BETWEEN.sub("_", "".join(characters)).strip("_")
    if words and len(words) <= LONGEST_SLUG:
        return words
    digest = blake2b(folded.encode(errors="replace"), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{words[:LONGEST_SLUG].strip('_')}_{digest}" if words else digest


def key_of(category: Category, subject: str | None, attribute: str | None, value: str) -> str:
    """The key of a statement: by its attribute where it has one, else by what it is about."""
    if attribute is None:
        parts = [subject, value]
    elif attribute in _SEVERAL_VALUES or (attribute == "name" and subject in _SEVERAL_PEOPLE):
        parts = [subject, attribute, value]
    else:
        parts = [subject, attribute]
    return ":".join([category.value, *(slug(part) for part in parts if part)])


def _is_picture(character: str) -> bool:
    return unicodedata.category(character) == "So"
