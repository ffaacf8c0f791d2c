"""Whether a memory about to be stored says what another one says already. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bethink.extraction.patterns import extract
from bethink.records import Memory
from bethink.shapes.inputs import MemoryDraft
from bethink.text.fold import HAN, KANA, fold

SHORTEST = 10  # characters; anything might hold a shorter text
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_BETWEEN = re.compile("[^\\w\u2600-\u27bf\U0001f000-\U0001faff]+")
_UNSPACED = re.compile(f"[{HAN}{KANA}]")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The memory that says the same; `says_less` when the new words hold all of its own and more."""

    memory: Memory
    reason: str
    says_less: bool = False


@dataclass(frozen=True, slots=True)
class Drafted:
    """A memory to store, and the one that says the same, if there is one."""

    draft: MemoryDraft
    duplicate: Duplicate | None = None


def find_twin(
    draft: MemoryDraft, candidates: Iterable[tuple[Memory, float | None]], least: float
) -> Duplicate | None:
    """The first candidate that says the same of the same person; their cosine must reach `least`."""
    for memory, cosine in candidates:
        if (memory.person_id, memory.title) != (draft.person_id, draft.title):
            continue
        if duplicate := compare(draft.content, memory, cosine, least):
            return duplicate
    return None


def compare(text: str, memory: Memory, cosine: float | None, least: float) -> Duplicate | None:
    """How a memory says what a text says, if it does."""
    ours, theirs = plain(text), plain(memory.content)
    if ours == theirs:
        return Duplicate(memory, "the same words are known")
    less, more = _holds(theirs, ours), _holds(ours, theirs)
    is_near = cosine is not None and cosine >= least
    if not (less or more or is_near) or _negated(text) != _negated(memory.content):
        return None  # for and against: no cosine tells them apart
    if less:
        return Duplicate(memory, "it is part of what is known")
    if more:
        return Duplicate(memory, "it says more of what is known", says_less=True)
    if differ(text, memory.content):
        return None
    return Duplicate(memory, f"it says what is known in other words (similarity {cosine:.2f})")


def stands_in(draft: MemoryDraft, text: str, cosine: float, least: float) -> bool:
    """Whether a text that conversations are given says it already; `cosine` is that of its nearest piece."""
    ours, theirs = plain(draft.content), plain(text)
    return _holds(theirs, ours) or _holds(ours, theirs) or cosine >= least


def differ(one: str, other: str) -> str | None:
    """What sets two texts apart that a model takes for the same: for or against, a number, the order."""
    if _negated(one) != _negated(other):
        return "one is for what the other is against"
    if _numbers(one) != _numbers(other):
        return "they differ in a number"
    ours, theirs = plain(one).split(), plain(other).split()
    turned = ours != theirs and sorted(ours) == sorted(theirs)
    return "they say the same words the other way round" if turned else None


def plain(text: str) -> str:
    """The words and pictures alone, in one case and without accents."""
    return " ".join(_BETWEEN.sub(" ", fold(text).lower()).split())


def _holds(whole: str, part: str) -> bool:
    edge = "" if _UNSPACED.search(part) else " "
    return len(part) >= SHORTEST and f"{edge}{part}{edge}" in f"{edge}{whole}{edge}"


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _negated(text: str) -> bool:
    return any(found.negated for found in extract(text))
