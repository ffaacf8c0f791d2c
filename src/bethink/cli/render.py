"""Memories and hits for people: the text first, then where it comes from on a line of its own.

In a pipe each is one line: its id, what it is, the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bethink.cli.output import Output, clean, clipped, flat
from bethink.cli.times import shown

if TYPE_CHECKING:
    from bethink.records import Memory
    from bethink.shapes.outcomes import Hit

LIST_CHARS = 300  # of a memory in a listing
HIT_CHARS = 1200  # of a hit
_PARTS = ("pinned", "person", "speaker", "time", "answer", "rerank")


def show_memories(out: Output, memories: Sequence[Memory]) -> None:
    """A listing of memories."""
    for memory in memories:
        facts = [
            memory.type.value,
            *(["pinned"] if memory.pinned else []),
            *(f"#{tag}" for tag in memory.tags),
        ]
        if not out.rich:
            cells = memory.id, shown(memory.observed_at), " ".join(facts), _titled(memory)
            out.line("\t".join(map(flat, cells)))
            continue
        _block(out, clipped(_titled(memory), LIST_CHARS), "  ")
        details = [
            memory.id,
            shown(memory.observed_at),
            *facts,
            *([f"key {memory.key}"] if memory.key else []),
        ]
        out.line("  ", ("  ".join(map(flat, details)), "dim"))


def show_hits(out: Output, hits: Sequence[Hit], *, explain: bool) -> None:
    """The hits of a recall, best first."""
    for place, hit in enumerate(hits, start=1):
        details = [hit.id, f"{hit.score:z.3f}", hit.layer.value, shown(hit.observed_at)]
        if not out.rich:
            told = [*_speaker(hit)[:1], hit.text]
            out.line("\t".join((*details, flat(": ".join(told)), *(explanation(hit) if explain else []))))
            continue
        details += [*_speaker(hit), *(["archived"] if hit.archived else [])]
        _block(out, clipped(hit.text, HIT_CHARS), f"{place}. ".rjust(4))
        out.line("    ", ("  ".join(map(flat, details)), "dim"))
        for line in explanation(hit) if explain else []:
            out.line("    ", (line, "cyan"))


def explanation(hit: Hit) -> list[str]:
    """How a hit's score came about, in words: the sum, then what it rests on."""
    parts = [f"fused {hit.fused:.3f}"]
    parts += [f"+ {name} {getattr(hit, name):.3f}" for name in _PARTS if getattr(hit, name)]
    if abs(hit.recency) >= 0.0005:
        parts.append(f"{'-' if hit.recency < 0 else '+'} recency {abs(hit.recency):.3f}")
    terms = "terms none" if hit.terms is None else f"terms {hit.terms:.2f}"
    vector = "vector none" if hit.vector is None else f"vector {hit.vector:.3f}"
    found = f"found by {hit.engine}{' (degraded)' if hit.degraded else ''}"
    return [f"{hit.score:z.3f} = {' '.join(parts)}", f"{terms}  {vector}  {found}  {hit.tokens} tokens"]


def _titled(memory: Memory) -> str:
    return f"{memory.title}: {memory.content}" if memory.title else memory.content


def _speaker(hit: Hit) -> list[str]:
    """Who said it and where, for a message."""
    from bethink.records import Message

    said = hit.record
    return [said.name or said.role, f"in {said.session_id}"] if isinstance(said, Message) else []


def _block(out: Output, text: str, lead: str) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=0)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(lead, "bold"), Text(clean(text)))
    out.console.print(grid)
