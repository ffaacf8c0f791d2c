"""bethink recall: find what answers a question."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import LayerName, Secrets, StrategyName, TypeName
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation, command
from bethink.cli.output import counted
from bethink.cli.render import show_hits
from bethink.cli.times import past_time

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.shapes.outcomes import RecallResult


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(recall)


async def recall(
    here: Invocation,
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads it from standard input.")
    ],
    limit: Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="Hits at most.")] = None,
    layer: Annotated[list[LayerName] | None, typer.Option(help="Only this layer; may be repeated.")] = None,
    type_: Annotated[
        list[TypeName] | None, typer.Option("--type", help="Only memories of this kind; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only memories with one of these tags.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            parser=past_time, metavar="TIME", help="Observed at this time or later: 2025-05-31, 7d."
        ),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Observed before this time.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=past_time, metavar="TIME", help="Answer with what was known then."),
    ] = None,
    strategy: Annotated[StrategyName | None, typer.Option(help="How to search.")] = None,
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="Token budget of the hits.")] = None,
    secrets: Secrets = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
) -> None:
    """Find what answers a question, best first."""
    given: dict[str, Any] = {
        "limit": limit,
        "layers": [name.value for name in layer or ()],
        "types": [name.value for name in type_ or ()],
        "tags": tag,
        "since": since,
        "until": until,
        "as_of": as_of,
        "strategy": strategy and strategy.value,
        "max_tokens": max_tokens,
        "secrets": secrets or None,
    }
    asked = text_of(query)
    async with here.reading() as space:
        result = await space.recall(
            asked, **{name: value for name, value in given.items() if value not in (None, [])}
        )
        if here.out.json:
            here.out.data(result)
        else:
            show_hits(here.out, result.hits, explain=explain)
            await _comment(here, space, result)


async def _comment(here: Invocation, space: AsyncSpace, result: RecallResult) -> None:
    """What to know about the answer, and what to do about an empty one."""
    for problem in result.degraded:
        here.out.warn(f"{problem} ('bethink doctor' says what to do)")
    if result.hits:
        if here.out.rich:
            size = f"{counted(len(result.hits), 'hit')}, {counted(result.tokens, 'token')}"
            here.out.note(f"{size}, {result.engine}, {result.latency_ms:.0f} ms")
    elif sum(count.total for count in (await space.stats()).layers.values()):
        here.out.note("Nothing found. Try other words, or fewer filters.")
    else:
        here.out.note(f"The space '{space.name}' is empty. Begin with: bethink remember \"…\"")
