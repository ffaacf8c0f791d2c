"""Messages as the model reads them: the turn before, then the message, in windows that hold whole units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

BEFORE = 40  # tokens of the turn before
WINDOW = 224  # tokens of the message in one window
OVERLAP = 48  # of which so many may have been read in the window before


@dataclass(frozen=True)
class Window:
    """Token ids, 0 or 1 for the turn before or the message, and where in it each unit stands."""

    ids: list[int]
    types: list[int]
    units: list[int]  # their numbers in the message
    spans: list[tuple[int, int]]


def windows(
    tokenizer: Tokenizer, before: str, text: str, places: Sequence[tuple[int, int]], cls: int, sep: int
) -> list[Window]:
    """The windows in which the units at these places are read."""
    head = tokenizer.encode(before, add_special_tokens=False).ids[-BEFORE:]
    read = tokenizer.encode(text, add_special_tokens=False)
    spans = [_tokens(read.offsets, *place) for place in places]
    made: list[Window] = []
    first = 0
    while first < len(spans):
        start = max(0, spans[first][0] - OVERLAP) if first else 0
        start = max(start, spans[first][1] - WINDOW) if spans[first][1] - start > WINDOW else start
        start = min(start, spans[first][0])
        end = start + WINDOW
        last = first + 1
        while last < len(spans) and spans[last][1] <= end:
            last += 1
        shift = len(head) + 2 - start
        body = read.ids[start:end]
        ids = [cls, *head, sep, *body, sep]
        types = [0] * (len(head) + 2) + [1] * (len(body) + 1)
        inside = [
            (max(low, start) + shift, max(min(high, end), max(low, start) + 1) + shift)
            for low, high in spans[first:last]
        ]
        made.append(Window(ids, types, list(range(first, last)), inside))
        first = last
    return made


def _tokens(offsets: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The tokens that stand between two places of the text; at least one."""
    inside = [number for number, (low, high) in enumerate(offsets) if low < end and high > start]
    if not inside:
        return (0, 1)
    return inside[0], inside[-1] + 1
