"""How many tokens a model will make of a text, near enough for a budget and without a tokenizer."""

from __future__ import annotations

import math
import re

from bethink.text.fold import HAN, HANGUL, KANA, SOUTHEAST_ASIAN

LATIN_PER_TOKEN = 4
OTHER_PER_TOKEN = 2

_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff\u2000-\u206f]+")
# About a token each: characters of the unspaced scripts, with their punctuation, and pictographs.
_PICTOGRAPHS = "\u2600-\u27bf\U0001f000-\U0001faff"
_WIDE = re.compile(f"[{HAN}{KANA}{SOUTHEAST_ASIAN}{HANGUL}\u3000-\u303f\uff00-\uffef{_PICTOGRAPHS}]+")


def estimate(text: str) -> int:
    """About a quarter of the length of Latin text, half of other alphabets, all of Chinese and the like.

    Rounded up, so only the empty text has no tokens.
    """
    if text.isascii():
        return math.ceil(len(text) / LATIN_PER_TOKEN)
    beyond_latin = _LATIN.sub("", text)
    other = len(_WIDE.sub("", beyond_latin))
    latin, wide = len(text) - len(beyond_latin), len(beyond_latin) - other
    return math.ceil(latin / LATIN_PER_TOKEN + other / OTHER_PER_TOKEN + wide)
