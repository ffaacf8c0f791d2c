"""Where the units of a message begin and end, by what the model says of its tokens. Pure."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]

BEGINS = 0.4  # chance from which on a unit begins in the middle of a line
BEGINS_ANEW = 0.1  # after the end of a sentence or a line
_STOPS = frozenset(".!?…。！？；\n")
_CLOSING = " \t\r\"'”’»)]」』）"


def cut(text: str, offsets: Sequence[Span], begins: Sequence[float]) -> list[Span]:
    """Units as ranges of tokens. `offsets` says where in the text each token stands."""
    if not offsets:
        return []
    starts = [0]
    for number in range(1, len(offsets)):
        place = _first(text, offsets[number])
        if begins[number] >= _needed(text, place):
            starts.append(number)
    ends = [*starts[1:], len(offsets)]
    return [
        (start, end)
        for start, end in zip(starts, ends, strict=True)
        if any(map(str.isalnum, text[offsets[start][0] : offsets[end - 1][1]]))
    ]


def place_of(text: str, offsets: Sequence[Span], unit: Span) -> Span:
    """Where in the text a unit stands, without the white space around it."""
    start, end = offsets[unit[0]][0], offsets[unit[1] - 1][1]
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _first(text: str, token: Span) -> int:
    """Where the letters of a token begin: some tokens begin with the space before them."""
    start, end = token
    while start < end - 1 and text[start].isspace():
        start += 1
    return start


def _needed(text: str, place: int) -> float:
    """The chance that a beginning at this place needs; more than any in the middle of a word."""
    before = place - 1
    while before >= 0 and text[before] in _CLOSING:
        before -= 1
    if before >= 0 and text[before] in _STOPS:
        return BEGINS_ANEW
    inside = 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
    return 2.0 if inside and text[place].isascii() else BEGINS
