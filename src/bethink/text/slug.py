"""Stable keys from words: the same however they are cased, spaced and punctuated, in any script. Pure."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

from bethink.text.fold import normalized

LONGEST_SLUG = 100

# A dot inside a number and the signs that end C++ and C# tell things apart; other punctuation does not.
_KEPT = re.compile(r"(?<=\d)[.,](?=\d)|(?<=[^\W_])[+#]+|[%&@°€$£¥]")
_BETWEEN = re.compile(r"_+")
_DIGEST_BYTES = 5


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


def _is_picture(character: str) -> bool:
    return unicodedata.category(character) == "So"
