"""The words that some texts turn on. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from bethink.text.fold import HAN, KANA
from bethink.text.stopwords import COMMON_HAN
from bethink.text.terms import analyse

MOST_KEYWORDS = 12
_WORD = re.compile(rf"[^\W\d_{HAN}{KANA}][^\W_{HAN}{KANA}]{{2,}}(?:['’-][^\W_{HAN}{KANA}]+)*+")
_HAN = re.compile(f"[{HAN}]+")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_JAPANESE = re.compile(
    f"[{HAN}]{{2,6}}|[\u30a1-\u30fa\u30fc]{{2,}}"
)  # between its grammar, which is in hiragana
_CAPITAL = re.compile(r"(?<=[^\W\d_] )[^\W\d_a-zà-ÿа-я][^\W\d_]{2,}")  # not the first word of a sentence
_GRAMS = (4, 3, 2)  # characters of a Chinese word


def keywords(texts: Iterable[tuple[str, Set[str]]]) -> list[str]:
    """The words that texts turn on, as they are written: those of most texts first, then names.

    Each text comes with its telling terms.
    """
    written: dict[str, Counter[str]] = {}
    held: Counter[str] = Counter()
    names: set[str] = set()
    unspaced: list[str] = []
    for text, terms in texts:
        names.update(_CAPITAL.findall(text))
        seen = dict.fromkeys(_spaced(text, terms))
        if _HIRAGANA.search(text):
            seen |= dict.fromkeys((word, word) for word in _JAPANESE.findall(text))
        elif _HAN.search(text):
            unspaced.append(text)
        held.update({term for term, _ in seen})
        for term, word in seen:
            written.setdefault(term, Counter())[word] += 1
    words = {term: forms.most_common(1)[0][0] for term, forms in written.items()}
    best = sorted(
        held,
        key=lambda term: (
            -held[term],
            not (words[term] in names or any(map(str.isdigit, term))),
            -len(term),
            term,
        ),
    )
    found = [words[term] for term in best]
    return list(dict.fromkeys([*_chinese(unspaced), *found]))[:MOST_KEYWORDS]


def _spaced(text: str, wanted: Set[str]) -> Iterator[tuple[str, str]]:
    """The telling words of a script with spaces, each with its term."""
    for word in _WORD.findall(text):
        for term in analyse(word):
            if term in wanted:
                yield term, word


def _chinese(texts: Sequence[str]) -> list[str]:
    """Pieces that come up in several texts: no spaces tell where a word ends."""
    held: Counter[str] = Counter()
    for text in texts:
        held.update({gram for run in _HAN.findall(text) for gram in _grams(run)})
    found: list[str] = []
    for gram, count in sorted(held.items(), key=lambda one: (-len(one[0]), -one[1], one[0])):
        if count > 1 and not any(gram in longer and held[longer] == count for longer in found):
            found.append(gram)
    return sorted(found, key=lambda gram: (-held[gram], -len(gram), gram))


def _grams(run: str) -> Iterator[str]:
    for length in _GRAMS:
        for start in range(len(run) - length + 1):
            gram = run[start : start + length]
            if COMMON_HAN.isdisjoint(gram):
                yield gram
