"""Ask before something is deleted."""

from __future__ import annotations

import signal
import sys

import typer

from bethink.cli.output import Output


def confirm(out: Output, question: str) -> None:
    """Go on only after a yes. Standard error carries the question, so that results stay clean."""
    sys.stdout.flush()
    # The event loop would let Ctrl-C wait for the answer; this lets it through.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, before)
    if not answer:
        print(file=sys.stderr)
        out.error("Nobody answered, so nothing was done; say --yes to go ahead without being asked.")
        raise typer.Exit(1)
    if answer.strip().lower() not in ("y", "yes"):
        out.note("Nothing was done.")
        raise typer.Exit(1)
