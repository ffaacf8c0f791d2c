"""What a request asks for: whether to search at all, with which words, and how."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ParamSpec, TypeVar

from bethink.records import Layer
from bethink.settings import RecallSettings, Tier
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.options import SpaceOptions
from bethink.store.filters import EntryFilter
from bethink.store.rows import every_layer
from bethink.text.fold import HAN, HANGUL, KANA, SOUTHEAST_ASIAN, fold
from bethink.text.secrets import masked
from bethink.text.stopwords import ENGLISH
from bethink.text.terms import is_common

P = ParamSpec("P")
T = TypeVar("T")

_SAID = re.compile(r"[^\s!-/:-@\[-^`{-~]+")

_OPENERS = """
hi hello hey hiya yo howdy greetings good hola buenos buenas hallo guten moin servus bonjour salut bonsoir
coucou ciao buongiorno buonasera olá oi bom boa привет здравствуйте добрый доброе
你好 您好 早上好 晚上好 大家好 嗨 こんにちは こんばんは おはよう 안녕 안녕하세요 مرحبا سلام नमस्ते
"""
_COMPANIONS = """
morning afternoon evening day there everyone all dias días tardes noches morgen tag abend
dia tarde noite день вечер утро
"""


def is_greeting(text: str) -> bool:
    """Whether a text is a bare greeting: greeting words and signs, nothing else."""
    words = _words(text)
    return (
        bool(words) and words[0] in OPENERS and len(words) <= 4 and all(word in GREETINGS for word in words)
    )


def _words(text: str) -> list[str]:
    words = _SAID.findall(fold(text).casefold())
    return [word for word in words if any(map(str.isalnum, word))]  # not emoji


OPENERS = frozenset(_words(_OPENERS))
GREETINGS = OPENERS | frozenset(_words(_COMPANIONS))


EXPAND_CHARS = 100  # only a question this short is expanded
_FIRST_PERSON = re.compile(
    r"(?<!\w)(?:i|i'm|i’m|me|my|mine|myself|yo|mi|mis|ich|mein|meine|meinen|je|j'ai|moi|mon|ma|mes|io|mio|mia|eu|meu"
    r"|minha|я|мой|моя|мне|меня)(?!\w)|我|僕|私|俺",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"(?<!\w)(?:i|i'm|i’m|im|i've|ive|my|mine|myself|our|we|yo|mi|mis|nuestr\w+|ich|mein\w*|unser\w*|wir|je|j'ai|j’ai|mon|ma"
    r"|mes|notre|nos|nous|io|mio|mia|eu|meu|meus|minha|minhas|nosso|nossa|я|мой|моя|мне|меня)(?!\w)"
    r"|我|咱|僕|私|俺",
    re.IGNORECASE,
)
# Asks how something is done, by anybody.
_ANYONE = re.compile(
    r"(?<!\w)how (?:do|can|could|would|should|might) (?:i|we)(?!\w)|(?<!\w)wie (?:kann|mache|muss) ich(?!\w)"
    r"|(?<!\w)comment (?:puis-je|je (?:peux|fais|dois)|est-ce que je)(?!\w)"
    r"|(?<!\w)como (?:é que )?(?:eu|nós)(?!\w)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Names that other words run up to.
_UNSPACED = re.compile(f"[{HAN}{KANA}{SOUTHEAST_ASIAN}{HANGUL}]{{2,}}")


def is_own(query: str) -> bool:
    """Whether somebody asks about themselves: "my" and "I", not "tell me" or "how do I peel an egg"."""
    return _OWN.search(_ANYONE.sub(" ", query)) is not None


def expand(query: str, extra: str) -> str:
    """A short first-person question with the configured words added; any other query unchanged."""
    if extra and len(query) <= EXPAND_CHARS and _FIRST_PERSON.search(query):
        return f"{query} {extra}"
    return query


def dense(query: str, extra: str, names: Iterable[str]) -> str:
    """The query as it is embedded: expanded, without the names of participants and without secrets."""
    return without_names(expand(masked(query), extra), names)


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


LONG = 2_000  # characters of a query that takes longer to read than to hand to a thread


@dataclass(frozen=True, slots=True)
class Plan:
    """A request made definite."""

    query: str
    chosen: EntryFilter
    at: datetime  # the time for which the answer holds
    limit: int
    budget: int | None
    strategy: str
    tier: Tier
    rerank: bool
    min_similarity: float | None
    fallback: bool
    person_hints: frozenset[str]
    age_counts: bool
    catch_up: bool

    async def read(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work on the query: where it is long, off the event loop."""
        if len(self.query) > LONG:
            return await asyncio.to_thread(work, *args, **kwargs)
        return work(*args, **kwargs)

    @property
    def searches(self) -> bool:
        """Whether anything is looked for, rather than the newest being taken."""
        return self.strategy != "recent" and bool(self.query.strip())

    @property
    def reranks(self) -> bool:
        """Whether a model reads the first hits again."""
        return self.rerank and self.searches


def plan(
    request: RecallRequest,
    settings: RecallSettings,
    now: datetime,
    tier: Tier = "fast",
    kept_since: datetime | None = None,
) -> Plan:
    """The plan of a request. Who names a limit and no token budget gets the limit."""
    budget = settings.max_tokens if request.max_tokens is None else request.max_tokens
    unlimited = request.limit is not None and request.max_tokens is None
    return Plan(
        query=request.query,
        chosen=EntryFilter(
            layers=layers_of(request.layers),
            types=request.types,
            person_ids=request.person_ids,
            session_ids=request.session_ids,
            tags=request.tags,
            categories=request.categories,
            sources=request.sources,
            pinned=request.pinned,
            since=request.since,
            until=request.until,
            as_of=request.as_of,
            kept_since=kept_since,
        ),
        at=request.as_of or now,
        limit=request.limit or settings.limit,
        budget=None if unlimited else budget,
        strategy=request.strategy or settings.strategy,
        tier=request.tier or tier,
        rerank=(request.tier or tier) == "best" if request.rerank is None else request.rerank,
        min_similarity=settings.min_similarity if request.min_similarity is None else request.min_similarity,
        fallback=request.fallback,
        person_hints=frozenset(request.person_hints),
        age_counts=request.recency != "neutral",
        catch_up=request.catch_up,
    )


def layers_of(asked: Sequence[Layer] | None) -> Sequence[Layer]:
    """Where to look: what people said and noted, and documents only where they are named."""
    return [layer for layer in every_layer() if layer is not Layer.PASSAGE] if asked is None else asked


def filled(request: RecallRequest, options: SpaceOptions) -> RecallRequest:
    """A recall request with the options of its space where it says nothing itself."""
    update: dict[str, Any] = {}
    if request.strategy is None:
        update["strategy"] = options.strategy
    if request.limit is None and request.max_tokens is None:
        update["max_tokens"] = options.max_tokens
    if request.rerank is None and request.tier is None and options.rerank_enabled:
        update["rerank"] = True
    if request.layers is None and options.documents:
        update["layers"] = every_layer()
    return request.model_copy(update=update)
