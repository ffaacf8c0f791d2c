"""Names as people write them, made comparable. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bethink.text.fold import HAN, HANGUL, KANA, SOUTHEAST_ASIAN, fold

_UNSPACED = HAN + KANA + SOUTHEAST_ASIAN
WORD_CHARACTER = rf"[^\W{_UNSPACED}]"  # of a script that sets its words apart
_RUNS_ON = re.compile(f"[{_UNSPACED}]")
_FIRST = re.compile(rf"{WORD_CHARACTER}+(?:['-]{WORD_CHARACTER}+)*")
_FAMILY_FIRST = re.compile(f"[{_UNSPACED}{HANGUL}]")


def bare(name: str) -> str:
    """A name without accents, capitals and spare spaces: two that are alike mean the same."""
    return " ".join(fold(name).casefold().split())


def first_name(name: str) -> str:
    """The first of several words of a bare name; empty where there is only one, or the family comes first."""
    if _FAMILY_FIRST.search(name):
        return ""
    found = _FIRST.match(name)
    return found[0] if found and found[0] != name and len(found[0]) > 1 else ""


def any_of(names: Iterable[str], *, endings: str = "") -> re.Pattern[str]:
    """A pattern for the longest of these bare names that stands by itself, as its script demands.

    With `endings`, a name counts also before one of these letters, which is not part of what is found.
    """
    ordered = sorted(set(names), key=lambda name: (-len(name), name))
    apart = [name for name in ordered if not _RUNS_ON.match(name) and not _RUNS_ON.match(name[-1:])]
    together = [name for name in ordered if name not in apart]
    ending = f"[{endings}]?" if endings else ""
    forms = [f"(?<!{WORD_CHARACTER}){_either(apart)}(?={ending}(?!{WORD_CHARACTER}))"] if apart else []
    return re.compile("|".join([*forms, _either(together)] if together else forms) or "(?!)")


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"
