"""A text with its white space evened out, and the way back to the places in the original. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bethink.extraction.patterns.mask import mask, tail

_SPACES = re.compile(r"\s+")
_SAME_LENGTH = str.maketrans({"’": "'", "ʼ": "'", "´": "'", "`": "'"})
_UNFINISHED = re.compile(r"[\w,)]")
_WRAPPED_LINE = 50  # a line this long that ends in mid-sentence goes on in the next


@dataclass(frozen=True, slots=True)
class Flat:
    """`words` is what rules read (masked), `shown` what is stored: equally long, one space between words.

    A line break is one newline, a blank line is two. `places[i]` is where character i stands in the original.
    """

    words: str
    shown: str
    places: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a non-empty piece stands in the original text."""
        return self.places[start], self.places[end - 1] + 1


def flatten(text: str) -> Flat:
    """The end of the text that is read at all, masked and evened out."""
    offset = tail(text)
    shown = text[offset:]
    words = mask(shown).translate(_SAME_LENGTH)
    flat_words: list[str] = []
    flat_shown: list[str] = []
    places: list[int] = []
    place = 0
    for run in _SPACES.finditer(shown):
        start, end = run.span()
        between = _evened(words, start, end)
        flat_words += words[place:start], between
        flat_shown += shown[place:start], between
        places += range(offset + place, offset + start)
        places += [offset + start] * len(between)
        place = end
    flat_words.append(words[place:])
    flat_shown.append(shown[place:])
    places += range(offset + place, offset + len(shown))
    return Flat("".join(flat_words), "".join(flat_shown), places)


def _evened(words: str, start: int, end: int) -> str:
    """What stands for a run of white space."""
    breaks = words.count("\n", start, end)
    if not breaks:
        return " "
    if breaks > 1:
        return "\n\n"
    line = words.rfind("\n", max(0, start - _WRAPPED_LINE), start)
    long = line < 0 and start >= _WRAPPED_LINE
    goes_on = end < len(words) and words[end].islower() and start > 0 and _UNFINISHED.match(words[start - 1])
    return " " if long and goes_on else "\n"
