"""Files and folders that only their owner can read, whatever the umask says."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing; folders that were there keep their mode."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        try:
            place.mkdir(FOLDER_MODE)
        except FileExistsError:  # another process was as quick
            continue
        place.chmod(FOLDER_MODE)  # a umask may have taken away what the owner needs


def open_private(path: Path, flags: int) -> int:
    """Open a file, made if it is missing, and return its descriptor; one that was there keeps its mode."""
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        return os.open(path, flags | os.O_CREAT, FILE_MODE)
    os.chmod(path, FILE_MODE)  # by path: Windows has no fchmod
    return descriptor


def write_private(path: Path, content: str) -> None:
    """Put text in the place of a file, whole or not at all."""
    make_private_folder(path.parent)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with os.fdopen(open_private(part, os.O_WRONLY), "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
