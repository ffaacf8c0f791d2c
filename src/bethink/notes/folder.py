"""The notes on disk: `notes` in the folder of a space, with folders such as `people` and `projects` in it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bethink.documents.formats import decoded
from bethink.files.folder_names import is_of_another
from bethink.shapes.fields import is_storable

NOTES = "notes"
KINDS = ("chats", "channels", "people", "projects", "notes", "strategy")
ENDINGS = frozenset({".md", ".markdown", ".txt", ".json"})
MOST_NOTES = 10_000
LONGEST_NOTE = 1_000_000  # bytes


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note as it is on disk; `file` is its place in the folder, such as `people/anna.md`."""

    file: str
    path: Path
    size: int
    changed_at: datetime

    @property
    def kind(self) -> str:
        """The folder that it is in; of one that is in none, `notes`."""
        first, found, _ = self.file.partition("/")
        return first if found else NOTES

    @property
    def is_readable(self) -> bool:
        """Whether it is short enough to be read, and not empty."""
        return 0 < self.size <= LONGEST_NOTE

    def text(self) -> str:
        """What it says, with the ends of lines as they usually are."""
        return decoded(self.path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")

    def hash(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def notes_in(folder: Path | None, space_id: str) -> list[NoteFile]:
    """The notes of a space, in the order of their names. No link is followed."""
    if folder is None or is_of_another(folder, space_id):
        return []
    return sorted(_found(folder / NOTES), key=lambda note: note.file)


def _found(root: Path) -> Iterator[NoteFile]:
    left = MOST_NOTES
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            file = path.relative_to(root).as_posix()
            if name.startswith(".") or path.suffix.lower() not in ENDINGS or not is_storable(file):
                continue
            try:
                seen = path.lstat()
            except OSError:
                continue  # it is gone again
            if path.is_symlink() or left == 0:
                continue
            left -= 1
            yield NoteFile(file, path, seen.st_size, datetime.fromtimestamp(seen.st_mtime, UTC))


def delete_notes(folder: Path | None, space_id: str) -> int:
    """Delete all notes of a space from the disk; how many there were."""
    notes = notes_in(folder, space_id)
    if folder is not None and not is_of_another(folder, space_id):
        shutil.rmtree(folder / NOTES, ignore_errors=True)
    return len(notes)
