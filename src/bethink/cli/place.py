"""Where a database is to be: a folder that is not there may be a slip of the pen."""

from __future__ import annotations

import sys
from pathlib import Path

from bethink.cli.confirm import confirm
from bethink.cli.output import Output
from bethink.errors import SettingsError


def check_folder(out: Output, database: str | None, *, create: bool) -> None:
    """Ask before the folder of a database that `--database` names is made; refuse where nobody can answer."""
    scheme, separator, rest = (database or ":memory:").partition("://")
    path = rest if separator else scheme
    if create or path == ":memory:" or (separator and scheme not in ("sqlite", "file")):
        return
    folder = Path(path).expanduser().absolute().parent
    if folder.exists():
        return
    if sys.stdin.isatty():
        confirm(out, f"There is no folder {folder}. Make it, with a new database in it?")
        return
    raise SettingsError(
        f"There is no folder {folder}, so the database {path} is not there. If the path is right, --create"
        " makes both.",
        field="database",
    )
