"""One run of a command: the options every command takes, the memory it opens, and how it ends.

The options may stand before or after the command, so each command declares them; the later one counts.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bethink.cli.output import Output, flat
from bethink.errors import BethinkError, SettingsError

if TYPE_CHECKING:
    from bethink.memory import AsyncBethink, AsyncSpace
    from bethink.settings import Settings

ACTOR = "cli"  # who the journal says made the changes
NOT_REMOTE = "This command needs the database itself and does not work with --server."
BROKEN_PIPE = 141  # what a program ends with whose reader has gone
_PANEL = "Options of every command"


@dataclass(frozen=True)
class Globals:
    """What the options of every command say."""

    json: bool = False
    home: Path | None = None
    database: str | None = None
    space: str | None = None
    config: Path | None = None
    create: bool = False
    remote: str | None = None


_OPTIONS: dict[str, Any] = {
    "json": Annotated[
        bool, typer.Option("--json", help="Print JSON instead of text.", rich_help_panel=_PANEL)
    ],
    "home": Annotated[
        Path | None,
        typer.Option("--home", metavar="DIR", help="Data directory.", rich_help_panel=_PANEL),
    ],
    "database": Annotated[
        str | None,
        typer.Option(
            "--database",
            "--url",
            metavar="FILE|URL",
            help="Database: a file, or postgresql://…",
            rich_help_panel=_PANEL,
        ),
    ],
    "space": Annotated[
        str | None,
        typer.Option("--space", metavar="NAME", help="Space to work in.", rich_help_panel=_PANEL),
    ],
    "config": Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Settings file.", rich_help_panel=_PANEL),
    ],
    "remote": Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="URL",
            help="Work on a running server, with the key that 'bethink login' keeps.",
            rich_help_panel=_PANEL,
        ),
    ],
    "create": Annotated[
        bool,
        typer.Option(
            "--create", help="Make the folder of --database if it is missing.", rich_help_panel=_PANEL
        ),
    ],
}


class Invocation:
    """What a command needs to know and to use."""

    def __init__(self, chosen: Globals) -> None:
        self.chosen = chosen
        self.out = Output(json=chosen.json)
        self._warned: set[str] = set()

    @cached_property
    def environ(self) -> dict[str, str]:
        """The environment, with the home that was chosen, so that its settings file is found too."""
        home = {"BETHINK_HOME": str(self.chosen.home)} if self.chosen.home else {}
        return {**os.environ, **home}

    @cached_property
    def settings(self) -> Settings:
        """The settings, with the options laid over them."""
        return self.load_settings()

    def load_settings(self, **overrides: Any) -> Settings:
        """The settings with the options, and what a command adds, laid over them."""
        from bethink.settings import Settings

        if self.chosen.remote:
            raise SettingsError(NOT_REMOTE, field="server")
        given = {"url": self.chosen.database, "space": self.chosen.space} | overrides
        given = {name: value for name, value in given.items() if value is not None}
        return Settings.load(file=self.chosen.config, environ=self.environ, warn=self._warn, **given)

    def _warn(self, text: str) -> None:
        if text not in self._warned:  # the settings may be read more than once
            self._warned.add(text)
            self.out.warn(text)

    @asynccontextmanager
    async def memory(self) -> AsyncIterator[AsyncBethink]:
        """The memory, open."""
        from bethink.memory import AsyncBethink

        settings = self.settings
        self.check_place()
        async with AsyncBethink(settings=settings) as memory:
            yield memory

    def check_place(self) -> None:
        """Ask before a folder is made for a database that `--database` names."""
        from bethink.cli.place import check_folder

        check_folder(self.out, self.chosen.database, create=self.chosen.create)

    @asynccontextmanager
    async def _remote(self) -> AsyncIterator[AsyncSpace]:
        """The chosen space of a running server, which has the verbs that work over HTTP."""
        from bethink.cli.remote import Remote, client_of

        key = self.environ.get("BETHINK_KEY")
        async with client_of(self.chosen.remote or "", key, self.chosen.space) as client:
            yield cast("AsyncSpace", Remote(client, self.chosen.space))

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSpace]:
        """The chosen space of the open memory, or of a server."""
        if self.chosen.remote:
            async with self._remote() as remote:
                yield remote
            return
        async with self.memory() as memory:
            yield memory.space(self.settings.space, actor=ACTOR)

    @asynccontextmanager
    async def writing(self, actor: str = ACTOR) -> AsyncIterator[AsyncSpace]:
        """The same; before the memory is closed, what was written gets its vectors."""
        from bethink.cli.settle import settle

        if self.chosen.remote:  # which makes the vectors itself
            async with self._remote() as remote:
                yield remote
            return
        async with self.memory() as memory:
            space = memory.space(self.settings.space, actor=actor)
            try:
                yield space
            except BrokenPipeError:  # nobody reads the outcome, but what was written is there
                await settle(memory, space, self.out)
                raise
            await settle(memory, space, self.out)


def command(
    app: typer.Typer, name: str | None = None, *, panel: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function, plain or async, a command of `app`; it gets an `Invocation`, then its own options."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        def start(context: typer.Context, **given: Any) -> None:
            _run(Invocation(_chosen(context, given)), function, given)

        app.command(name, rich_help_panel=panel)(_declared(start, function))
        return function

    return register


def takes_globals(function: Callable[..., None]) -> Callable[..., None]:
    """The callback of a group of commands, which notes the options given before the command."""

    def start(context: typer.Context, **given: Any) -> None:
        context.obj = _chosen(context, given)
        function(context, **given)

    return _declared(start, function)


def _declared(start: Callable[..., None], function: Callable[..., Any]) -> Callable[..., None]:
    """`start` with the signature that typer is to see: the options of `function`, then the global ones."""
    _, *own = inspect.signature(function, eval_str=True).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    taken = {parameter.name for parameter in own}  # "options set --server" means the server's own options
    shared = [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=_OPTIONS[field.name])
        for field in fields(Globals)
        if not (field.name == "remote" and "server" in taken)
    ]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *(parameter.replace(kind=keyword) for parameter in own), *shared]
    described: Any = start
    described.__signature__ = inspect.Signature(parameters)
    described.__name__ = function.__name__
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    described.__doc__ = "\n\n".join(map(flat, paragraphs))  # the help breaks lines where the terminal ends
    return start


def _chosen(context: typer.Context, given: dict[str, Any]) -> Globals:
    """The global options taken out of those given, laid over the ones that came before the command."""
    before = context.obj if isinstance(context.obj, Globals) else Globals()
    options = {field.name: given.pop(field.name, field.default) for field in fields(Globals)}
    return replace(before, **{name: value for name, value in options.items() if value})


def _run(here: Invocation, function: Callable[..., Any], given: dict[str, Any]) -> None:
    from bethink.cli.failures import logged, report

    try:
        result = function(here, **given)
        if inspect.iscoroutine(result):
            import asyncio

            with logged(here.out):
                asyncio.run(result)
        sys.stdout.flush()
    except BethinkError as error:
        report(here.out, error)
        raise typer.Exit(1) from None
    except BrokenPipeError:
        # Python flushes once more at the end, which must not find the broken pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None
