"""bethink household and bethink people: who lives in a space."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import ModeName
from bethink.cli.confirm import confirm
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation, command, takes_globals
from bethink.cli.output import Column, Output, counted
from bethink.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.records import Household, Person
    from bethink.shapes.households import HouseholdChanged

Ref = Annotated[str, typer.Argument(metavar="PERSON", help="A name, alias, role, relation or id.")]
Pronouns = Annotated[str | None, typer.Option(metavar="TEXT", help="For example she/her.")]
PersonRole = Annotated[
    str | None, typer.Option("--role", metavar="ROLE", help="primary, or spouse, child, guest, …")
]
Alias = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Another name; may be repeated, and replaces all.")
]
Born = Annotated[str | None, typer.Option(metavar="DAY", help="Day of birth: 1990-12-31.")]
Notes = Annotated[str | None, typer.Option(metavar="TEXT", help="Anything else.")]
Voice = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="What a voice recogniser calls them; may be repeated.")
]


def register(app: typer.Typer, panel: str) -> None:
    """Add the groups."""
    add_group(app, panel, household, {"show": show_household, "set": set_household})
    about_people: dict[str, Callable[..., Any]] = {
        "list": list_people,
        "add": add_person,
        "change": change_person,
        "remove": remove_person,
        "resolve": resolve_person,
        "speaker": tell_speaker,
    }
    add_group(app, panel, people, about_people)


def add_group(
    app: typer.Typer, panel: str, about: Callable[..., None], commands: Mapping[str, Callable[..., Any]]
) -> None:
    """Add a group of commands; `about` gives it its name and its help."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
    group.callback()(takes_globals(about))
    for name, function in commands.items():
        command(group, name)(function)
    app.add_typer(group, name=about.__name__, rich_help_panel=panel)


def household(context: typer.Context) -> None:
    """The household of a space: its name, mode, timezone, locale and people."""


def people(context: typer.Context) -> None:
    """The people of a space, one by one."""


async def show_household(here: Invocation) -> None:
    """Show the household and everyone in it."""
    async with here.reading() as space:
        found = await space.household.get()
    if here.out.json:
        here.out.data(found)
    else:
        _show(here.out, found)


async def set_household(
    here: Invocation,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The household's name.")] = None,
    mode: Annotated[ModeName | None, typer.Option(help="For one person, or for several.")] = None,
    timezone: Annotated[str | None, typer.Option(metavar="ZONE", help="For example Asia/Kathmandu.")] = None,
    locale: Annotated[str | None, typer.Option(metavar="LOCALE", help="For example en-US.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON with all of this, and `persons`: who is to live there."),
    ] = None,
) -> None:
    """Change the household; what is not given stays. All of it happens, or nothing."""
    given = {"display_name": name, "mode": mode and mode.value, "timezone": timezone, "locale": locale}
    changes = _from_file(file) | {key: value for key, value in given.items() if value is not None}
    if not changes:
        raise InvalidInput("Nothing to change: give an option; 'bethink household set --help' lists them.")
    async with here.reading() as space:
        changed = await space.household.update(**changes)
    if here.out.json:
        here.out.data(changed)
    else:
        _show(here.out, changed)
        _comment(here.out, changed)


async def list_people(here: Invocation) -> None:
    """List who lives there."""
    async with here.reading() as space:
        found = await space.people.list()
    if here.out.json:
        here.out.data(found)
    else:
        _table(here.out, found)


async def add_person(
    here: Invocation,
    name: Annotated[list[str], typer.Argument(metavar="NAME", help="The person's name.")],
    pronouns: Pronouns = None,
    role: PersonRole = None,
    alias: Alias = None,
    born: Born = None,
    notes: Notes = None,
    voice: Voice = None,
) -> None:
    """Let someone live there."""
    async with here.reading() as space:
        given = _given(None, pronouns, role, alias, born, notes, voice)
        added = await space.people.add(text_of(name), **given)
    _told(here.out, "added", added)


async def change_person(
    here: Invocation,
    ref: Ref,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Another name.")] = None,
    pronouns: Pronouns = None,
    role: PersonRole = None,
    alias: Alias = None,
    born: Born = None,
    notes: Notes = None,
    voice: Voice = None,
) -> None:
    """Change what is known of someone; what is not given stays."""
    changes = _given(name, pronouns, role, alias, born, notes, voice)
    if not changes:
        raise InvalidInput("Nothing to change: give an option; 'bethink people change --help' lists them.")
    async with here.reading() as space:
        changed = await space.people.update((await found_person(space, ref)).id, **changes)
    _told(here.out, "changed", changed)


