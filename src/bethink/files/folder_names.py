"""Which folder the files of a space are in, and whose a folder is.

A folder is named by its space's name only where no two names can mean one folder, on any file system; else
by the space's id. A mark in the folder says which space it is of, so that a name that was given to another
space since does not hand over its files.
"""

from __future__ import annotations

import re
from pathlib import Path

from bethink.errors import StoreError

AGREED = ".agreed"
_MARK = "space"
# No capitals, no accents, no dot at the end: systems differ in whether those make another name.
_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
_LIKE_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")  # no files on Windows, whatever follows


def folder_name(space_id: str, name: str) -> str:
    """What the folder of a space is called: by its name where that is a safe one, or else by its id."""
    is_safe = _SAFE.fullmatch(name) and not _LIKE_ID.fullmatch(name) and not _DEVICE.fullmatch(name)
    return name if is_safe else space_id


def owner(folder: Path) -> str | None:
    """The id of the space that the files are of; None where nothing says so yet."""
    try:
        return mark_of(folder).read_text("utf-8", "replace").strip() or None
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_of_another(folder: Path, space_id: str) -> bool:
    """Whether the files are another space's."""
    return owner(folder) not in (None, space_id)


def make_room(folder: Path, space_id: str) -> None:
    """Put a folder aside that is another space's: under the id of that space, which nobody's name can be."""
    other = owner(folder)
    if other is None or other == space_id:
        return
    aside = folder.with_name(other)
    if not _LIKE_ID.fullmatch(other) or aside.exists():
        raise StoreError(f"{folder} holds the files of another space; move it away.")
    folder.rename(aside)


def unmarked(folder: Path) -> bool:
    """Whether there are files that nothing says whose they are."""
    return folder.is_dir() and owner(folder) is None


def mark_of(folder: Path) -> Path:
    """The file that says which space the folder is of."""
    return folder / AGREED / _MARK
