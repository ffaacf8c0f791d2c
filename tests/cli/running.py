"""Ways to run the command line: in this process, as the installed program, and in a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from typer import testing
from typer.main import get_command

from bethink.cli.app import app
from tests.waiting import PATIENCE_SECONDS

# The runner puts all commands together anew for each call, which takes longer than most calls.
vars(testing)["_get_command"] = cache(get_command)
PROGRAM = str(Path(sys.executable).parent / "bethink")


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def problem(self) -> dict[str, str]:
        """The problem that `--json` prints to standard error."""
        found: dict[str, str] = json.loads(self.err)
        return found


class Cli:
    """The command line in this process, with keyword search only, so that no model is loaded."""

    def __call__(self, *args: str, stdin: str | bytes | None = None) -> Ended:
        runner = testing.CliRunner()
        result = runner.invoke(app, list(args), input=stdin, catch_exceptions=False, prog_name="bethink")
        return Ended(result.exit_code, result.stdout, result.stderr)

    def ok(self, *args: str, stdin: str | bytes | None = None) -> Ended:
        ended = self(*args, stdin=stdin)
        assert ended.code == 0, ended
        return ended

    def json(self, *args: str, stdin: str | bytes | None = None) -> Any:
        return self.ok(*args, "--json", stdin=stdin).json


def run_program(*args: str, stdin: str | bytes | None = None, **environ: str) -> Ended:
    """Run the installed program to its end."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [PROGRAM, *args],
        input=data,
        stdin=subprocess.DEVNULL if data is None else None,
        capture_output=True,
        env={**os.environ, **environ},
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return Ended(done.returncode, _text(done.stdout), _text(done.stderr))


def start_program(
    *args: str, preexec_fn: Callable[[], object] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """Start the installed program and leave it running. It hears Ctrl-C."""

    def prepare() -> None:
        # What a script starts in the background ignores Ctrl-C, and so does all that it starts: the program
        # would too, if the tests were run that way.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if preexec_fn:
            preexec_fn()

    return subprocess.Popen([PROGRAM, *args], preexec_fn=prepare, **options)


def run_in_terminal(
    *args: str, answer: str = "", columns: int = 100, environ: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run the installed program in a terminal, typing `answer` when it asks: exit code and screen."""
    leader, follower = pty.openpty()
    settings = {"TERM": "xterm-256color", "COLUMNS": str(columns), **(environ or {})}
    process = start_program(
        *args, preexec_fn=partial(os.login_tty, follower), env={**os.environ, **settings}, pass_fds=[follower]
    )
    os.close(follower)
    shown, deadline = b"", time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and (piece := _read(leader)) is not None:
        shown += piece
        if answer and b"[y/N]" in shown:
            os.write(leader, answer.encode())
            answer = ""
    os.close(leader)
    return process.wait(PATIENCE_SECONDS), _text(shown).replace("\r\n", "\n")


def _read(terminal: int) -> bytes | None:
    """What the terminal shows next; None when the program has left it."""
    if not select.select([terminal], [], [], 0.1)[0]:
        return b""
    try:
        return os.read(terminal, 65536) or None
    except OSError:
        return None


def _text(raw: bytes) -> str:
    return raw.decode(errors="backslashreplace")
