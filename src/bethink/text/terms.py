"""The terms of a text: what keyword search stores and looks for.

One analysis serves documents and queries alike, and it looks at one whitespace-separated chunk at a time, so
a word gives the same terms wherever it stands:

- Case, accents, width and digits of every script are folded. English possessives and clitics go: "Caroline's"
  is "Caroline".
- Words are stemmed by the stemmer of their script; for Latin script that is always the English one, because
  the language of a two-word query cannot be told reliably and a wrong guess would lose the document. Where a
  text is clearly in another Latin-script language, that language's stems are added beside the English ones.
- Identifiers, addresses and compounds give their parts, and the whole with the parts run together.
- Scripts without spaces give overlapping pairs of characters; Chinese characters also stand alone, so that a
  query of one character finds them.
- Each emoji or other pictograph is a term.

Terms hold only ASCII letters and digits and non-ASCII characters, so a full-text index needs no quoting."""

from __future__ import annotations

import math
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Generic, TypeVar

import Stemmer

from bethink.text.fold import FLAG, HAN, HANGUL, KANA, SOUTHEAST_ASIAN, fold
from bethink.text.stopwords import (
    COMMON_HAN,
    ENGLISH,
    HALF_PROOFS,
    IN_OTHER_SCRIPTS,
    LANGUAGES_OF,
    PROOFS,
    WORDS_OF,
)

LATIN_PER_TOKEN = 4
OTHER_PER_TOKEN = 2

_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff\u2000-\u206f]+")
# About a token each: characters of the unspaced scripts, with their punctuation, and pictographs.
_PICTOGRAPHS = "\u2600-\u27bf\U0001f000-\U0001faff"
_WIDE = re.compile(f"[{HAN}{KANA}{SOUTHEAST_ASIAN}{HANGUL}\u3000-\u303f\uff00-\uffef{_PICTOGRAPHS}]+")


def estimate(text: str) -> int:
    """About a quarter of the length of Latin text, half of other alphabets, all of Chinese and the like.

    Rounded up, so only the empty text has no tokens.
    """
    if text.isascii():
        return math.ceil(len(text) / LATIN_PER_TOKEN)
    beyond_latin = _LATIN.sub("", text)
    other = len(_WIDE.sub("", beyond_latin))
    latin, wide = len(text) - len(beyond_latin), len(beyond_latin) - other
    return math.ceil(latin / LATIN_PER_TOKEN + other / OTHER_PER_TOKEN + wide)


LONGEST_TERM = 64

# Stand-ins that let a term keep a punctuation mark that matters; folding never leaves them in a text.
_JOINT = "·"
_STAND_INS = str.maketrans("#@+", "＃＠＋")

_UNSPACED = HAN + KANA + SOUTHEAST_ASIAN

