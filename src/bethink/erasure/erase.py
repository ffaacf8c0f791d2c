"""Erase: delete records and every trace of them in the database, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.erasure.selection import Selection, choose, erasable
from bethink.index.describe import Style
from bethink.index.tell import tell
from bethink.nouns import NOUNS
from bethink.people import household
from bethink.records import JournalEntry, Layer, Space
from bethink.shapes.rights import EraseRequest, Place
from bethink.store import Tx, archive, entries, erasure, journal, persons, rows, sessions, spaces, units
from bethink.store.rows import to_json
from bethink.text.traces import Traces, strings_in

RECORDS_SHOWN = 1000  # in a dry run


@dataclass
class Erased:
    """What was erased, and what to look for to prove it. It stays in this process."""

    id: str
    counts: dict[str, int] = field(default_factory=dict)
    records: list[Place] = field(default_factory=list)
    traces: Traces = field(default_factory=Traces)
    entry_ids: list[int] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    whole_space: bool = False
    reasons: int = 0  # of extractions that quoted what was erased

    @property
    def found(self) -> bool:
        """Whether there was anything to erase."""
        return bool(self.reasons or any(self.counts.values()))


def preview(tx: Tx, space: Space, asked: EraseRequest) -> Erased:
    """What would be erased."""
    if asked.everything:
        counts = {NOUNS.by_name[noun].table: archive.count(tx, space.id, noun) for noun in NOUNS.archived}
        return Erased(new_id(), counts, whole_space=True)
    selection = choose(tx, space.id, asked)
    lines, _ = _journal(tx, space, selection, selection.traces())
    return Erased(new_id(), _counts(selection, lines), list(selection.records)[:RECORDS_SHOWN])


def erase(tx: Tx, space: Space, asked: EraseRequest, now: datetime, actor: str, style: Style) -> Erased:
    """Delete what is asked for and all that tells of it; the journal keeps only that something was erased."""
    erasure.secure(tx)
    # So that nothing is derived meanwhile from what goes; and it may have another name by now.
    space = spaces.claim(tx, space.id, now)
    erased = _everything(tx, space, now) if asked.everything else _some(tx, space, asked, now, style)
    if erased.found:
        erasure.leaves_bytes(tx)
    told = ", ".join(f"{number} {noun}" for noun, number in erased.counts.items() if number)
    line = JournalEntry(
        id=new_id(),
        space_id=space.id,
        at=now,
        actor=actor,
        action="erased",
        noun="erasure",
        record_id=erased.id,
        reason=f"{asked.kind}: {told or 'nothing was found'}",
    )
    journal.add(tx, [line])
    return erased


def _everything(tx: Tx, space: Space, now: datetime) -> Erased:
    counts = erasure.everything(tx, space)
    fresh = space.model_copy(
        update={"display_name": space.name, "mode": "single", "timezone": "UTC", "locale": "en-US"}
        | {"settings": {}, "updated_at": now}
    )
    spaces.update(tx, fresh)
    household.ensure_people(tx, space, None, now)
    return Erased(new_id(), counts, whole_space=True)


def _some(tx: Tx, space: Space, asked: EraseRequest, now: datetime, style: Style) -> Erased:
    selection = choose(tx, space.id, asked)
    traces = selection.traces()
    lines, blanked = _journal(tx, space, selection, traces)
    records = [id_ for noun in NOUNS.indexed for id_ in selection.of(noun)]
    erased = Erased(
        new_id(),
        _counts(selection, lines),
        traces=traces,
        entry_ids=erasure.entry_ids(tx, space.id, records),
        terms=_terms(selection, space, style),
    )
    erasure.journal(tx, space.id, lines)
    erasure.blank(tx, space.id, blanked)
    erased.reasons = _blank(tx, space, traces)
    _delete(tx, space, selection)
    _mend(tx, space, selection, style)
    _unindex(tx, space, selection)  # after that: what is found again must not get an id that is gone
    _unname_sessions(tx, space, selection)  # last: until then, records go by the old ids
    if selection.person:
        persons.delete(tx, space.id, selection.person.id)
        household.ensure_people(tx, space, None, now)  # someone always lives in a space
    if selection.session:
        erasure.session(tx, space.id, selection.session.id)
    erased.counts["journal lines blanked"] = len(blanked)
    return erased


def _unname_sessions(tx: Tx, space: Space, selection: Selection) -> None:
    """Conversations that are called by what is erased stay, without their titles and under other ids."""
    for session in selection.titled.values():
        sessions.update(tx, session.model_copy(update={"title": None, "metadata": {}}))
    for old in selection.misnamed:
        erasure.rename_session(tx, space.id, old, new_id())


def _delete(tx: Tx, space: Space, selection: Selection) -> None:
    for noun, records in reversed(selection.found.items()):
        if erase := NOUNS.by_name[noun].erase:
            erase(tx, space, list(records))
        else:
            rows.delete(tx, space.id, noun, list(records))
    erasure.derived(tx, space.id)


def _unindex(tx: Tx, space: Space, selection: Selection) -> None:
    for noun in NOUNS.indexed:
        entries.remove(tx, space, Layer(noun), list(selection.of(noun)))


def _mend(tx: Tx, space: Space, selection: Selection, style: Style) -> None:
    """What is left must not name what is gone: facts their sources, messages the turns beside them."""
    gone = selection.ids
    units.unlink(tx, space.id, sorted(gone))
    for noun in NOUNS:
        if noun.relink:
            left = list(_naming(tx, space, noun.name, gone))
            for record in left:
                noun.relink(tx, record)
            tell(tx, space, noun.name, left, style)
    for name, indexed in NOUNS.indexed.items():
        if indexed.index and (records := selection.of(name)):
            indexed.index(tx, space, list(records.values()), style)


def _naming(tx: Tx, space: Space, noun: str, gone: set[str]) -> Iterator[Any]:
    """Records that name what is gone, without those names."""
    links = [reference.field for reference in NOUNS.by_name[noun].references if reference.tie != "about"]
    for record in archive.each(tx, space.id, noun):
        named = {name: getattr(record, name) for name in links}
        if not gone.isdisjoint(strings_in(named)):
            yield record.model_copy(update={name: _without(value, gone) for name, value in named.items()})


def _without(value: Any, gone: set[str]) -> Any:
    """A reference without the ids that are gone."""
    match value:
        case str():
            return None if value in gone else value
        case list():
            return [item for item in value if item not in gone]
        case dict():
            left = {name: _without(item, gone) for name, item in value.items()}
            return {name: item for name, item in left.items() if item is not None}
        case _:
            return value


def _journal(tx: Tx, space: Space, selection: Selection, traces: Traces) -> tuple[list[str], list[str]]:
    """The lines about what is erased, which go, and the others that quote it, which lose their content."""
    lines, blanked, gone = [], [], selection.ids
    for line in archive.each(tx, space.id, "journal"):
        if line.record_id in gone:
            lines.append(line.id)
            continue
        quoted = [to_json(part) for part in (line.before, line.after) if part is not None]
        quoted += [line.reason] if line.reason else []
        if _tells(traces, quoted):
            blanked.append(line.id)
    return lines, blanked


def _blank(tx: Tx, space: Space, traces: Traces) -> int:
    """Empty what quotes what is erased, in records that only tell of others; how many did."""
    total = 0
    for noun in NOUNS:
        if noun.quotes and noun.blank:
            quoted = ((one.id, noun.quotes(one)) for one in archive.each(tx, space.id, noun.name))
            telling = [id_ for id_, parts in quoted if _tells(traces, parts)]
            noun.blank(tx, space.id, telling)
            total += len(telling)
    return total


def _tells(traces: Traces, parts: Iterable[str]) -> bool:
    return any(traces.text_in(part) or traces.id_in(part) for part in parts)


def _counts(selection: Selection, lines: Sequence[str]) -> dict[str, int]:
    return {
        **{NOUNS.by_name[noun].table: len(selection.of(noun)) for noun in erasable()},
        "persons": 1 if selection.person else 0,
        "sessions": 1 if selection.session else 0,
        "session titles": len(selection.titled),
        "session ids": len(selection.misnamed),
        "journal": len(lines),
    }


def _terms(selection: Selection, space: Space, style: Style) -> list[str]:
    """Every term that the index held of what is erased."""
    said = [
        indexed.entry(record, space.timezone, style).body
        for noun, indexed in NOUNS.indexed.items()
        for record in selection.of(noun).values()
    ]
    return sorted({term for body in said for term in body})
