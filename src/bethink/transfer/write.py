"""Write everything a space holds as one archive, from one state of the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from bethink.nouns import NOUNS
from bethink.records import Space
from bethink.shapes.rights import Exported
from bethink.store import Tx, archive, spaces
from bethink.transfer.lines import ArchivedSpace, header, line_of

REPORT_EVERY = 500

Report = Callable[[int, int], None]


def write_archive(tx: Tx, space: Space, out: BinaryIO, report: Report) -> Exported:
    """Write the archive line by line; nothing but one line is in memory at a time."""
    counts = {"space": 1}
    counts |= {noun: archive.count(tx, space.id, noun) for noun in NOUNS.archived}
    total, done = sum(counts.values()), 1
    written = out.write(header(counts))
    written += out.write(line_of("space", ArchivedSpace.of(spaces.get(tx, space.id))))
    for noun in NOUNS.archived:
        for record in archive.each(tx, space.id, noun):
            written += out.write(line_of(noun, record))
            done += 1
            if done % REPORT_EVERY == 0:
                report(done, total)
    report(done, total)
    return Exported(counts=counts, bytes=written)
