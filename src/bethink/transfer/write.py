"""Write everything a space holds as one archive, from one state of the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from bethink.errors import Corrupt, Damaged
from bethink.nouns import NOUNS
from bethink.records import Space
from bethink.shapes.outcomes import DamagedRecord
from bethink.shapes.rights import Exported
from bethink.store import Tx, archive, spaces
from bethink.text.secrets import masked_record
from bethink.text.traces import strings_in
from bethink.transfer.lines import ArchivedSpace, header, line_of

REPORT_EVERY = 500

Report = Callable[[int, int], None]


@dataclass
class _Found:
    """What one pass over a space came upon."""

    counts: Counter[str] = field(default_factory=Counter)
    damaged: list[Damaged] = field(default_factory=list)
    masked: int = 0
    known: dict[str, set[str]] = field(default_factory=lambda: {noun: set() for noun in NOUNS.referred})
    lost: dict[str, set[str]] = field(default_factory=lambda: {noun: set() for noun in NOUNS.referred})


def write_archive(tx: Tx, space: Space, out: BinaryIO, report: Report, *, masks: bool) -> Exported:
    """Write the archive line by line; nothing but one line is in memory at a time.

    Damaged records are left out and named. What others refer to gets a stand-in, so that the archive can be
    imported; its first line counts what is there, so it is then written a second time. With `masks`, every
    secret in it is masked.
    """
    start, by_place = out.tell() if out.seekable() else 0, set[str]()
    counts = {"space": 1} | {noun: _count(tx, space, noun, by_place) for noun in NOUNS.archived}
    while True:
        try:
            found, written = _pass(tx, space, out, report, counts, by_place, {}, masks=masks)
            break
        except _Unreadable as error:
            by_place.add(error.noun)
            _restart(out, start, error.cause)
    if found.damaged or any(counts[noun] != found.counts[noun] for noun in NOUNS.archived):
        _restart(out, start, found.damaged[0] if found.damaged else Corrupt())
        counts = {"space": 1} | {noun: found.counts[noun] for noun in NOUNS.archived}
        counts |= {noun: counts[noun] + len(ids) for noun, ids in found.lost.items()}
        again, written = _pass(tx, space, out, report, counts, by_place, found.lost, masks=masks)
        assert again.counts == found.counts  # noqa: S101  (one state of the database)
    damaged = [_named(one) for one in found.damaged]
    return Exported(counts=counts, bytes=written, masked=found.masked, damaged=damaged)


def _count(tx: Tx, space: Space, noun: str, by_place: set[str]) -> int:
    try:
        with tx.attempt():
            return archive.count(tx, space.id, noun)
    except Corrupt:
        by_place.add(noun)
        return 0


class _Unreadable(Exception):
    def __init__(self, noun: str, cause: Corrupt) -> None:
        self.noun, self.cause = noun, cause


def _restart(out: BinaryIO, start: int, cause: Exception) -> None:
    if not out.seekable():
        raise cause
    out.seek(start)
    out.truncate()


def _pass(
    tx: Tx,
    space: Space,
    out: BinaryIO,
    report: Report,
    counts: dict[str, int],
    by_place: set[str],
    lost: dict[str, set[str]],
    *,
    masks: bool,
) -> tuple[_Found, int]:
    found, total, done = _Found(), sum(counts.values()), 1
    written = out.write(header(counts))
    written += out.write(line_of("space", ArchivedSpace.of(spaces.get(tx, space.id))))
    for noun in NOUNS.archived:
        for id_ in sorted(lost.get(noun, ())):
            written += out.write(line_of(noun, _stand_in(noun, id_, space)))
        for record in _records(tx, space, noun, found, by_place):
            shown = masked_record(record) if masks else record
            found.masked += shown is not record
            written += out.write(line_of(noun, shown))
            _follow(noun, record, found)
            done += 1
            if done % REPORT_EVERY == 0:
                report(done, total)
    report(done, total)
    return found, written


def _records(tx: Tx, space: Space, noun: str, found: _Found, by_place: set[str]) -> Iterator[Any]:
    try:
        yield from archive.each(tx, space.id, noun, found.damaged.append, by_place=noun in by_place)
    except Corrupt as error:
        if noun in by_place:
            raise
        raise _Unreadable(noun, error) from error


def _follow(noun: str, record: Any, found: _Found) -> None:
    """Note what a record is, and what it refers to that did not come before it."""
    found.counts[noun] += 1
    if noun in found.known:
        found.known[noun].add(record.id)
    for reference in NOUNS.by_name[noun].references:
        if reference.to is not None and reference.required:
            ids = strings_in(getattr(record, reference.field))
            found.lost[reference.to].update(id_ for id_ in ids if id_ not in found.known[reference.to])


def _stand_in(noun: str, id_: str, space: Space) -> Any:
    """What takes the place of a damaged record, so that what belongs to it can be imported."""
    stand_in = NOUNS.archived[noun].stand_in
    assert stand_in is not None  # noqa: S101  (or nobody could have to name it)
    return stand_in(id_, space)


def _named(error: Damaged) -> DamagedRecord:
    return DamagedRecord(noun=error.noun, id=error.record_id, problem=error.problem)
