"""bethink facts: what holds now, and what held before."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import Secrets
from bethink.cli.confirm import confirm
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation, command, takes_globals
from bethink.cli.output import Column
from bethink.cli.people import found_person
from bethink.cli.remember import STATUS_STYLES
from bethink.cli.times import coming_time, past_time, shown
from bethink.errors import NotFound

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.records import Fact

Category = Annotated[str, typer.Argument(metavar="CATEGORY", help="For example: food.")]
Key = Annotated[str, typer.Argument(metavar="KEY", help="For example: allergy.")]
AsOf = Annotated[
    datetime | None,
    typer.Option(parser=past_time, metavar="TIME", help="What held at this time: 2025-05-31, 7d."),
]
Person = Annotated[str | None, typer.Option(metavar="PERSON", help="Whom it is about: a name or an id.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
    group.callback()(takes_globals(facts))
    for name, function in (
        ("set", set_fact),
        ("get", get_fact),
        ("list", list_facts),
        ("doubts", list_doubts),
        ("history", show_history),
        ("restore", restore_fact),
        ("forget", forget_fact),
    ):
        command(group, name)(function)
    app.add_typer(group, name="facts", rich_help_panel=panel)


def facts(context: typer.Context) -> None:
    """Small facts, (category, key) → value, with every version kept."""


async def set_fact(
    here: Invocation,
    category: Category,
    key: Key,
    value: Annotated[
        list[str], typer.Argument(metavar="VALUE", help="The value; - reads it from standard input.")
    ],
    person: Person = None,
    source: Annotated[str | None, typer.Option(metavar="NAME", help="Where it is from.")] = None,
    confidence: Annotated[int | None, typer.Option(metavar="N", help="How sure it is, 0 to 100.")] = None,
    expires: Annotated[
        datetime | None,
        typer.Option(parser=coming_time, metavar="TIME", help="It no longer holds then: 2026-01-31, 30d."),
    ] = None,
    promote: Annotated[bool, typer.Option("--promote", help="Make it one of those in MEMORY.md.")] = False,
) -> None:
    """Make a value current; the one before is kept in the history."""
    content = text_of(value)
    async with here.writing() as space:
        given: dict[str, Any] = {
            "person_id": await _id_of(space, person),
            "source": source,
            "confidence": confidence,
            "expires_at": expires,
            "promoted": promote or None,
        }
        outcome = await space.facts.set(
            category, key, content, **{name: field for name, field in given.items() if field is not None}
        )
        if here.out.json:
            here.out.data(outcome)
        else:
            why = f" ({outcome.reason})" if outcome.reason else ""
            status = outcome.status.value
            here.out.line(
                (status, STATUS_STYLES[status]), f" {category}/{key} = {outcome.fact.value}", (why, "dim")
            )


async def list_doubts(
    here: Invocation,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Facts at most.")] = 5,
) -> None:
    """List facts worth confirming: nobody has said them for long. 'bethink facts set' confirms one."""
    async with here.reading() as space:
        found = await space.facts.doubts(limit=limit)
    if here.out.json:
        here.out.data(found)
        return
    for one in found:
        fact = one.fact
        here.out.line(
            f"{fact.category}/{fact.key} = {fact.value}", (f"  as of {shown(one.confirmed_at)}", "dim")
        )
    if not found:
        here.out.note("There is nothing to ask about: every fact was said not long ago.")


async def get_fact(
    here: Invocation,
    category: Category,
    key: Key,
    person: Person = None,
    as_of: AsOf = None,
    secrets: Secrets = False,
) -> None:
    """Print the current value, or the one at a time."""
    async with here.reading() as space:
        person_id = await _id_of(space, person)
        fact = await space.facts.get(category, key, person_id=person_id, as_of=as_of, secrets=secrets)
    if fact is None and as_of:
        raise NotFound(f"No fact {category}/{key} held at {shown(as_of)}.", field="key")
    if fact is None:
        raise NotFound(
            f"There is no current fact {category}/{key}; 'bethink facts list' shows those there are.",
            field="key",
        )
    if here.out.json:
        here.out.data(fact)
    else:
        here.out.line(fact.value)


async def list_facts(
    here: Invocation,
    category: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this category.")] = None,
    person: Person = None,
    promoted: Annotated[
        bool | None, typer.Option("--promoted/--not-promoted", help="Only those in MEMORY.md, or the others.")
    ] = None,
    as_of: AsOf = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="TEXT", help="Only those that answer this.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Facts at most.")] = 200,
    secrets: Secrets = False,
) -> None:
    """List facts by category and key; with --query, those nearest in meaning, else those with its text."""
    async with here.reading() as space:
        chosen: dict[str, Any] = {
            "category": category,
            "person_id": await _id_of(space, person),
            "promoted": promoted,
            "as_of": as_of,
            "secrets": secrets,
        }
        if query:
            matches = await space.facts.search(query, **chosen, limit=limit)
            found = matches.items
            for problem in matches.degraded:
                here.out.warn(problem)
        else:
            found = await space.facts.list(**chosen, limit=limit)
        named = any(fact.person_id for fact in found)
        names = {one.id: one.display_name for one in await space.people.list()} if named else {}
    if here.out.json:
        here.out.data(found)
    elif found:
        columns = [Column("Category", style="cyan"), Column("Key", style="cyan"), Column("Since")]
        cells = [
            [fact.category, fact.key, shown(fact.valid_from), *_person(names, fact, named), fact.value]
            for fact in found
        ]
        if named:
            columns.append(Column("Person"))
        here.out.table([*columns, Column("Value", wraps=True)], cells)
    elif category or person or query or as_of or promoted is not None:
        here.out.note("No facts match. Try without the filter.")
    else:
        here.out.note("There are no facts yet. Begin with: bethink facts set food allergy peanuts")


async def show_history(
    here: Invocation, category: Category, key: Key, person: Person = None, secrets: Secrets = False
) -> None:
    """Show every version of a fact, newest first."""
    async with here.reading() as space:
        person_id = await _id_of(space, person)
        versions = await space.facts.history(category, key, person_id=person_id, secrets=secrets)
    if here.out.json:
        here.out.data(versions)
    elif versions:
        columns = (
            Column("Id", style="cyan"),
            Column("From"),
            Column("To"),
            Column("Source"),
            Column("Sure", right=True),
        )
        rows = [
            [
                fact.id,
                shown(fact.valid_from),
                shown(fact.valid_to) if fact.valid_to else "now",
                fact.source,
                f"{fact.confidence}%",
                fact.value,
            ]
            for fact in versions
        ]
        here.out.table([*columns, Column("Value", wraps=True)], rows)
    else:
        here.out.note(f"There never was a fact {category}/{key}; 'bethink facts list' shows those there are.")


async def restore_fact(
    here: Invocation,
    version: Annotated[str, typer.Argument(metavar="ID", help="A version; 'facts history' shows their ids.")],
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why, for the journal.")] = None,
) -> None:
    """Make an earlier version current again."""
    async with here.writing() as space:
        outcome = await space.facts.restore(version, reason=reason)
    if here.out.json:
        here.out.data(outcome)
        return
    fact = outcome.fact
    before = f" (the value was {outcome.previous.value!r})" if outcome.previous else ""
    here.out.line(("restored", "green"), f" {fact.category}/{fact.key} = {fact.value}", (before, "dim"))


async def forget_fact(
    here: Invocation,
    category: Category,
    key: Key,
    person: Person = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why, for the journal.")] = None,
) -> None:
    """End a fact; its history stays."""
    async with here.reading() as space:
        if not yes and (fact := await space.facts.get(category, key, person_id=await _id_of(space, person))):
            confirm(here.out, f"Forget {category}/{key} = {fact.value!r}?")
        ended = await space.facts.forget(category, key, person_id=await _id_of(space, person), reason=reason)
    if here.out.json:
        here.out.data(ended)
    else:
        here.out.line(("forgotten", "green"), f" {category}/{key}")


async def _id_of(space: AsyncSpace, person: str | None) -> str | None:
    return (await found_person(space, person)).id if person else None


def _person(names: Mapping[str, str], fact: Fact, named: bool) -> list[str]:
    """The cell of the column for people, which is there only when some fact is about one."""
    whose = fact.person_id or ""
    return [names.get(whose, whose)] if named else []
