"""The façade's part about export and import."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, cast
from zoneinfo import ZoneInfo

from bethink.clock import now
from bethink.core import Core
from bethink.errors import InvalidInput
from bethink.facts.versions import set_fact
from bethink.memories.remember import remember, turns
from bethink.records import Space
from bethink.settings.private import open_private
from bethink.shapes.outcomes import FactSet, Outcome, Progress, Status
from bethink.shapes.rights import Exported, Imported, ImportRequest
from bethink.store import Tx, spaces
from bethink.transfer.bounds import some
from bethink.transfer.chats.formats import Format, detect, format_called
from bethink.transfer.chats.sources import Source
from bethink.transfer.check import Line, Outline, check_archive, lines, read_header
from bethink.transfer.importing import import_chats
from bethink.transfer.shapes import FactRow, Foreign, length_of, read_foreign
from bethink.transfer.stopping import Stop
from bethink.transfer.take import Taken, any_of_others, begin, finish, take
from bethink.transfer.write import write_archive

WHOLE = ("bethink", "mem0", "chroma", "list")  # what is no conversation, and told apart by its shape

Files = str | os.PathLike[str] | IO[bytes]
Watch = Callable[[Progress], None] | None


async def export_space(
    core: Core, space: Space, file: Files, watch: Watch, *, secrets: bool = False
) -> Exported:
    """Write a space's archive. A file at a path is replaced only when the archive is whole."""
    loop = asyncio.get_running_loop()
    masks = core.secrecy.masks and not secrets

    def report(done: int, total: int) -> None:
        if watch:
            loop.call_soon_threadsafe(watch, Progress(done=done, total=total))

    if not isinstance(file, str | os.PathLike):
        return await core.driver.read(write_archive, space, cast(BinaryIO, file), report, masks=masks)
    path = Path(file)
    part = path.with_name(path.name + ".part")
    try:
        with _created(part) as out:
            exported = await core.driver.read(write_archive, space, out, report, masks=masks)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except OSError as error:
        raise InvalidInput(f"file: {path} cannot be written: {error.strerror}.", field="file") from None
    finally:
        part.unlink(missing_ok=True)
    return exported


async def import_space(
    core: Core, space: Space, file: Files, request: ImportRequest, actor: str, watch: Watch
) -> Imported:
    """Take in an archive, conversations, or what another program keeps of memories.

    If the task is cancelled, the reading stops. What was stored by then stays, and is not said to be all.
    """
    stop = Stop()
    with _opened(file) as opened:
        name = request.name or _name_of(file)
        current = await core.driver.read(spaces.get, space.id)  # its timezone may have changed since
        zone = ZoneInfo(request.timezone or current.timezone)
        source = Source(opened, name, zone=zone, date_order=request.date_order, stop=stop)
        chats = await stop.run(_chats, source, request.format)
        stream = stop.watched(opened)
        try:
            if chats is not None:
                done = await import_chats(core, space, source, chats, request, actor, watch)
            elif _is_archive(source.start()):
                done = await _archive(core, space, stream, stop, actor, watch)
            else:
                done = await _foreign(core, space, stream, stop, actor, watch)
        finally:  # also of an import that ended too soon: what is stored is to be found
            core.spaces.forget()
            core.backfill.nudge(space)
    await core.changed("archive", space)
    return done


async def _archive(
    core: Core, space: Space, stream: BinaryIO, stop: Stop, actor: str, watch: Watch
) -> Imported:
    chars, style = core.settings.limits.content_chars, core.settings.index.text_form
    outline: Outline = await stop.run(check_archive, stream, chars)
    copying = await _is_copy(core, space, stream, stop, chars)
    read_header(stream)
    records = lines(stream, chars)
    total, seen, taken = sum(outline.counts.values()), 0, Taken()
    restored = False
    while batch := await stop.run(some, records, _size):
        stored = core.secrecy.to_store([line.record for line in batch])
        batch = [replace(line, record=record) for line, record in zip(batch, stored, strict=True)]
        if batch[0].noun == "space":
            archived: Any = batch[0].record
            has_people = bool(outline.ids["person"])
            restored = await core.driver.write(begin, space, archived, has_people=has_people)
        became = await core.driver.write(take, space, batch, taken, style, copying=copying)
        taken.add(became)
        seen += len(batch)
        if watch:
            watch(Progress(done=seen, total=total))
    done = Imported(
        format="bethink", stored=dict(taken.stored), duplicates=dict(+taken.duplicates), restored=restored
    )
    if copying:
        done.restored = False
        done.notes.append(
            "another space of this database has these records, so these are copies with new ids"
        )
    await core.driver.write(finish, space, done, now(), actor)
    return done


