"""bethink serve: the HTTP server."""

from __future__ import annotations

from typing import Annotated

import typer

from bethink.cli.invoke import Invocation, command


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(serve)


def serve(
    here: Invocation,
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Port to listen on; 0 takes a free one.")
    ] = None,
) -> None:
    """Start the server: REST under /api, documented at /docs."""
    settings = here.load_settings(server=listening(host, port))
    here.check_place()
    from bethink.serve.app import run

    run(settings)


def listening(host: str | None, port: int | None) -> dict[str, str | int]:
    """The settings of where a server listens, as far as a command names them."""
    return {name: value for name, value in (("host", host), ("port", port)) if value is not None}
