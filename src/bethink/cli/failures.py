"""How a command fails: one line, or a problem in JSON, on standard error, and an exit code."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from bethink.cli.output import Output
from bethink.errors import BethinkError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130

# The base of every mistake in usage. Its name differs between versions of typer; its place does not.
_Mistake: type[Exception] = typer.BadParameter.__mro__[2]


class RootGroup(TyperGroup):
    """The whole command line: whatever goes wrong in it ends as one line and an exit code."""

    def main(self, args: Sequence[str] | None = None, *positional: Any, **options: Any) -> Any:
        given = sys.argv[1:] if args is None else list(args)
        out = Output(json="--json" in given[: given.index("--") if "--" in given else None])
        try:
            ended = super().main(given, *positional, **options | {"standalone_mode": False})
        except typer.Abort:  # the input ended where an answer was awaited
            sys.exit(FAILED)
        except _Mistake as error:
            mistake: Any = error
            if text := mistake.format_message():  # without one, the help was asked for and has been shown
                report(out, _sentence(text.replace("Value error, ", "")) + _advice(mistake))
            sys.exit(mistake.exit_code)
        sys.exit(ended if isinstance(ended, int) else 0)


def report(out: Output, failure: BethinkError | str) -> None:
    """Say what failed: a mistake in usage as text, anything else as the error it is."""
    message = failure if isinstance(failure, str) else failure.message
    if not out.json:
        out.error(message)
        return
    kind, title, field = "usage", "The command was not understood.", None
    if isinstance(failure, BethinkError):
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(failure).__name__).lower()
        title, field = (type(failure).__doc__ or kind).strip(), failure.field
    problem = {"type": f"urn:bethink:problem:{kind}", "title": title, "detail": message, "field": field}
    print(json.dumps({name: value for name, value in problem.items() if value}), file=sys.stderr)


@contextmanager
def logged(out: Output) -> Iterator[None]:
    """Within, what the library logs as a warning is a warning of the command."""
    handler = _Warnings(out)
    logger = logging.getLogger("bethink")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _Warnings(logging.Handler):
    def __init__(self, out: Output) -> None:
        super().__init__(logging.WARNING)
        self._out = out
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg not in self._said:  # one warning, not one for each batch of a long run
            self._said.add(record.msg)
            self._out.warn(record.getMessage())


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def _advice(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return f" See '{context.command_path} --help'." if context else ""
