"""Text handed over with a request to work on it: after its colon, below it, above it. Pure.

A request is known by its verb, in any language there is a file for, whatever the language of the text.
Requests that no file foresees are known by what they speak of: a line that ends in a colon, or words such as
"this paragraph" and "the wording".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bethink.extraction.patterns.flatten import Flat, flatten
from bethink.extraction.patterns.handed import Span
from bethink.extraction.patterns.languages import Language, languages
from bethink.extraction.patterns.mask import MASK, hide

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]+|\n+")
_COLON = re.compile(r":(?=\s|$)|：| [-–—](?=\n|$)")
_RULE = re.compile(r"(?:^|\n)([-*=_~])(?:\1| \1){2,}+[ \t]*(?=\n|$)")
_LETTER = re.compile(r"[^\W_]")
_BREAK = re.compile(r"\n")
# A masked piece that is not the inside of quotation marks: a block was handed over.
_BLOCK = re.compile(rf"(?:^|[^\"'“„«‹「『《‘{MASK}\s])[ \n]{{0,3}}{MASK}")
# Requests to translate in languages that have no file of their own.
_TRANSLATE = re.compile(
    r"\b(?:vertaal|översätt|oversæt|oversett|käännä|przetłumacz|přelož|prelož|çevir|fordítsd|traduci|traduceți"
    r"|переведи|переклади|μετάφρασε|μεταφράστε|terjemahkan|dịch|ترجم|תרגם|अनुवाद)|翻訳|訳して|번역|แปล",
    re.IGNORECASE,
)
_HEAD = 300  # characters of a sentence in which a request is looked for


@dataclass(frozen=True, slots=True)
class _Request:
    """A request to work on a text: where it stands, and how it speaks of that text.

    `sure` says that its verb leaves no doubt that there is a text. `points` says that it speaks of a text
    near by. `colon` is where the text begins after a colon, `direct` where it begins without.
    """

    start: int
    end: int
    sure: bool
    points: bool
    elsewhere: bool
    colon: int | None
    direct: int | None = None


def own(text: str) -> Flat:
    """The text evened out, with all masked that is not the user's own: what was handed over as well."""
    flat = flatten(text)
    return Flat(hide(flat.words, material(flat.words)), flat.shown, flat.places)


def own_text(text: str) -> str:
    """The user's own words, one space for each piece that is not, as far as a text is read at all."""
    return re.sub(rf"{MASK}[{MASK}\s]*", " ", own(text).words)


def material(words: str) -> list[Span]:
    """The pieces of a flat, masked text that were handed over, in order."""
    found = list(sentences_of(words))
    requests = [request for sentence in found if (request := _request(words, *sentence))]
    if rule := _only(_RULE.finditer(words)):
        below = any(request.start > rule.start() for request in requests)
        above = any(request.start < rule.start() for request in requests)
        return [(0, rule.end())] if below and not above else [(rule.start(), len(words))]
    spans: list[Span] = []
    lines = _Lines(words)
    has_block = _BLOCK.search(words) is not None
    for request in requests:
        if spans and request.start < spans[-1][1]:
            continue
        if span := _after(lines, request, has_block):
            spans.append(span)
    if not spans and not has_block and (start := _asked_below(words, requests)) is not None:
        return [(0, start)]
    return spans


def _only(rules: Iterator[re.Match[str]]) -> re.Match[str] | None:
    first, second = next(rules, None), next(rules, None)
    return first if second is None else None


def sentences_of(words: str) -> Iterator[Span]:
    """The sentences and lines of a flat text that hold letters, as places in it."""
    start = 0
    for stop in _END.finditer(words):
        if _LETTER.search(words, start, stop.start()):
            yield start, stop.start()
        start = stop.end()
    if _LETTER.search(words, start):
        yield start, len(words)


def _request(words: str, start: int, end: int) -> _Request | None:
    """The request that a sentence makes: by its verb in any language, else by what it is about."""
    while words[start].isspace():
        start += 1
    head = min(end, start + _HEAD)
    verbs = [
        (verb, language, name == "edit")
        for language in languages().values()
        for name in ("edit", "work")
        if (verb := _verb(words, start, head, language, name))
    ]
    found = [request for one in verbs if (request := _by_verb(words, end, *one))]
    # Verbs of two languages may look alike; the right one also knows what is asked of the text.
    best = max(found, key=lambda request: (request.points, request.sure, request.elsewhere), default=None)
    if best or any(_makes(verb, language) for verb, language, _ in verbs):
        return best
    return _by_object(words, start, end, head)


def _makes(verb: re.Match[str], language: Language) -> bool:
    """Whether it asks for a text that is not there yet."""
    return language.pattern("creates").search(verb[0]) is not None


def _verb(words: str, start: int, head: int, language: Language, name: str) -> re.Match[str] | None:
    """The verb of a request at the start of a sentence, after what may lead in, or after a "could you"."""
    pattern = language.pattern(name)
    lead = language.pattern("lead").match(words, start, head)
    return (
        pattern.match(words, start, head)
        or (pattern.match(words, lead.end(), head) if lead else None)
        or language.pattern(f"asks_{name}").search(words, start, head)
    )


