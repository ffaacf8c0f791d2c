"""Regular expressions over long texts, piece by piece. Pure.

While an expression is at work no other thread is, nor the event loop: one search through a million characters
would keep every other request waiting. Between two pieces the others have their turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

PIECE = 16_384  # characters in which a match may begin
AHEAD = 4_096  # characters after them that a match may reach before it is looked at as a whole


def each(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What `pattern.finditer(text)` finds, if the pattern finds nothing empty."""
    place = 0
    while place < len(text):
        border = place + PIECE
        end = min(border + AHEAD, len(text))
        following = border
        for found in pattern.finditer(text, place, end):
            if found.start() >= border:
                break
            if found.end() < end or end == len(text):
                yield found
                following = max(border, found.end())
                continue
            whole = pattern.match(text, found.start())  # it may go on, or not be one at all
            if whole:
                yield whole
            following = whole.end() if whole else found.start() + 1
            break
        place = following
