"""Which language a text is in, told by its script and its common words; and what some texts are mostly in.

Cheap rather than exact: what matters is whether a model that reads English only can read it. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bethink.text.fold import HAN, HANGUL, KANA, fold
from bethink.text.stopwords import ENGLISH
from bethink.text.terms import is_common, language_of

OTHER = "another language"  # one that is not English, and has no name here
_SAMPLE = 500  # characters that tell a language
_ENOUGH = 6  # words that would have some of the common ones of English among them
_ENGLISH_SHARE = 0.2  # of common words, from which it is English
_FOREIGN_SHARE = 0.15  # of them, under which it is not

_LATIN = re.compile("[A-Za-zÀ-ɏḀ-ỿ]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_BY_SCRIPT = (
    (re.compile(f"[{KANA}]"), "Japanese"),  # before Chinese, whose characters it has too
    (re.compile(f"[{HANGUL}]"), "Korean"),
    (re.compile(f"[{HAN}]"), "Chinese"),
    (re.compile("[\u0370-\u03ff]"), "Greek"),
)
_HAN_WEIGHT = 3  # Latin letters that say as much as one Chinese character
_HAN = _BY_SCRIPT[2][0]


def language_told(text: str) -> str | None:
    """The language of a text, such as "German"; `OTHER` for one without a name here, None if nothing tells.

    Example: "Wo wohne ich jetzt?" is German; "Lisbon?" may be anything.
    """
    sample = text[:_SAMPLE]
    letters, latin = _LETTER.findall(sample), len(_LATIN.findall(sample))
    if len(letters) - latin + (_HAN_WEIGHT - 1) * len(_HAN.findall(sample)) > latin:
        return next((name for script, name in _BY_SCRIPT if script.search(sample)), OTHER)
    words = [word.lower() for word in _WORD.findall(fold(sample))]
    if (guess := language_of(words)) != ENGLISH:
        return guess.capitalize()
    english = sum(is_common(word, ENGLISH) for word in words)
    if english and english >= _ENGLISH_SHARE * len(words):
        return "English"
    return OTHER if len(words) >= _ENOUGH and english < _FOREIGN_SHARE * len(words) else None


def is_foreign(language: str | None) -> bool:
    """Whether a language is told, and is not English."""
    return language not in (None, "English")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What some texts are in: how many had a language that could be told, how many of those were not English,
    and the commonest of the other languages.
    """

    told: int = 0
    foreign: int = 0
    language: str = OTHER

    @classmethod
    def of(cls, texts: Iterable[str]) -> Spoken:
        """The languages of some texts."""
        counts = Counter(language for text in texts if (language := language_told(text)))
        told = counts.total()
        english = counts.pop("English", 0)
        named = next((language for language, _ in counts.most_common() if language != OTHER), OTHER)
        most = named if counts[named] * 2 > told - english else OTHER
        return cls(told, told - english, most)

    @property
    def share(self) -> float:
        """The part that is not English."""
        return self.foreign / self.told if self.told else 0.0

    @property
    def summary(self) -> str:
        """What they are in, for people to read."""
        if self.share < 0.5:
            return f"{self.share:.0%} of the texts here are not English"
        return f"the texts here are mostly {'not English' if self.language == OTHER else self.language}"