def _by_verb(words: str, end: int, verb: re.Match[str], language: Language, sure: bool) -> _Request | None:
    """What a request asks for by its verb; `sure` says that the verb leaves no doubt."""
    head = min(end, verb.end() + _HEAD)
    colon = _COLON.search(words, verb.end(), min(head + 1, len(words)))
    stop = colon.start() if colon else head
    rest = (words, verb.end(), stop)
    textual = not _makes(verb, language) and language.pattern("textual").search(*rest) is not None
    elsewhere = language.pattern("elsewhere").search(*rest) is not None
    pointing = language.pattern("pointing").search(*rest)
    if not (sure or colon or textual or pointing):
        return None
    bare = language.pattern("bare").match(*rest)
    points = not elsewhere and (textual or pointing is not None or (bare is not None and bare.end() == stop))
    direct = None
    if not colon and not elsewhere and (reach := _reach(bare, pointing)) is not None:
        following = language.pattern("first_person").match(words, reach + 1, end)
        direct = reach if following and words[reach : reach + 1] == " " else None
    return _Request(
        verb.start(), end, sure or textual, points, elsewhere, colon.end() if colon else None, direct
    )


def _reach(*matches: re.Match[str] | None) -> int | None:
    return max((match.end() for match in matches if match and match[0]), default=None)


def _by_object(words: str, start: int, end: int, head: int) -> _Request | None:
    """A request in words that no file foresees: it names a text, or its line ends in a colon."""
    colon = _COLON.search(words, start, min(head + 1, len(words)))
    stop = colon.start() if colon else head
    if _any("explicit", words, start, head, at_start=True):  # to be remembered: the user's own
        return None
    textual, pointing = _any("textual", words, start, stop), _any("pointing", words, start, stop)
    textual = textual or _TRANSLATE.search(words, start, stop)
    if colon and _any("speaks", words, start, stop, at_start=True):  # somebody else does
        return _Request(start, end, True, True, False, colon.end())
    about_me = _any("about_me", words, start, stop)
    at_colon = pointing is not None and pointing.end() == stop
    after = words[end : end + 1]
    if colon:
        ends_line = words[colon.end() : colon.end() + 1] in ("", "\n")
        handed = bool(textual or at_colon) if about_me else bool(textual or pointing or ends_line)
    else:
        handed = textual is not None and not _is_aside(words, start) and after in ("?", "？", "\n")
        handed = handed and not (about_me and after == "\n" and about_me.start() == start)
    return _Request(start, end, True, True, False, colon.end() if colon else None) if handed else None


def _any(name: str, words: str, start: int, stop: int, *, at_start: bool = False) -> re.Match[str] | None:
    """The first of the languages' patterns of a name that is found."""
    for language in languages().values():
        pattern = language.pattern(name)
        find = pattern.match if at_start else pattern.search
        if found := find(words, start, stop):
            return found
    return None


def _after(text: _Lines, request: _Request, has_block: bool) -> Span | None:
    """What a request hands over after it, if it does."""
    words = text.words
    if request.colon is not None:
        line = text.line_end(request.colon)
        if words[request.colon : line].strip():
            is_letter = words[line - 1] in ",，"
            return request.colon, len(words) if is_letter else text.paragraph_end(request.colon)
        return (request.colon, len(words)) if _LETTER.search(words, line) else None
    if has_block:
        return None
    if request.direct is not None:
        return request.direct, text.paragraph_end(request.direct)
    line = text.line_end(request.end)
    if _LETTER.search(words, request.end, line):
        follows = request.points and request.sure and not _is_aside(words, request.end)
        return (request.end, text.paragraph_end(request.end)) if follows else None
    if _LETTER.search(words, line) and not request.elsewhere and not _is_aside(words, line):
        return line, len(words)
    return None


def _asked_below(words: str, requests: Sequence[_Request]) -> int | None:
    """Where the last request begins that is about the text above it, and above which there is some."""
    for request in reversed(requests):
        if request.sure and request.points and _LETTER.search(words, 0, request.start):
            return request.start
    return None


def _is_aside(words: str, start: int) -> bool:
    """Whether what begins here is the user's own after all: thanks, or "by the way"."""
    first = _LETTER.search(words, start)
    return first is not None and any(
        language.pattern("aside").match(words, first.start()) for language in languages().values()
    )


class _Lines:
    """A flat text, and where its lines and paragraphs end."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._lines = [found.start() for found in _BREAK.finditer(words)]
        self._paragraphs = [place for place in self._lines if words.startswith("\n\n", place)]

    def line_end(self, place: int) -> int:
        return self._next(self._lines, place)

    def paragraph_end(self, place: int) -> int:
        return self._next(self._paragraphs, place)

    def _next(self, ends: list[int], place: int) -> int:
        index = bisect_left(ends, place)
        return ends[index] if index < len(ends) else len(self.words)
