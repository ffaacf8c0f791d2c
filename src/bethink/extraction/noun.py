"""Extractions, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.contracts import Archived, Noun, Reference, Taking
from bethink.records import Extraction
from bethink.store import archive, erasure, extractions, messages


def _take(taking: Taking, records: Sequence[Extraction]) -> int:
    """Store those that are new, but for sessions that have messages of their own, which may be unread.

    There, what the archive brought is read again; what is known already is merged.
    """
    tx, space_id = taking.tx, taking.space.id
    known = archive.known(tx, space_id, "extraction", [one.id for one in records])
    for session_id in {one.session_id for one in records} - taking.mixed.keys():  # it brought no messages
        taking.mixed[session_id] = messages.last_position(tx, space_id, session_id) > 0
    fresh = [one for one in records if one.id not in known and not taking.mixed[one.session_id]]
    extractions.add(tx, fresh)
    return len(fresh)


EXTRACTION = Noun(
    "extraction",
    Extraction,
    "extractions",
    references=(Reference("session_id", "session"),),
    archived=Archived(long=("reason",), take=_take),
    own_words=False,
    quotes=lambda one: (one.reason,) if one.reason else (),  # a host may have said it back
    blank=erasure.extractions,
)