async def remove_person(
    here: Invocation,
    ref: Ref,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Let someone leave: facts about them end, what is remembered stays."""
    async with here.reading() as space:
        person = await found_person(space, ref)
        if not yes:
            confirm(here.out, f"Let {person.display_name} leave, and end the facts about them?")
        changed = await space.people.remove(person.id)
    if here.out.json:
        here.out.data(changed)
    else:
        here.out.line(("left", "green"), f" {person.display_name}")
        _comment(here.out, changed)


async def resolve_person(here: Invocation, ref: Ref) -> None:
    """Find who is meant by a name, an alias, a role or a relation ("my wife")."""
    async with here.reading() as space:
        match = await space.people.resolve(ref)
        if here.out.json:
            here.out.data(match)
            return
        person = await found_person(space, ref)
    here.out.line(f"{person.display_name}\t{person.id}\t", (f"by {match.reason}", "dim"))


async def tell_speaker(
    here: Invocation,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What was said; - reads standard input.")
    ] = None,
    device: Annotated[str | None, typer.Option(metavar="ID", help="The device spoken through.")] = None,
    voice: Annotated[str | None, typer.Option(metavar="ID", help="Whom the voice recogniser heard.")] = None,
) -> None:
    """Tell who is speaking: by voice, by device, because they live alone, or by what they say."""
    async with here.reading() as space:
        found = await space.people.speaker(text_of(text or []), device=device, voice=voice)
    if here.out.json:
        here.out.data(found)
    else:
        here.out.line(
            found.display_name or "nobody can be told",
            (f" (by {found.reason}, {found.confidence} confidence)", "dim"),
        )


async def found_person(space: AsyncSpace, ref: str) -> Person:
    """The one person meant, or an error that lists those it could be."""
    match = await space.people.resolve(ref)
    if match.person:
        return match.person
    if match.candidates:
        names = ", ".join(f"{person.display_name} ({person.id})" for person in match.candidates)
        raise NotFound(f"{ref!r} could be any of {names}; name one of them.", field="person")
    raise NotFound(
        f"Nobody here is called {ref!r}; 'bethink people list' shows who there is.", field="person"
    )


def _given(
    name: str | None,
    pronouns: str | None,
    role: str | None,
    alias: list[str] | None,
    born: str | None,
    notes: str | None,
    voice: list[str] | None,
) -> dict[str, Any]:
    given = {
        "display_name": name,
        "pronouns": pronouns,
        "role": role,
        "aliases": alias,
        "birth_date": born,
        "notes": notes,
        "voice_ids": voice,
    }
    return {key: value for key, value in given.items() if value not in (None, [])}


def _from_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        found = json.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", field="file") from None
    except ValueError as error:
        raise InvalidInput(f"{file} is not valid JSON: {error}.", field="file") from None
    if not isinstance(found, dict):
        raise InvalidInput(f'{file} must hold a JSON object, such as {{"mode": "multi"}}.', field="file")
    return found


def _show(out: Output, found: Household) -> None:
    settings = f"{found.mode.value}, {found.timezone}, {found.locale}"
    out.line((found.display_name, "bold"), f"  {settings}")
    _table(out, found.persons)


def _table(out: Output, found: list[Person]) -> None:
    columns = [Column("Id"), Column("Name", style="cyan"), Column("Role"), Column("Born")]
    rows = [
        [
            person.id,
            person.display_name + (f" ({person.pronouns})" if person.pronouns else ""),
            person.role or "",
            person.birth_date or "",
            ", ".join(person.aliases),
        ]
        for person in found
    ]
    out.table([*columns, Column("Also called", wraps=True)], rows)


def _told(out: Output, what: str, person: Person) -> None:
    if out.json:
        out.data(person)
    else:
        out.line((what, "green"), f" {person.display_name} ", (person.id, "dim"))


def _comment(out: Output, changed: HouseholdChanged) -> None:
    if changed.facts_closed:
        ended = counted(changed.facts_closed, "fact")
        out.note(f"{ended} about who left ended; they hold again when the person is back.")
