"""The part of a passage that answers best, with the words of the query marked. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from bethink.text.terms import analyse

LENGTH = 300  # characters of a snippet
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_START = re.compile(r"(?:^|(?<=[.!?。！？]\s)|(?<=[。！？])|(?<=\n)|(?<=\s))(?=\S)")
_WIDE = 0x2E80  # from here on scripts are written without spaces, or each sign counts as a word


def snippet(text: str, terms: Collection[str], length: int = LENGTH) -> tuple[str, list[tuple[int, int]]]:
    """At most so many characters around the words that match, and where these are in them."""
    spans = matches(text, terms)
    start = _best_start(text, spans, length)
    cut = text[start : start + length]
    if start + length < len(text) and " " in cut[length // 2 :]:
        cut = cut[: cut.rindex(" ")]
    cut = cut.rstrip()
    marks = [
        (first - start, last - start) for first, last in spans if start <= first and last <= start + len(cut)
    ]
    return cut, marks


def matches(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Where the words of a text are that have one of these terms, in order; neighbours are one."""
    wanted = set(terms)
    spans: list[tuple[int, int]] = []
    for found in _WORD.finditer(text):
        word = found.group()
        if ord(word[0]) >= _WIDE:
            pairs = range(found.start(), max(found.end() - 1, found.start() + 1))
            hits = [
                (at, min(at + 2, found.end()))
                for at in pairs
                if wanted.issuperset(analyse(text[at : at + 2]))
            ]
        else:
            hits = [found.span()] if not wanted.isdisjoint(analyse(word)) else []
        for first, last in hits:
            if spans and first < spans[-1][1]:
                spans[-1] = (spans[-1][0], last)
            else:
                spans.append((first, last))
    return spans


def _best_start(text: str, spans: list[tuple[int, int]], length: int) -> int:
    """Where to begin so that most matches are shown; at a sentence or at least at a word."""
    if not spans or len(text) <= length:
        return 0
    room = length * 2 // 3
    counts = _kinds(text, spans, room)
    best = max(zip(counts, spans, strict=True), key=lambda one: (one[0], -one[1][0]))[1][0]
    earliest = max(best - length // 3, 0)
    starts = [found.start() for found in _START.finditer(text, earliest, best + 1)]
    return starts[0] if starts else best


def _kinds(text: str, spans: list[tuple[int, int]], room: int) -> list[int]:
    """How many different words match in the room that begins with each match."""
    words = [text[first:last].casefold() for first, last in spans]
    there: Counter[str] = Counter()
    counts, end = [], 0
    for place, (start, _) in enumerate(spans):
        while end < len(spans) and spans[end][0] < start + room:
            there[words[end]] += 1
            end += 1
        counts.append(len(there))
        there[words[place]] -= 1
        if not there[words[place]]:
            del there[words[place]]
    return counts
