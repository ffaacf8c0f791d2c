"""SQLite databases of other programs: copied to a file of their own, for they may be part of an archive."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bethink.errors import InvalidInput
from bethink.store.outside import Outside, Unreadable, is_database, whole_size
from bethink.transfer.chats.sources import Source

_KINDS = {
    "imessage": {"message", "chat", "handle", "chat_message_join"},
    "signal": {"message", "thread", "recipient"},
}


def database_in(source: Source) -> str | None:
    """The file of an archive that is a database; None when it holds none."""
    for name in source.members:
        if name.lower().endswith((".db", ".sqlite", ".sqlite3")) and is_database(source.start(name)):
            return name
    return None


def kind_of(source: Source) -> str | None:
    """Whose database it is, by its tables."""
    try:
        with opened_database(source) as database:
            return next((kind for kind, tables in _KINDS.items() if tables <= database.columns.keys()), None)
    except InvalidInput:
        return None


@contextmanager
def opened_database(source: Source, kind: str | None = None) -> Iterator[Outside]:
    """The database of a file or an archive, with what its journal holds beside; of one kind, if given."""
    member = database_in(source)
    if source.is_zip and member is None:
        raise source.refused("the archive", "holds no database.")
    if not is_database(source.start(member)):
        raise source.refused("byte 0", "is no SQLite database.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "copy.db")
        parts = [(member, path)]
        if member and f"{member}-wal" in source.members:
            parts.append((f"{member}-wal", Path(f"{path}-wal")))
        for part, copy in parts:
            with source.opened(part) as stream, copy.open("wb") as out:
                shutil.copyfileobj(stream, out)
        if path.stat().st_size < whole_size(source.start(member)):
            raise source.refused("the database", "is not whole: the file ends too soon.")
        try:
            with Outside(path, source.stop.go_on) as database:
                if kind and (missing := _KINDS[kind] - database.columns.keys()):
                    raise source.refused("the database", f"has no table {', '.join(sorted(missing))}.")
                yield database
        except Unreadable as error:
            raise source.refused("the database", f"cannot be read: {error}.") from None
