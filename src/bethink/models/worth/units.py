"""Where the units of a message begin and end, by what the model says of its tokens. Pure."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]

BEGINS = 0.5  # chance from which on a unit begins in the middle of a line
BEGINS_AFTER_PAUSE = 0.2  # after a comma and its like
BEGINS_ANEW = 0.1  # after the end of a sentence or a line
_PAUSES = frozenset(",;:–—，；：、")
_STOPS = frozenset(".!?…。！？；\n")
_CLOSING = " \t\r\"'”’»)]」』）"


def cut(text: str, offsets: Sequence[Span], begins: Sequence[float]) -> list[Span]:
    """Units as ranges of tokens. `offsets` says where in the text each token stands."""
    if not offsets:
        return []
    starts, last = [0], _Last(text)
    for number in range(1, len(offsets)):
        place = _first(text, offsets[number])
        if begins[number] >= _needed(text, place, last.before(place)):
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


class _Last:
    """The last character before a place that closes nothing and is no space, of places in order."""

    def __init__(self, text: str) -> None:
        self._text, self._place, self._found = text, 0, ""

    def before(self, place: int) -> str:
        for character in self._text[self._place : place]:  # each is looked at once, however long a run is
            if character not in _CLOSING:
                self._found = character
        self._place = max(self._place, place)
        return self._found


def _needed(text: str, place: int, last: str) -> float:
    """The chance that a beginning at this place needs; more than any in the middle of a word."""
    if last and last in _STOPS:
        return BEGINS_ANEW
    if last and last in _PAUSES:
        return BEGINS_AFTER_PAUSE
    inside = 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
    return 2.0 if inside and text[place].isascii() else BEGINS
