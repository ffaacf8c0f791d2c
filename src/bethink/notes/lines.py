"""Finds the lines that hold a text, whatever its case. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST_LINE = 300  # characters of a line that are shown
BEFORE = 80  # of them before the first match


def pattern_of(text: str) -> re.Pattern[str]:
    """What finds a text: as it is, but for case and the way in which accents are written.

    >>> bool(pattern_of("ÉLAN").search("un élan"))
    True
    """
    return re.compile(re.escape(unicodedata.normalize("NFC", text)), re.IGNORECASE)


def matching(lines: list[str], wanted: re.Pattern[str]) -> Iterator[tuple[int, str, list[tuple[int, int]]]]:
    """The number of each line that matches, from 1, what is shown of it, and where in that the matches are.

    >>> list(matching(["Tea", "Anna drinks tea"], pattern_of("TEA")))
    [(1, 'Tea', [(0, 3)]), (2, 'Anna drinks tea', [(12, 15)])]
    """
    for number, line in enumerate(lines, 1):
        line = unicodedata.normalize("NFC", line)
        spans = [found.span() for found in wanted.finditer(line)]
        if not spans:
            continue
        start = (
            0 if len(line) <= LONGEST_LINE else max(min(spans[0][0] - BEFORE, len(line) - LONGEST_LINE), 0)
        )
        shown = line[start : start + LONGEST_LINE]
        marks = [(a - start, b - start) for a, b in spans if start <= a and b <= start + len(shown)]
        yield number, shown, marks
