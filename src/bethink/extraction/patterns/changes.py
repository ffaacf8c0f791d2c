"""Whether users say something of themselves as a change, by the cues of their language. Pure."""

from __future__ import annotations

import re

from bethink.extraction.patterns.languages import language_for, languages
from bethink.extraction.patterns.material import own
from bethink.extraction.patterns.sentences import Sentence, sentences


def change_cue(text: str, value: str, kind: str) -> str | None:
    """The words of a message that say a value as a change; None where it is only mentioned.

    Looks at the sentences that hold the value, and for an event that changes this kind of thing ("we broke
    up") at all that the user says. Where no sentence holds the value, a model put it into its own words, and
    every sentence counts.
    """
    words = own(text).words
    every = languages()
    told = language_for(words)
    # A short text may not tell its language; the words for an event are seldom those of another language.
    asked = [told] if told else [*every.values()]
    found = list(sentences(words, asked[0]))
    wanted = _plain(value)
    holding = [one for one in found if wanted in _plain(words[one.start : one.end])] or found
    patterns = [language.pattern("change") for language in asked]
    events = [language.pattern(f"change_{kind}") for language in every.values()]
    return _cue(words, holding, patterns) or _cue(words, found, events)


def says_change(words: str, slot: str) -> bool:
    """Whether words say that something of this slot changed: "I moved", "he swapped me to insulin"."""
    told = language_for(words)
    asked = [told] if told else list(languages().values())
    named = f"change_{_AS.get(slot, slot)}"
    return any(language.pattern(named).search(words) for language in asked)


_AS = {"role": "employer", "relationship": "partner"}


def is_said(text: str, value: str) -> bool:
    """Whether users say a value themselves in a message."""
    return _plain(value) in _plain(own(text).words)


def _cue(words: str, looked_at: list[Sentence], patterns: list[re.Pattern[str]]) -> str | None:
    for sentence in looked_at:
        for pattern in patterns:
            if cue := pattern.search(words, sentence.start, sentence.end):
                return " ".join(cue[0].strip(" ,，").split())
    return None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
