"""Messages as the model reads them: the end of the turn before, then the message, window by window. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BEFORE = 40  # tokens of the turn before
WINDOW = 224  # tokens of the message in one window
OVERLAP = 48  # of which so many were read in the window before, to be understood by
MOST = 8  # windows of one message; of a longer one, the beginning and the end are read
_AT_END = 2


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids, 0 or 1 for the turn before or the message, and which tokens of the message are answered."""

    ids: list[int]
    types: list[int]
    first: int  # the place in `ids` of the first token that is answered
    start: int  # its number in the message
    end: int  # the number after the last one


def windows(
    before: Sequence[int], message: Sequence[int], cls: int, sep: int, most: int = BEFORE
) -> Iterator[Window]:
    """The windows in which a message is read; each of its tokens is answered in one at most.

    `most` is how many tokens of what stands before it are read.
    """
    head = list(before[-most:])
    starts = list(range(0, max(len(message), 1), WINDOW - OVERLAP))
    if len(starts) > 1 and starts[-1] + OVERLAP >= len(message):
        starts.pop()  # all of it was read
    for number, start in enumerate(starts):
        if MOST - _AT_END <= number < len(starts) - _AT_END:
            continue
        known = OVERLAP if number else 0
        body = list(message[start : start + WINDOW])
        ids = [cls, *head, sep, *body, sep]
        types = [0] * (len(head) + 2) + [1] * (len(body) + 1)
        yield Window(ids, types, len(head) + 2 + known, start + known, start + len(body))
