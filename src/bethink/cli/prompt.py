"""bethink prompt: the memory part of a prompt; bethink guidelines: how a model should use memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import HalfName, ShapeName
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation, command
from bethink.cli.output import counted, flat

if TYPE_CHECKING:
    from bethink.shapes.prompts import Prompt


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands."""
    command(app, panel=panel)(prompt)
    command(app, panel=panel)(guidelines)


async def prompt(
    here: Invocation,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", help="What is asked; - reads it from standard input."),
    ] = None,
    half: Annotated[HalfName | None, typer.Option(help="Print only this half.")] = None,
    shape: Annotated[
        ShapeName | None, typer.Option(help="Print the body of a request to this kind of provider, as JSON.")
    ] = None,
    person: Annotated[str | None, typer.Option(metavar="NAME", help="Who is speaking.")] = None,
    device: Annotated[str | None, typer.Option(metavar="ID", help="The device spoken through.")] = None,
    voice: Annotated[str | None, typer.Option(metavar="ID", help="Whom the voice recogniser heard.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="Memories at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="Token budget of the whole.")] = None,
    with_guidelines: Annotated[
        bool, typer.Option("--guidelines", help="Also say when to search, save and forget memories.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also say what was recalled but is not in it, and why.")
    ] = False,
) -> None:
    """Print the memory part of a prompt: a stable half that caches keep, and one for this turn."""
    given: dict[str, Any] = {
        "query": text_of(query) if query else None,
        "shape": shape and shape.value,
        "person": person,
        "device": device,
        "voice": voice,
        "limit": limit,
        "max_tokens": max_tokens,
        "guidelines": with_guidelines or None,
        "explain": explain or None,
    }
    async with here.reading() as space:
        made = await space.prompt(**{name: value for name, value in given.items() if value is not None})
    if here.out.json:
        here.out.data(made)
    elif shape:
        here.out.data(made.body)
    else:
        text = getattr(made, half.value) if half else made.text
        for line in text.rstrip("\n").split("\n"):
            here.out.line(line)
        _comment(here, made)


def guidelines(here: Invocation) -> None:
    """Print text for a system prompt that tells a model when to search, save and forget memories."""
    from bethink.prompt.render import guidelines as text

    if here.out.json:
        here.out.data({"text": text()})
    else:
        for line in text().split("\n"):
            here.out.line(line)


def _comment(here: Invocation, made: Prompt) -> None:
    for problem in made.degraded:
        here.out.warn(problem)
    for one in made.left_out.lines:
        instead = f" (see {one.instead})" if one.instead else ""
        here.out.note(f"Not in it, {one.reason.replace('_', ' ')}{instead}: {flat(one.text)}")
    if not made.enabled:
        here.out.note("Memory is switched off for prompts (prompt.enabled), so there is nothing in it.")
    elif here.out.rich:
        cut = made.left_out
        left_out = [
            *([f"{counted(cut.facts, 'fact')} left to recall"] if cut.facts else []),
            *([f"{counted(cut.memories, 'memory', 'memories')} over the budget"] if cut.memories else []),
            *(["soul cut short"] if cut.soul else []),
            *(["narrative cut short"] if cut.narrative else []),
        ]
        size = f"{counted(made.tokens.total, 'token')} of {made.tokens.budget:,}"
        here.out.note(", ".join([size, *left_out, f"{made.latency_ms:.0f} ms"]))
