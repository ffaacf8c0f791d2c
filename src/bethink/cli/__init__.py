"""The `bethink` command."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command line: what the installed `bethink` calls."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal cannot write is a mark there, not a crash
            stream.reconfigure(errors="replace")
    try:
        from bethink.cli.app import app

        app(prog_name="bethink")
    except KeyboardInterrupt:  # while the program was still loading
        sys.exit(130)
