"""bethink insights: what is going on in the channels, those that count most first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import Secrets
from bethink.cli.confirm import confirm
from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Column, counted
from bethink.cli.people import add_group, found_person
from bethink.cli.remember import STATUS_STYLES
from bethink.cli.times import coming_time, past_time, shown

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.shapes.insights import Insight, RankedInsight
    from bethink.shapes.keywords import InsightFilters

Id = Annotated[str, typer.Argument(metavar="ID", help="The insight's id.")]
Person = Annotated[
    str | None, typer.Option(metavar="PERSON", help="Whose views and favourites count: a name or an id.")
]


class KindName(StrEnum):
    DECISION = "decision"
    TASK = "task"
    QUESTION = "question"
    MEETING = "meeting"
    INCIDENT = "incident"
    BUG_REPORT = "bug_report"
    FEATURE_REQUEST = "feature_request"
    RELATIONSHIP = "relationship"
    PREFERENCE = "preference"
    EVENT = "event"


class ImportanceName(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class UrgencyName(StrEnum):
    IMMEDIATE = "immediate"
    URGENT = "urgent"
    MEDIUM = "medium"
    LOW = "low"


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {
        "list": list_insights,
        "show": show,
        "add": add,
        "favourite": favourite,
        "weigh": weigh,
        "resolve": resolve,
        "reopen": reopen,
        "merge": merge,
        "forget": forget,
        "usage": usage,
        "generate": generate,
    }
    add_group(app, panel, insights, commands)
    command(app, panel=panel)(digest)


def insights(context: typer.Context) -> None:
    """What is going on in the channels: decisions, tasks, questions that wait, meetings, incidents."""


async def list_insights(
    here: Invocation,
    kind: Annotated[list[KindName] | None, typer.Option(help="Only of this kind; may be repeated.")] = None,
    closed: Annotated[
        bool | None, typer.Option("--closed/--open", help="Only closed ones, or open ones.")
    ] = None,
    channel: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only from this channel; may be repeated.")
    ] = None,
    about: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only what concerns them; may be repeated.")
    ] = None,
    favourites: Annotated[bool, typer.Option("--favourites", help="Only favourites.")] = False,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="TEXT", help="Only those with this text.")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Spoken of then or later: 7d.")
    ] = None,
    person: Person = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Insights at most.")] = 50,
) -> None:
    """List insights, those that count most first."""
    chosen: InsightFilters = {
        "kinds": None if kind is None else [one.value for one in kind],
        "status": None if closed is None else "closed" if closed else "open",
        "channels": channel, "people": about, "favourite": True if favourites else None, "query": query,
        "since": since,
    }  # fmt: skip
    async with here.reading() as space:
        chosen["person_id"] = await _id_of(space, person)
        page = await space.insights.list(limit=limit, **chosen)
    if here.out.json:
        here.out.data(page)
    elif page.items:
        titles = ("Id", "Kind", "Counts", "State")
        here.out.table(
            [*(Column(title) for title in titles), Column("What", wraps=True)], list(map(_row, page.items))
        )
        if page.total > len(page.items):
            here.out.note(f"{counted(page.total, 'insight')} in all; --limit shows more.")
    elif any(value is not None for value in chosen.values()):
        here.out.note("No insights match. Try without the filter.")
    else:
        here.out.note('There are no insights yet. Begin with: bethink insights add "Renew the lease"')


async def show(here: Invocation, insight_id: Id, person: Person = None, secrets: Secrets = False) -> None:
    """Show an insight, and note that it was looked at."""
    async with here.reading() as space:
        person_id = await _id_of(space, person)
        found = await space.insights.view(insight_id, person_id=person_id)
        if secrets:
            found = await space.insights.get(insight_id, person_id=person_id, secrets=True)
    if here.out.json:
        here.out.data(found)
        return
    one, weights = found.insight, found.weights
    here.out.line((one.title, "bold"))
    if one.description and one.description != one.title:
        here.out.line(one.description)
    here.out.line(("state    ", "dim"), f"{_state(one)}, {one.importance.value}, {one.urgency.value}")
    here.out.line(("counts   ", "dim"), f"{weights.rank_score:.2f}, {weights.activity}, {weights.trend}")
    for title, names in (("people   ", one.people), ("channels ", one.channels)):
        if names:
            here.out.line((title, "dim"), ", ".join(names))
    for line in one.details:
        who = f"{line['name']}: " if line.get("name") else ""
        here.out.line((f"{str(line.get('at', ''))[:16]}  ", "dim"), f"{who}{line.get('text', '')}")


async def add(
    here: Invocation,
    title: Annotated[list[str], typer.Argument(metavar="TITLE", help="What it is.")],
    kind: Annotated[KindName, typer.Option(help="Of which kind.")] = KindName.EVENT,
    description: Annotated[str, typer.Option(metavar="TEXT", help="More about it.")] = "",
    importance: Annotated[ImportanceName, typer.Option(help="How important.")] = ImportanceName.MEDIUM,
    urgency: Annotated[UrgencyName, typer.Option(help="How urgent.")] = UrgencyName.MEDIUM,
    about: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Whom it concerns; may be repeated.")
    ] = None,
    due: Annotated[
        datetime | None, typer.Option(parser=coming_time, metavar="TIME", help="Due then: 2026-01-31, 7d.")
    ] = None,
) -> None:
    """Add an insight; one of the same kind and title is extended instead."""
    async with here.writing() as space:
        outcome = await space.insights.add(
            " ".join(title), kind=kind.value, description=description, importance=importance.value,
            urgency=urgency.value, people=about or [], due_at=due,
        )  # fmt: skip
        status = outcome.status.value
        _told(here, outcome, status, outcome.insight, STATUS_STYLES[status])


async def favourite(
    here: Invocation,
    insight_id: Id,
    off: Annotated[bool, typer.Option("--off", help="No longer a favourite.")] = False,
    person: Person = None,
) -> None:
    """Make an insight a favourite, or no longer."""
    async with here.reading() as space:
        person_id = await _id_of(space, person)
        found = await space.insights.favourite(insight_id, not off, person_id=person_id)
    _told(here, found, "no favourite" if off else "favourite", found.insight)


async def weigh(
    here: Invocation,
    insight_id: Id,
    multiplier: Annotated[float, typer.Argument(metavar="TIMES", help="From 0.1 to 5; 1 is as usual.")],
    person: Person = None,
) -> None:
    """Let an insight count so many times as much."""
    async with here.reading() as space:
        person_id = await _id_of(space, person)
        found = await space.insights.weigh(insight_id, multiplier, person_id=person_id)
    _told(here, found, f"counts {multiplier:g} times", found.insight)


async def resolve(
    here: Invocation,
    insight_id: Id,
    because: Annotated[str, typer.Option(metavar="TEXT", help="Why.")] = "done",
) -> None:
    """Close an insight: done, answered, over."""
    async with here.writing() as space:
        closed = await space.insights.resolve(insight_id, because)
        _told(here, closed, "closed", closed)


async def reopen(here: Invocation, insight_id: Id) -> None:
    """Open a closed insight again."""
    async with here.writing() as space:
        opened = await space.insights.reopen(insight_id)
        _told(here, opened, "open", opened)


async def merge(
    here: Invocation,
    into: Annotated[str, typer.Argument(metavar="ID", help="The insight that stays.")],
    others: Annotated[list[str], typer.Argument(metavar="ID", help="Those that become part of it.")],
) -> None:
    """Make several insights one."""
    async with here.writing() as space:
        merged = await space.insights.merge(into, *others)
        _told(here, merged, "merged", merged)


async def forget(
    here: Invocation,
    insight_ids: Annotated[list[str], typer.Argument(metavar="ID", help="Which insights.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why, for the journal.")] = None,
) -> None:
    """Delete insights; the journal keeps what they were."""
    async with here.reading() as space:
        if not yes:
            confirm(here.out, f"Forget {counted(len(insight_ids), 'insight')}?")
        gone = await space.insights.forget(*insight_ids, reason=reason)
    if here.out.json:
        here.out.data(gone)
    else:
        for one in gone:
            here.out.line(("forgotten", "green"), f" {one.id} {one.title}")


async def usage(here: Invocation, person: Person = None) -> None:
    """Show how insights are used."""
    async with here.reading() as space:
        found = await space.insights.usage(person_id=await _id_of(space, person))
    if here.out.json:
        here.out.data(found)
        return
    here.out.line(f"{counted(found.total, 'insight')}: {found.open:,} open, {found.closed:,} closed")
    here.out.line(f"{found.active:,} active, {found.dormant:,} dormant; {found.rising:,} rising")
    here.out.line(f"{counted(found.views_7d, 'view')} in 7 days, {found.views_30d:,} in 30")
    for one in found.most_viewed:
        here.out.line(f"{one.weights.access_count_30d:>5,}  {one.insight.title}")


async def generate(here: Invocation) -> None:
    """Read what is new in the channels now; a server does so by itself."""
    async with here.writing() as space:
        run = await space.insights.generate()
        if here.out.json:
            here.out.data(run)
        else:
            told = ", ".join(f"{count:,} {name}" for name, count in sorted(run.counts.items()))
            here.out.line(f"read {counted(run.done, 'message')}: {told or 'nothing new'}")


async def digest(
    here: Invocation,
    days: Annotated[int, typer.Option(metavar="N", help="How many days to look back.")] = 7,
) -> None:
    """Tell what was decided, what is due, what waits for an answer, what changed about whom."""
    async with here.reading() as space:
        found = await space.digest(days)
    if here.out.json:
        here.out.data(found)
    else:
        for line in found.markdown.splitlines():
            here.out.line(line)


def _row(ranked: RankedInsight) -> list[str]:
    one = ranked.insight
    due = f" (due {shown(one.due_at)})" if one.due_at else ""
    return [one.id, one.kind.value, f"{ranked.weights.rank_score:.2f}", _state(one), one.title + due]


def _state(one: Insight) -> str:
    return f"closed: {one.closed_because}" if one.closed_at else "open"


def _told(here: Invocation, outcome: Any, word: str, one: Insight, style: str = "green") -> None:
    if here.out.json:
        here.out.data(outcome)
    else:
        here.out.line((word, style), f" {one.id} {one.title}")


async def _id_of(space: AsyncSpace, person: str | None) -> str | None:
    return (await found_person(space, person)).id if person else None
