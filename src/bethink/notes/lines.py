"""Finds the lines that hold a text, whatever its case. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from bethink.text.fold import normalized

LONGEST_LINE = 300  # characters of a line that are shown
BEFORE = 80  # of them before the first match


def folded(text: str) -> str:
    """A text with no difference of case, or of the ways in which accents are written.

    >>> folded("ÉLAN") in folded("un élan")
    True
    """
    text = normalized("NFC", text)
    low = text.lower()
    if len(low) != len(text):  # few letters become two; a place must stay the same place
        low = "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
    return low.replace("ς", "σ")


def matching(lines: list[str], wanted: str) -> Iterator[tuple[int, str, list[tuple[int, int]]]]:
    """The number of each line that holds a folded text, from 1, what is shown of it, and where it is in that.

    >>> list(matching(["Tea", "Anna drinks tea"], folded("TEA")))
    [(1, 'Tea', [(0, 3)]), (2, 'Anna drinks tea', [(12, 15)])]
    """
    for number, line in enumerate(lines, 1):
        spans = list(_spans(folded(line), wanted))
        if not spans:
            continue
        line = normalized("NFC", line)
        start = (
            0 if len(line) <= LONGEST_LINE else max(min(spans[0][0] - BEFORE, len(line) - LONGEST_LINE), 0)
        )
        shown = line[start : start + LONGEST_LINE]
        marks = [(a - start, b - start) for a, b in spans if start <= a and b <= start + len(shown)]
        yield number, shown, marks


def _spans(line: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where a line holds a text, one after the other. A search by regular expression would not be linear."""
    place = line.find(wanted)
    while place >= 0:
        yield place, place + len(wanted)
        place = line.find(wanted, place + len(wanted))
