"""Which old memories are told of together, and how; and texts cut to their first sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bethink.records import Memory
from bethink.text.secrets import masked
from bethink.text.terms import estimate

LINES = 20  # memories that one tells of, at most: with more, its vector would say nothing
LEAST = 2
LINE_CHARS = 240
_SENTENCE = re.compile(
    r"[^.!?…。！？\n]*(?:[.!?…](?!\s|$)[^.!?…。！？\n]*)*(?:[.!?…]+(?=\s|$)|[。！？]+|\n|$)"
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Memories of one person and month, and the text that tells of them."""

    memories: Sequence[Memory]
    text: str
    saved: int  # tokens


def bundles(memories: Sequence[Memory], earlier: Collection[str] = ()) -> list[Bundle]:
    """The memories of a month in bundles that save tokens; what saves none is in no bundle.

    `earlier` are the ids of those that something newer took the place of. Running it again over what is in
    no bundle makes none.
    """
    left = sorted(memories, key=lambda one: (one.person_id or "", one.observed_at, one.id))
    made: list[Bundle] = []
    while new := [bundle for some in _chunks(left) if (bundle := _bundle(some, earlier)).saved > 0]:
        made += new
        gone = {memory.id for bundle in new for memory in bundle.memories}
        left = [memory for memory in left if memory.id not in gone]
    return made


def first_sentences(text: str, count: int) -> str:
    """The first sentences of a text, as they stand there."""
    end = 0
    for found in _SENTENCE.finditer(text):
        if not found.group().strip():
            continue
        if count == 0:
            break
        end, count = found.end(), count - 1
    return text[:end].strip()


def _chunks(memories: Sequence[Memory]) -> Iterator[Sequence[Memory]]:
    for _, group in groupby(memories, key=lambda one: one.person_id):
        of_person = list(group)
        for start in range(0, len(of_person), LINES):
            if len(some := of_person[start : start + LINES]) >= LEAST:
                yield some


def _bundle(memories: Sequence[Memory], earlier: Collection[str]) -> Bundle:
    lines = {_line(memory, memory.id in earlier): None for memory in memories}
    text = "\n".join(lines)
    saved = sum(estimate(memory.content) for memory in memories) - estimate(text)
    return Bundle(memories, text, saved)


def _line(memory: Memory, is_over: bool) -> str:
    """`[factual] Anna plays the violin.`: the first sentence, for the first says most."""
    said = " ".join(first_sentences(masked(memory.content), 1).split())
    said = said if len(said) <= LINE_CHARS else said[: LINE_CHARS - 1].rstrip() + "…"
    return f"[{memory.type.value}{', earlier' if is_over else ''}] {said}"
