"""Passages of documents in a prompt: found beside the memories, told in a section of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bethink.core import Core
from bethink.documents.search import search
from bethink.recall.rank import within_budget
from bethink.records import Space
from bethink.shapes.documents import DocumentHit, DocumentResults
from bethink.text.fence import one_line, quoted
from bethink.text.terms import estimate

DOCUMENTS = "## Documents"
PASSAGES = 5  # of a turn at most
LEAST_CHARS = 200  # of the one passage that is always kept, however short the budget


@dataclass(frozen=True, slots=True)
class Room:
    """Tokens of a turn's half: what is left for all of it, and what each part may take of that."""

    left: int
    memories: int
    documents: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """The passages told, and how many did not fit."""

    lines: Sequence[str] = ()
    shown: Sequence[DocumentHit] = ()
    left_out: int = 0


async def passages_for(core: Core, space: Space, query: str) -> DocumentResults:
    """The passages that answer."""
    return await search(core, space, query, PASSAGES, None)


def shares(left: int, memories: int, documents: int) -> tuple[int, int]:
    """What each gets of what is left: what it needs, else half, and what the other one leaves.

    >>> shares(1000, 100, 3000), shares(1000, 900, 900), shares(1000, 300, 400)
    ((100, 900), (500, 500), (300, 400))
    """
    half = left // 2
    if memories + documents <= left:
        return memories, documents
    if memories <= half:
        return memories, left - memories
    if documents <= half:
        return left - documents, documents
    return left - half, half


def needed(hits: Sequence[DocumentHit]) -> int:
    """Tokens that passages would take whole."""
    return sum(estimate("\n".join(_lines(hit))) for hit in hits) + estimate(DOCUMENTS)


def section(hits: Sequence[DocumentHit], budget: int) -> Section:
    """As many passages as fit, best first, each under its source; the first is cut if it does not."""
    told = [_lines(hit) for hit in hits]
    kept = within_budget((estimate("\n".join(one)) for one in told), len(told), max(budget, 1))
    lines = [told[number] for number in kept]
    if lines and estimate("\n".join(lines[0])) > max(budget, 1):
        lines[0] = _lines(hits[kept[0]], max(budget * 4, LEAST_CHARS))
    return Section(
        [line for one in lines for line in one], [hits[number] for number in kept], len(told) - len(kept)
    )


def _lines(hit: DocumentHit, chars: int | None = None) -> list[str]:
    text = hit.text.strip()
    if chars is not None and len(text) > chars:
        text = f"{text[: chars - 1].rstrip()}…"
    return [f"- {one_line(hit.citation)}:", *quoted(text)]