_TOKEN = re.compile(
    r"(?P<identifier>[#@]?[0-9A-Za-z]+(?:(?:://|_+|[-.'/:@?=&#%~+\\])[0-9A-Za-z]+)*(?:\+\+?|\#)?)"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<flag>[{FLAG}]{{1,2}})"
    rf"|(?P<word>[^\x00-\x7f{_UNSPACED}{HANGUL}{FLAG}]+)"
)
_BETWEEN_SEGMENTS = re.compile(r"[/:@?=&#%~+\\]+")
_BETWEEN_PARTS = re.compile(r"[-.'_]+")
_BETWEEN_PARTS_OR_CASES = re.compile(r"[-.'_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_NUMBERED = re.compile(r"([a-z]+)([0-9]+)|([0-9]+)([a-z]+)")
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_CLITIC = re.compile(r"(?<=[0-9A-Za-z])'(?:s|m|re|ve|ll|d)(?![0-9A-Za-z'])", re.IGNORECASE)
_NEGATION = re.compile(r"(?<=n)'(?=t(?![0-9A-Za-z']))", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_HAN_CHARACTER = re.compile(f"[{HAN}]")

# A month, a name and a country that are common words otherwise; a capital inside a query tells them apart.
_NAMES = frozenset({"May", "Will", "US"})
_QUOTES_AND_STOPS = ".,;:!?()\"'"

_STEMMER_OF_SCRIPT = (
    (0x0370, 0x0400, "greek"),
    (0x0400, 0x0530, "russian"),
    (0x0530, 0x0590, "armenian"),
    (0x0600, 0x0700, "arabic"),
    (0x0900, 0x0980, "hindi"),
    (0x0B80, 0x0C00, "tamil"),
)


def forget_words() -> None:
    """Forget the words analysed so far, which are remembered only for speed."""
    _WORDS.clear()
    _STEM.clear()


def analyse(text: str) -> list[str]:
    """The terms of a document, in order and with repeats."""
    words = _words_of_text(text)
    language = language_of(words)
    if language == ENGLISH:
        return list(map(_STEM.__getitem__, words))
    return [term for word in words for term in _stems(word, language)]


def query_terms(text: str, limit: int = 32) -> list[str]:
    """The distinct terms to look for, in order, at most `limit`.

    Common words are left out, unless the query has no others. Without a single word the list is empty.
    """
    words = _words_of_text(text)
    language = language_of(words)
    names = {
        name.lower() for name in (c.strip(_QUOTES_AND_STOPS) for c in text.split()[1:]) if name in _NAMES
    }
    telling = [word for word in words if word in names or not is_common(word, language)]
    terms = list(dict.fromkeys(term for word in telling or words for term in _stems(word, language)))
    if len(terms) > limit:  # single characters say less than the pairs they stand in
        terms = [term for term in terms if not _HAN_CHARACTER.fullmatch(term)] or terms
    return terms[: max(limit, 0)]


def _words_of_text(text: str) -> list[str]:
    return list(chain.from_iterable(map(_WORDS.__getitem__, text.split())))


def _words(chunk: str) -> tuple[str, ...]:
    """The unstemmed words of a chunk that has no white space."""
    if chunk.isascii():
        if chunk.isalpha() and (chunk.islower() or chunk[1:].islower()):
            return (chunk.lower()[:LONGEST_TERM],)
    else:
        chunk = fold(chunk)
    if "'" in chunk:
        chunk = _NEGATION.sub("", _CLITIC.sub("", chunk))
    if "," in chunk:
        chunk = _THOUSANDS.sub("", chunk)
    return tuple(word[:LONGEST_TERM] for token in _TOKEN.finditer(chunk) for word in _words_of_token(token))


def _words_of_token(token: re.Match[str]) -> Iterable[str]:
    text = token.group()
    match token.lastgroup:
        case "identifier":
            return _words_of_identifier(text)
        case "unspaced":
            return _pairs(_clusters(text))
        case "hangul":
            # Particles are glued to nouns: two syllables may be a noun of one and its particle.
            return (text[0], text) if len(text) == 2 else _pairs(text)
        case _:
            return (text,)


def _words_of_identifier(text: str) -> Iterator[str]:
    """Each part, each segment run together, and the whole: "a/getName" as a, get, name, getname, agetname."""
    core = text.strip("#@+")
    segments = [_parts(segment) for segment in _BETWEEN_SEGMENTS.split(core)]
    for parts in segments:
        for part in parts:
            yield from _split_number(part)
        if len(parts) > 1:
            yield _run_together(parts)
    whole = _run_together([part for parts in segments for part in parts])
    if len(segments) > 1:
        yield whole
    if text[0] in "#@":
        yield text[0].translate(_STAND_INS) + whole
    if text[-1] in "#+":
        yield segments[-1][-1] + text[text.rindex(core[-1]) + 1 :].translate(_STAND_INS)


def _parts(segment: str) -> list[str]:
    """The parts of an identifier; a change of case means nothing in a long run such as encoded data."""
    between = _BETWEEN_PARTS_OR_CASES if len(segment) <= LONGEST_TERM else _BETWEEN_PARTS
    return [_plain(part) for part in between.split(segment)]


def _plain(part: str) -> str:
    if len(part) == 2 and part[0] == "0" and part[1].isdigit():
        return part[1]  # "07" and "7" name the same day or month
    return (part[:-1] if _ACRONYMS.fullmatch(part) else part).lower()


def _split_number(part: str) -> Iterator[str]:
    """A number and the unit or name written against it, and the two together: "10km", "v2", "7th"."""
    split = _NUMBERED.fullmatch(part)
    if split:
        yield from (piece for piece in split.groups() if piece and piece not in _ORDINAL_ENDINGS)
    yield part


def _run_together(parts: list[str]) -> str:
    """The parts as one word; numbers stay apart, so that 1.23 is not 12.3; a version goes without its "v"."""
    whole = parts[0]
    for part in parts[1:]:
        whole += _JOINT + part if whole[-1].isdigit() and part[0].isdigit() else part
        if len(whole) > LONGEST_TERM:
            break
    return whole[1:] if _JOINT in whole and re.match("v[0-9]", whole) else whole


def _clusters(run: str) -> list[str]:
    """The characters of a run, each with the vowel signs and tone marks that belong to it."""
    clusters: list[str] = []
    for character in run:
        if clusters and unicodedata.category(character)[0] == "M":
            if len(clusters[-1]) < LONGEST_TERM:
                clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _pairs(units: str | list[str]) -> Iterator[str]:
    """Each unit with the next; Chinese characters of any weight also alone."""
    if len(units) == 1:
        yield units[0]
        return
    for first, second in pairwise(chain(units, ("",))):
        if _HAN_CHARACTER.match(first) and first not in COMMON_HAN:
            yield first
        if second:
            yield first + second


def _stems(word: str, language: str) -> Iterator[str]:
    """The stem every text would give the word, then the one of the text's own language where it differs."""
    stem = _STEM[word]
    yield stem
    if language != ENGLISH and word.isascii():
        own = _stem_in(language, word)
        if own != stem:
            yield own


def _stem(word: str) -> str:
    if word.isascii():
        return _stem_in(ENGLISH, word)
    code = ord(word[0])
    for start, end, language in _STEMMER_OF_SCRIPT:
        if start <= code < end:
            return _stem_in(language, word)
    return word


class _Stemmers(threading.local):
    """A stemmer must not be used by two threads at once, so each thread has its own."""

    def __init__(self) -> None:
        self.by_language: dict[str, Stemmer.Stemmer] = {}


_stemmers = _Stemmers()


def _stem_in(language: str, word: str) -> str:
    stemmer = _stemmers.by_language.get(language)
    if stemmer is None:
        stemmer = _stemmers.by_language[language] = Stemmer.Stemmer(language, 0)
    stem: str = stemmer.stemWord(word)
    return stem[:LONGEST_TERM] or word


_Answer = TypeVar("_Answer")


class _Remembered(dict[str, _Answer], Generic[_Answer]):
    """A function's answers for short texts, which come again and again; emptied when it grows too large."""

    def __init__(self, function: Callable[[str], _Answer]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> _Answer:
        answer = self._function(text)
        if len(text) <= 24:
            if len(self) >= 1 << 15:
                self.clear()
            self[text] = answer
        return answer


_WORDS = _Remembered(_words)
_STEM = _Remembered(_stem)


def language_of(words: Sequence[str]) -> str:
    """The Latin-script language with most common words among these; English unless another is clear.

    Another language needs more of them than English has, and one of them, or two known from names, must not
    be English words.
    """
    if PROOFS.isdisjoint(words):
        return ENGLISH
    votes = dict.fromkeys(WORDS_OF, 0)
    for word in words:
        for language in LANGUAGES_OF.get(word, ()):
            votes[language] += 1
    best = max(votes, key=votes.__getitem__)  # the first of equals, and English is first
    proofs = PROOFS.intersection(words) & WORDS_OF[best]
    return best if len(proofs) > 1 or proofs - HALF_PROOFS else ENGLISH


def is_common(word: str, language: str) -> bool:
    """Whether the word says nothing about what is looked for, in a text of this Latin-script language."""
    return word in WORDS_OF[language] or word in IN_OTHER_SCRIPTS
