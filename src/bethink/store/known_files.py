"""Which database files there were: an empty file in the place of one is a loss, not a new database."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from platformdirs import user_state_path

from bethink.errors import StoreError
from bethink.settings.private import write_private

_log = logging.getLogger(__name__)


def refuse_emptied(path: Path) -> None:
    """Raise `StoreError` for an empty file that was a database before."""
    if not path.is_file() or path.stat().st_size:
        return
    log = path.with_name(path.name + "-wal")
    if _marker(path).exists() or (log.is_file() and log.stat().st_size):
        raise StoreError(
            f"{path} is empty, but it was a database before. Restore it from a backup or an export. To begin"
            f" anew instead, delete {path.name} and, if they are there, {path.name}-wal and {path.name}-shm."
        )


def note(path: Path) -> None:
    """Remember that a file is a database, in the user's own state."""
    marker = _marker(path)
    if marker.exists():
        return
    try:
        write_private(marker, f"{path.resolve()}\n")
    except OSError as error:  # an account without a home, as services have: then only the log beside it tells
        _log.info("That %s is a database could not be noted: %s", path, error.strerror)


def forget(path: Path) -> None:
    """A file that is made anew is not known yet, until it is a database."""
    try:
        _marker(path).unlink(missing_ok=True)
    except OSError as error:
        _log.info("That %s was a database could not be forgotten: %s", path, error.strerror)


def _marker(path: Path) -> Path:
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return user_state_path("bethink") / "databases" / name
