"""Whether what stands around a statement speaks of a text, which the statement may then be part of. Pure.

"What is the tone here? I moved to Porto." may be a text that was handed over, in a shape that nobody foresaw.
Nothing is masked for that, but who somebody is known to be does not change by it.
"""

from __future__ import annotations

import re

from bethink.extraction.patterns.languages import language_for, languages
from bethink.extraction.patterns.material import own, sentences_of

_COLON = re.compile(r"[:：](?=[ \n]|[^\x00-\x7f]|$)|：")
_MARKS = re.compile(
    r"[-=]+>|<[-=]+|\|\||(?<![:/])//(?!/)|(?:^|\n)(?:[A-Za-z][.)] |[-*=_~]{3,}[ \t]*(?:\n|$))"
)
_ASKS = re.compile(r"[!.]*[?？]")
_WORDS = re.compile(r"\w+")
_HEADING_WORDS = 3  # a line of so few, that ends in nothing and greets nobody, is a heading


def speak_of_a_text(text: str, value: str) -> bool:
    """Whether the words of a message around those that say a value speak of a text, or give it a label."""
    if _MARKS.search(text):
        return True
    words = own(text).words
    found = [(end - len(words[start:end].lstrip()), end) for start, end in sentences_of(words)]
    places = [_place(words, value, start, end) for start, end in found]
    first = next((place for place, at in enumerate(places) if at >= 0), None)
    if first is not None and _any("aside", words, *found[first], at_start=True):  # "By the way, I moved"
        return False
    return any(
        _leads_up_of_a_text(words, start, at)
        if at >= 0
        else _is_of_a_text(words, start, end, before=place < (first or 0))
        for place, ((start, end), at) in enumerate(zip(found, places, strict=True))
    )


def _place(words: str, value: str, start: int, end: int) -> int:
    """Where a sentence says a value; -1 where it does not."""
    return words.casefold().find(value.casefold(), start, end)


def _leads_up_of_a_text(words: str, start: int, end: int) -> bool:
    """Whether what leads up to the statement, in its own sentence, speaks of a text or is a label."""
    labels = list(_COLON.finditer(words, start, end))
    if labels and _is_label(words, start, labels[-1].end()):
        return True
    told = language_for(words)
    says = told.pattern("says_of_me").search(words, start, end) if told else None
    stop = start + len(words[start : says.start()].rstrip()) if says else start
    return _any("of_text", words, start, stop) or _any("reported", words, start, stop)


def _is_of_a_text(words: str, start: int, end: int, *, before: bool) -> bool:
    """Whether another sentence of the message speaks of a text, or asks about one."""
    if _any("explicit", words, start, end, at_start=True):
        return False
    pointing = _any("pointing", words, start, end)
    if _any("of_text", words, start, end):
        return before or pointing or not _creates(words, start, end)
    if words[end : end + 1] in ("\n", ""):
        if words[start:end].rstrip().endswith((":", "：")):
            return _is_label(words, start, end)
        if len(_WORDS.findall(words, start, end)) <= _HEADING_WORDS and not _is_own(words, start, end):
            return True
    asks = _ASKS.match(words, end) or any(
        _any(name, words, start, end, at_start=True) for name in ("question", "request")
    )
    mine = _any("first_person", words, start, end)
    return bool(asks) and not mine and (pointing or _any("somebody", words, start, end))


def _is_label(words: str, start: int, end: int) -> bool:
    """Whether what ends in a colon says what follows, but for labels of one's own such as "Update:"."""
    if _any("explicit", words, start, end, at_start=True):  # "Remember this:"
        return False
    speaks = _any("pointing", words, start, end) or _any("of_text", words, start, end)
    return speaks or not _is_own(words, start, end)


def _is_own(words: str, start: int, end: int) -> bool:
    """Whether some words greet, thank or lead over to what is one's own."""
    if _any("about_me", words, start, end):
        return True
    if any(_any(name, words, start, end, at_start=True) for name in ("aside", "explicit")):
        return True
    leads = (language.pattern("lead").match(words, start, end) for language in languages().values())
    return any(lead is not None and not _WORDS.search(words, lead.end(), end) for lead in leads)


def _creates(words: str, start: int, end: int) -> bool:
    """Whether a text is asked for that is not there yet."""
    return any(
        language.pattern("creates").search(words[start : found.end()])
        for language in languages().values()
        for name in ("edit", "work")
        if (found := language.pattern(name).match(words, start, end))
    )


def _any(name: str, words: str, start: int, end: int, *, at_start: bool = False) -> bool:
    """Whether a pattern of any language is found, and more than nothing by it."""
    patterns = (language.pattern(name) for language in languages().values())
    found = ((one.match if at_start else one.search)(words, start, end) for one in patterns)
    return any(one is not None and one[0] for one in found)