async def _is_copy(core: Core, space: Space, stream: BinaryIO, stop: Stop, chars: int) -> bool:
    """Whether another space of the database holds what the archive holds: an id is given only once."""
    read_header(stream)
    records = lines(stream, chars)
    while batch := await stop.run(some, records, _size):
        if await core.driver.read(any_of_others, space, batch):
            return True
    return False


def _size(line: Line) -> int:
    return line.size


async def _foreign(
    core: Core, space: Space, stream: BinaryIO, stop: Stop, actor: str, watch: Watch
) -> Imported:
    found: Foreign = await stop.run(read_foreign, stream, core.settings.limits.content_chars)
    done = Imported(format=found.format, stored={"memory": 0}, duplicates={"memory": 0})
    drafts, seen = found.drafts(), 0
    while batch := await stop.run(some, drafts, length_of):
        batch = core.secrecy.to_store(batch)
        notes = [draft for draft in batch if not isinstance(draft, FactRow)]
        for outcome in await core.driver.write_in_turn(
            turns(space, notes), remember, space, notes, now(), actor
        ):
            _count(done, "memory", outcome)
        if rows := [draft for draft in batch if isinstance(draft, FactRow)]:
            for fact_set in await core.driver.write(_set_facts, space, rows, now(), actor):
                _count(done, "fact", fact_set)
        seen += len(batch)
        if watch:
            watch(Progress(done=seen, total=found.count))
    done.notes = found.notes
    await core.driver.write(finish, space, done, now(), actor)
    return done


def _set_facts(tx: Tx, space: Space, rows: Sequence[FactRow], at: datetime, actor: str) -> list[FactSet]:
    return [set_fact(tx, space, row.fact, at, actor, since=row.since) for row in rows]


def _count(done: Imported, noun: str, outcome: Outcome) -> None:
    counts = done.duplicates if outcome.status is Status.DUPLICATE else done.stored
    if noun == "memory" and outcome.status is not Status.STORED:
        counts = done.duplicates
    counts[noun] = counts.get(noun, 0) + 1


def _chats(source: Source, format_: str | None) -> Format | None:
    """The format of the conversations in a file; None when it holds something else."""
    if format_ is None:
        return None if _is_archive(source.start()) else detect(source)
    return None if format_ in WHOLE else format_called(format_)


def _is_archive(start: bytes) -> bool:
    return b'"format":"bethink"' in start.partition(b"\n")[0].replace(b" ", b"")


def _name_of(file: Files) -> str | None:
    name = file if isinstance(file, str | os.PathLike) else getattr(file, "name", None)
    return os.fspath(name) if isinstance(name, str | os.PathLike) else None


@contextmanager
def _opened(file: Files) -> Iterator[BinaryIO]:
    """A stream that can be read twice."""
    if isinstance(file, str | os.PathLike):
        try:
            with Path(file).open("rb") as stream:
                yield stream
        except OSError as error:
            raise InvalidInput(f"file: {file} cannot be read: {error.strerror}.", field="file") from None
    elif file.seekable():
        yield cast(BinaryIO, file)
    else:
        with tempfile.TemporaryFile() as kept:
            shutil.copyfileobj(file, kept)
            yield cast(BinaryIO, kept)


def _created(path: Path) -> BinaryIO:
    """A new file that only its owner can read."""
    path.unlink(missing_ok=True)  # left by a process that was killed, or put there by somebody else
    return cast(BinaryIO, os.fdopen(open_private(path, os.O_WRONLY), "wb"))
