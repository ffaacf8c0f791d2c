"""The `recollect` command."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command line: what the installed `recollect` calls."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal cannot write is a mark there, not a crash
            stream.reconfigure(errors="replace")
    try:
        from recollect.cli.app import app

        app(prog_name="recollect")
    except KeyboardInterrupt:  # while the program was still loading
        sys.exit(130)
