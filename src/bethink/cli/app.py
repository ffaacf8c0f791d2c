"""The command line put together. Commands load what they need when they run, so that help is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from bethink import __version__
from bethink.cli import (
    archive,
    audit,
    contexts,
    devices,
    docs,
    doctor,
    extract,
    facts,
    ingest,
    insights,
    journal,
    keys,
    login,
    mcp,
    memories,
    messages,
    notes,
    observe,
    options,
    people,
    prompt,
    recall,
    remember,
    serve,
    simulate,
    soul,
    spaces,
    summaries,
    trust,
    upkeep,
)
from bethink.cli.failures import RootGroup
from bethink.cli.invoke import takes_globals

MEMORY, PEOPLE, UPKEEP, SERVER = "Memory", "People and prompt", "Upkeep", "Server"

app = typer.Typer(
    cls=RootGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bethink {__version__}")
        raise typer.Exit


@app.callback()
@takes_globals
def bethink(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Long-term memory for AI assistants: one engine, one SQLite file or PostgreSQL."""


for module, panel in (
    (remember, MEMORY),
    (recall, MEMORY),
    (observe, MEMORY),
    (ingest, MEMORY),
    (memories, MEMORY),
    (messages, MEMORY),
    (summaries, MEMORY),
    (facts, MEMORY),
    (insights, MEMORY),
    (journal, MEMORY),
    (archive, MEMORY),
    (contexts, MEMORY),
    (docs, MEMORY),
    (notes, MEMORY),
    (prompt, PEOPLE),
    (people, PEOPLE),
    (devices, PEOPLE),
    (soul, PEOPLE),
    (upkeep, UPKEEP),
    (extract, UPKEEP),
    (audit, UPKEEP),
    (simulate, UPKEEP),
    (options, UPKEEP),
    (doctor, UPKEEP),
    (trust, UPKEEP),
    (serve, SERVER),
    (mcp, SERVER),
    (keys, SERVER),
    (login, SERVER),
    (spaces, SERVER),
):
    module.register(app, panel)
