"""The query in the forms the two searches want. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bethink.text.fold import HAN, HANGUL, KANA, SOUTHEAST_ASIAN
from bethink.text.stopwords import ENGLISH, is_common

EXPAND_CHARS = 100  # only a question this short is expanded
_FIRST_PERSON = re.compile(
    r"(?<!\w)(?:i|i'm|i’m|me|my|mine|myself|yo|mi|mis|ich|mein|meine|meinen|je|j'ai|moi|mon|ma|mes|io|mio|mia|eu|meu"
    r"|minha|я|мой|моя|мне|меня)(?!\w)|我|僕|私|俺",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Names that other words run up to.
_UNSPACED = re.compile(f"[{HAN}{KANA}{SOUTHEAST_ASIAN}{HANGUL}]{{2,}}")


def expand(query: str, extra: str) -> str:
    """A short first-person question with the configured words added; any other query unchanged."""
    if extra and len(query) <= EXPAND_CHARS and _FIRST_PERSON.search(query):
        return f"{query} {extra}"
    return query


def dense(query: str, extra: str, names: Iterable[str]) -> str:
    """The query as it is embedded: expanded, and without the names of participants."""
    return without_names(expand(query, extra), names)


def named(query: str, names: Iterable[str]) -> set[str]:
    """Which of the participants the query names by their first names."""
    words = list(_WORD.findall(query))
    folded = {_bare(word) for word in words}
    exact = {word.removesuffix("'s").removesuffix("’s") for word in words}
    return {name for name in names if (first := first_name(name)) and _occurs(first, query, folded, exact)}


def _occurs(first: str, query: str, folded: set[str], exact: set[str]) -> bool:
    if _UNSPACED.fullmatch(first):
        return first in query
    return first in exact if _is_word(first) else first.casefold() in folded


def without_names(query: str, names: Iterable[str]) -> str:
    """The query without participants' names, which swamp a pooled vector; unchanged if nothing is left."""
    parts = sorted(
        {part for name in names for part in (name, first_name(name)) if part}, key=len, reverse=True
    )
    if not parts:
        return query
    anywhere: list[str] = []
    exact: list[str] = []
    any_case: list[str] = []
    for part in parts:
        kind = anywhere if _UNSPACED.fullmatch(part) else exact if _is_word(part) else any_case
        kind.append(re.escape(part))
    alone = [f"(?i:{'|'.join(any_case)})"] * bool(any_case) + exact
    apart = [rf"(?<!\w)(?:{'|'.join(alone)})(?:['’]s)?(?!\w)"] * bool(alone)
    cut = " ".join(re.sub("|".join(apart + anywhere), " ", query).split())
    return cut if _WORD.search(cut) else query


def first_name(name: str) -> str:
    """The first word of a name."""
    found = _UNSPACED.match(name.strip()) or _WORD.search(name)
    return found[0] if found else ""


def _is_word(name: str) -> bool:
    """Whether a name, such as Will or May, is also a common word, and only its capital tells it apart."""
    return is_common(name.casefold(), ENGLISH)


def _bare(word: str) -> str:
    return word.casefold().removesuffix("'s").removesuffix("’s")
