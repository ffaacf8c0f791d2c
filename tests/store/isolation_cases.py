"""Every function of the store that takes a transaction, called in one space with an eye on another.

Whoever adds such a function adds it to one of these tables: READS, WRITES or SPACELESS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bethink.nouns import NOUNS
from bethink.records import DocumentStatus, Layer, MessageTier, Space, SummaryTier
from bethink.store import (
    Tx,
    accesses,
    archive,
    changes,
    contexts,
    devices,
    documents,
    entries,
    erasure,
    extractions,
    facts,
    insights,
    journal,
    keyword_search,
    mailboxes,
    memories,
    messages,
    near_indexes,
    persons,
    rows,
    runs,
    sessions,
    settings,
    spaces,
    strays,
    summaries,
    survey,
    token_vectors,
    units,
    vectors,
)
from bethink.store.changes import Reader
from bethink.store.filters import EntryFilter, MemoryFilter, MessageFilter, SummaryFilter
from bethink.store.rows import by_entries, every_layer
from tests.store import samples
from tests.store.samples import DAY, NOW, entry

SIGNATURE, NEWER = "test:model:2", "test:newer:2"
CHANGES = (("memory", "forgotten"), ("memory", "updated"), ("message", "edited"))
ANYTHING = EntryFilter()
VECTOR = np.array([1, 2], np.float32)


@dataclass(frozen=True)
class Place:
    """A space and the ids of what is in it. All else is alike in every place: names, keys, texts, times."""

    space: Space

    @property
    def id(self) -> str:
        return self.space.id

    def __getattr__(self, noun: str) -> str:
        return f"{noun} of {self.space.name}"

    def entry_ids(self, tx: Tx) -> list[int]:
        return entries.allowed(tx, self.id, ANYTHING)


def furnish(tx: Tx, place: Place) -> None:
    space = place.space
    persons.add(tx, samples.person(space, id=place.person))
    contexts.add(tx, samples.context(space, id=place.context))
    documents.add(tx, samples.document(space, id=place.document, path="/a.md", content_hash="hash"))
    part = samples.passage(space, place.document, id=place.passage)
    found = entry(place.passage, "black cat", layer=Layer.PASSAGE)
    documents.put_passages(tx, space, [part], [], [found])
    chat = sessions.ensure(tx, space.id, "chat", "chat", NOW)
    sessions.update(tx, chat.model_copy(update={"context_ids": [place.context]}))
    said = {"external_id": "e1", "name": "Ana", "person_id": place.person, "archived_at": NOW}
    messages.add(tx, [samples.message(space, "chat", 1, id=place.message, **said)])
    messages.add(tx, [samples.message(space, "chat", 2, id=place.reply, name="Ben", channel="#c")])
    note = samples.memory(
        space, "black cat", id=place.memory, key="k", tags=["t"], person_id=place.person, session_id="chat"
    )
    old = samples.memory(space, "cat", id=place.archived, archived_at=NOW, archived_into=place.memory)
    memories.add(tx, [note, old])
    facts.add(tx, samples.fact(space, id=place.expired, key="guest", expires_at=NOW))
    facts.add(tx, samples.fact(space, id=place.fact, promoted=True))
    facts.add(tx, samples.fact(space, id=place.past, person_id=place.person, valid_to=NOW))
    facts.add(
        tx,
        samples.fact(
            space, "cocoa", id=place.older, valid_to=NOW, superseded_by=place.fact, provenance=[place.message]
        ),
    )
    extractions.add(tx, [samples.extraction(space, "chat", id=place.extraction, status="failed")])
    read = [samples.unit(space, place.message, number, memory_id=place.memory) for number in range(3)]
    units.put(tx, space.id, [place.message], read)
    units.end(tx, read[1], samples.unit(space, place.reply), replaced=True)
    units.withdraw(tx, [read[2]])
    rows.add(tx, "insight", [samples.insight(space, id=place.insight, provenance=[place.message])])
    event = samples.insight_event(space, place.insight, id=place.insight_event, person_id=place.person)
    rows.add(tx, "insight_event", [event])
    runs.add(tx, samples.run(space, id=place.run))
    rows.add(tx, "summary", [samples.summary(space, id=place.summary, source_ids=[place.reply])])
    mailboxes.put(tx, space.id, "anna@example.org", "INBOX", mailboxes.ReadTo(1, space.number, NOW))
    devices.put(tx, samples.device(space, primary_person_id=place.person))
    facts.keep_standing(tx, space.id, "now", [place.fact])
    spaces.set_text(tx, space.id, "soul", f"the one of {space.name}", NOW)
    settings.put(tx, space.id, "colour", f"the one of {space.name}", NOW)
    lines = [samples.note(space, "r1", id=place.note)]
    lines += [
        samples.note(space, "r2", id=f"{action} of {space.name}", noun=noun, action=action)
        for noun, action in CHANGES
    ]
    journal.add(tx, lines)
    put = [
        entry(place.memory, "black cat", person_id="p", session_id="chat", expires_at=NOW + DAY),
        entry(place.message, "black cat", layer=Layer.MESSAGE, session_id="chat", position=1),
        entry(place.reply, "black cat", layer=Layer.MESSAGE, session_id="chat", position=2),
        entry(place.fact, "black cat", layer=Layer.FACT),
        entry(place.summary, "black cat", layer=Layer.SUMMARY),
    ]
    entries.put(tx, space, put)
    ids = place.entry_ids(tx)
    made = [(id_, "of black cat", VECTOR) for id_ in ids]
    vectors.put(tx, space, SIGNATURE, made[:2])
    vectors.put(tx, space, NEWER, made[2:3])
    entries.put(tx, space, [entry(f"probe:{space.name}", "black cat", expires_at=NOW - DAY)])
    if changes.waiting(tx):
        changes.number(tx)
    began = changes.begin(tx, "filled", space.number, NOW)
    changes.finish(tx, "filled", space.number, SIGNATURE, began, NOW)
    changes.begin(tx, "elsewhere", space.number, NOW)


def _found(hits: list[tuple[int, float]]) -> list[int]:
    """The ids; what others hold may move a score a little."""
    return [id_ for id_, _ in hits]


def _replace_and_remove(tx: Tx, place: Place) -> None:
    for text in ("stolen", ""):
        spaces.set_text(tx, place.id, "soul", text, NOW)


def _erase_and_furnish(tx: Tx, place: Place) -> None:
    """So that what is tried next finds something to do."""
    erasure.everything(tx, place.space)
    furnish(tx, place)


def _lists(*loaded: Any) -> list[Any]:
    return [part.tolist() for part in loaded]


# Every function that reads from a space, asked in `mine`, also for what only `theirs` has.
def both_records(mine: Place, theirs: Place) -> list[tuple[Layer, str]]:
    return [(Layer(noun), getattr(place, noun)) for place in (mine, theirs) for noun in NOUNS.indexed]


READS: dict[str, Callable[[Tx, Place, Place], Any]] = {
    "archive.count": lambda tx, mine, _: [archive.count(tx, mine.id, noun) for noun in NOUNS.archived],
    "archive.each": lambda tx, mine, _: [list(archive.each(tx, mine.id, noun)) for noun in NOUNS.archived],
    "archive.known": lambda tx, mine, theirs: archive.known(
        tx, mine.id, "memory", [mine.memory, theirs.memory]
    ),
    "rows.by_entries": lambda tx, mine, theirs: by_entries(
        tx, mine.id, mine.entry_ids(tx) + theirs.entry_ids(tx), NOW
    ),
    "changes.filled_at": lambda tx, mine, _: changes.filled_at(tx, "filled", mine.space.number),
    "changes.last": lambda tx, mine, _: changes.last(tx, mine.space.number),
    "changes.reader": lambda tx, mine, _: changes.reader(tx, "elsewhere", mine.space.number),
    "changes.since": lambda tx, mine, _: changes.since(tx, mine.space.number, 0),
    # It also tells how far the whole log goes, which is a number and nobody's.
    "changes.standing": lambda tx, mine, _: changes.standing(tx, mine.space, NOW)._replace(
        newest=0, oldest=0
    ),
    "changes.unread": lambda tx, mine, _: changes.unread(tx, mine.space.number, 0),
    "devices.find": lambda tx, mine, _: devices.find(tx, mine.id, "phone"),
    "devices.list_all": lambda tx, mine, _: devices.list_all(tx, mine.id),
    "entries.allowed": lambda tx, mine, _: entries.allowed(tx, mine.id, ANYTHING),
    "entries.by_fingerprints": lambda tx, mine, _: entries.by_fingerprints(
        tx, mine.id, Layer.MEMORY, ["of black cat"]
    ),
    "entries.by_ids": lambda tx, mine, theirs: entries.by_ids(
        tx, mine.id, mine.entry_ids(tx) + theirs.entry_ids(tx)
    ),
    "entries.count": lambda tx, mine, _: entries.count(tx, mine.id, SIGNATURE),
    "entries.expired": lambda tx, mine, _: entries.expired(tx, mine.id, NOW + 2 * DAY),
    "entries.last_number": lambda tx, mine, _: entries.last_number(tx, mine.space, Layer.MEMORY) > 0,
    "entries.by_day": lambda tx, mine, _: entries.by_day(tx, mine.id, NOW - DAY),
    "entries.newest": lambda tx, mine, _: entries.newest(tx, mine.id, ANYTHING, NOW, 100),
    "entries.following": lambda tx, mine, _: entries.following(tx, mine.space, 0, 100),
    "entries.of_record": lambda tx, mine, theirs: [
        found
        for id_ in (mine.memory, theirs.memory)
        if (found := entries.of_record(tx, mine.id, Layer.MEMORY, id_))
    ],
    "entries.probes": lambda tx, mine, _: entries.probes(tx, mine.id, NOW),
    "entries.stale": lambda tx, mine, _: entries.stale(tx, mine.id, SIGNATURE, 100),
    "erasure.entry_ids": lambda tx, mine, theirs: erasure.entry_ids(
        tx, mine.id, [mine.memory, theirs.memory]
    ),
    "erasure.ghost_terms": lambda tx, mine, _: erasure.ghost_terms(tx, mine.space.number, ["black"]) == 0,
    "erasure.terms_of_space": lambda tx, mine, _: erasure.terms_of_space(tx, mine.space.number),
    "extractions.failed": lambda tx, mine, _: extractions.failed(tx, mine.id, NOW + DAY, 100),
    "extractions.find": lambda tx, mine, theirs: [
        found for id_ in (mine.extraction, theirs.extraction) if (found := extractions.find(tx, mine.id, id_))
    ],
    "extractions.newest": lambda tx, mine, _: extractions.newest(
        tx, mine.id, session_id="chat", extractor="facts", limit=100
    ),
    "documents.awaiting": lambda tx, mine, _: documents.awaiting(tx, mine.id, mine.document, NEWER),
    "documents.by_hash": lambda tx, mine, _: documents.by_hash(tx, mine.id, "hash"),
    "documents.by_ids": lambda tx, mine, theirs: documents.by_ids(
        tx, mine.id, [mine.document, theirs.document]
    ),
    "documents.by_path": lambda tx, mine, _: documents.by_path(tx, mine.id, "/a.md"),
    "documents.in_states": lambda tx, mine, _: documents.in_states(tx, mine.id, DocumentStatus.EMBEDDING),
    "documents.kept_originals": lambda tx, mine, _: documents.kept_originals(tx, mine.id),
    "documents.page": lambda tx, mine, _: documents.page(tx, mine.id, None, 100, 0),
    "documents.passage_ids": lambda tx, mine, theirs: documents.passage_ids(
        tx, mine.id, [mine.document, theirs.document]
    ),
    "documents.below_path": lambda tx, mine, _: documents.below_path(tx, mine.id, "/a"),
    "documents.passages": lambda tx, mine, theirs: [
        *documents.passages(tx, mine.id, mine.document),
        *documents.passages(tx, mine.id, theirs.document),
    ],
    "documents.passages_by_ids": lambda tx, mine, theirs: documents.passages_by_ids(
        tx, mine.id, [mine.passage, theirs.passage]
    ),
    "contexts.by_ids": lambda tx, mine, theirs: contexts.by_ids(tx, mine.id, [mine.context, theirs.context]),
    "contexts.list_all": lambda tx, mine, _: contexts.list_all(tx, mine.id),
    "sessions.with_contexts": lambda tx, mine, _: sessions.with_contexts(tx, mine.id),
    "vectors.of_layer": lambda tx, mine, _: list(
        vectors.of_layer(tx, mine.space, Layer.MEMORY, SIGNATURE, 100)
    ),
    "extractions.behind": lambda tx, mine, _: extractions.behind(tx, mine.id, "patterns", 100),
    "memories.archived_into": lambda tx, mine, theirs: memories.archived_into(
        tx, mine.id, [mine.memory, theirs.memory]
    ),
    "memories.aging": lambda tx, mine, _: memories.aging(tx, mine.id, MemoryFilter(), None, 100),
    "memories.of_session": lambda tx, mine, _: memories.of_session(tx, mine.id, "chat"),
    "extractions.reached": lambda tx, mine, _: extractions.reached(tx, mine.id, "chat", "facts"),
    "facts.by_ids": lambda tx, mine, theirs: facts.by_ids(tx, mine.id, [mine.fact, theirs.fact]),
    "facts.current": lambda tx, mine, _: facts.current(tx, mine.id, None, "likes", "drink"),
    "facts.dropped_at": lambda tx, mine, theirs: [
        facts.dropped_at(tx, mine.id, id_, NOW) for id_ in (mine.person, theirs.person)
    ],
    "facts.expired": lambda tx, mine, _: facts.expired(tx, mine.id, NOW + DAY, 100),
    "facts.count_expired": lambda tx, mine, _: facts.count_expired(tx, mine.id, NOW + DAY),
    "facts.list_at": lambda tx, mine, _: facts.list_at(tx, mine.id, NOW, limit=100),
    "facts.list_current": lambda tx, mine, _: facts.list_current(tx, mine.id, limit=100),
    "facts.promoted": lambda tx, mine, _: facts.promoted(tx, mine.id, NOW, 100),
    "facts.superseded_by": lambda tx, mine, theirs: facts.superseded_by(
        tx, mine.id, [mine.fact, theirs.fact]
    ),
    "facts.versions": lambda tx, mine, _: facts.versions(tx, mine.id, None, "likes", "drink"),
    "insights.by_key": lambda tx, mine, _: insights.by_key(tx, mine.id, "", "k"),
    "insights.chosen": lambda tx, mine, _: insights.chosen(tx, mine.id),
    "insights.next_unread": lambda tx, mine, _: insights.next_unread(tx, mine.id, 100),
    "insights.unread": lambda tx, mine, _: insights.unread(tx, mine.id),
    "mailboxes.find": lambda tx, mine, _: mailboxes.find(tx, mine.id, "anna@example.org", "INBOX"),
    "insights.events": lambda tx, mine, theirs: [
        insights.events(tx, mine.id, [mine.insight, theirs.insight], id_)
        for id_ in (mine.person, theirs.person)
    ],
    "journal.by_hand": lambda tx, mine, _: journal.by_hand(tx, mine.id, ["r1", "r2"], NOW - DAY),
    "journal.edited_at": lambda tx, mine, _: journal.edited_at(tx, mine.id, ["r2"]),
    "journal.forgotten": lambda tx, mine, _: journal.forgotten(tx, mine.id, NOW - DAY),
    "journal.find": lambda tx, mine, theirs: [
        found for id_ in (mine.note, theirs.note) if (found := journal.find(tx, mine.id, id_))
    ],
    "journal.withdrawn": lambda tx, mine, _: [
        journal.withdrawn(tx, mine.id),
        journal.withdrawn(tx, mine.id, "chat"),
    ],
    "journal.newest": lambda tx, mine, _: journal.newest(tx, mine.id, record_id="r1", limit=100),
    "keyword_search.search": lambda tx, mine, _: _found(
        keyword_search.search(tx, mine.space, ["black", "cat"], ANYTHING, NOW, 100, keyword_search.Counts())
    ),
    "memories.by_ids": lambda tx, mine, theirs: memories.by_ids(tx, mine.id, [mine.memory, theirs.memory]),
    "memories.by_keys": lambda tx, mine, _: memories.by_keys(tx, mine.id, ["k"]),
    "memories.count": lambda tx, mine, _: memories.count(tx, mine.id, MemoryFilter(tags=["t"])),
    "memories.totals": lambda tx, mine, _: memories.totals(tx, mine.id, MemoryFilter(tags=["t"])),
    "memories.page": lambda tx, mine, _: memories.page(tx, mine.id, MemoryFilter(), 100, 0),
    "messages.by_external_ids": lambda tx, mine, _: messages.by_external_ids(tx, mine.id, "chat", ["e1"]),
    "messages.sessions_by_external_ids": lambda tx, mine, _: messages.sessions_by_external_ids(
        tx, mine.id, "chat", ["e1"]
    ),
    "messages.by_ids": lambda tx, mine, theirs: messages.by_ids(tx, mine.id, [mine.message, theirs.message]),
    "messages.following": lambda tx, mine, theirs: messages.following(
        tx, mine.id, [mine.message, theirs.message]
    ),
    "messages.last_position": lambda tx, mine, _: messages.last_position(tx, mine.id, "chat"),
    "messages.aging": lambda tx, mine, _: messages.aging(
        tx, mine.id, MessageTier.SHORT, NOW + DAY, None, 100
    ),
    "messages.count_aging": lambda tx, mine, _: messages.count_aging(
        tx, mine.id, MessageTier.SHORT, NOW + DAY
    ),
    "messages.purgeable": lambda tx, mine, _: messages.purgeable(tx, mine.id, NOW + DAY, 100),
    "messages.count_purgeable": lambda tx, mine, _: messages.count_purgeable(tx, mine.id, NOW + DAY),
    "messages.count": lambda tx, mine, _: messages.count(tx, mine.id, MessageFilter(names=["Ana"])),
    "messages.page": lambda tx, mine, _: messages.page(tx, mine.id, MessageFilter(platforms=["chat"]), 100),
    "messages.newest": lambda tx, mine, _: messages.newest(tx, mine.id, 100),
    "messages.newest_of_role": lambda tx, mine, _: messages.newest_of_role(tx, mine.id, "chat", "user", 100),
    "messages.positions_of": lambda tx, mine, _: messages.positions_of(tx, mine.id, "chat", "user", "turn 1"),
    "messages.of_session": lambda tx, mine, _: messages.of_session(tx, mine.id, "chat", 0, 100),
    "messages.speakers": lambda tx, mine, _: messages.speakers(tx, mine.id),
    "messages.window": lambda tx, mine, _: messages.window(tx, mine.id, "chat", 0, 100),
    "near_indexes.existing": lambda tx, mine, _: near_indexes.existing(tx, mine.space) == {},
    "near_indexes.nearest": lambda tx, mine, _: [
        near_indexes.nearest(tx, mine.space, layer, SIGNATURE, VECTOR, NOW, 100) for layer in every_layer()
    ],
    "near_indexes.sizes": lambda tx, mine, _: near_indexes.sizes(tx, mine.space, SIGNATURE, 100),
    "persons.everyone": lambda tx, mine, _: persons.everyone(tx, mine.id),
    "persons.find": lambda tx, mine, theirs: [
        persons.find(tx, mine.id, id_) for id_ in (mine.person, theirs.person)
    ],
    "persons.list_all": lambda tx, mine, _: persons.list_all(tx, mine.id),
    "rows.by_ids": lambda tx, mine, theirs: [
        rows.by_ids(tx, mine.id, noun, [getattr(mine, noun), getattr(theirs, noun)]) for noun in NOUNS.indexed
    ],
    "rows.present": lambda tx, mine, theirs: sorted(rows.present(tx, mine.id, both_records(mine, theirs))),
    "rows.records": lambda tx, mine, theirs: rows.records(tx, mine.id, both_records(mine, theirs)),
    "rows.without_entry": lambda tx, mine, _: [
        rows.without_entry(tx, mine.id, Layer(noun), "", 100) for noun in NOUNS.indexed
    ],
    "runs.newest": lambda tx, mine, _: runs.newest(tx, mine.id, limit=100),
    "sessions.find": lambda tx, mine, _: sessions.find(tx, mine.id, "chat"),
    "sessions.newest": lambda tx, mine, _: sessions.newest(tx, mine.id, 100),
    "settings.get": lambda tx, mine, _: settings.get(tx, mine.id, "colour"),
    "settings.of_space": lambda tx, mine, _: settings.of_space(tx, mine.id),
    "summaries.count": lambda tx, mine, _: summaries.count(tx, mine.id, SummaryFilter()),
    "strays.strays": lambda tx, mine, _: [
        *strays.strays(tx, mine.space, "orphans"),
        *strays.strays(tx, mine.space, "without_terms"),
    ],
    "strays.sums": lambda tx, mine, _: list(strays.sums(tx, mine.space)),
    "summaries.aging": lambda tx, mine, _: summaries.aging(tx, mine.id, SummaryTier.L1, NOW + DAY, 100),
    "summaries.page": lambda tx, mine, _: summaries.page(tx, mine.id, SummaryFilter(), 100),
    "vectors.of_records": lambda tx, mine, theirs: list(
        vectors.of_records(tx, mine.space, Layer.MEMORY, [mine.memory, theirs.memory], SIGNATURE)
    ),
    "spaces.counts_of": lambda tx, mine, _: spaces.counts_of(tx, mine.id),
    "spaces.get": lambda tx, mine, _: spaces.get(tx, mine.id),
    "facts.revision": lambda tx, mine, _: facts.revision(tx, mine.id),
    "facts.standing": lambda tx, mine, _: facts.standing(tx, mine.id, "now"),
    "spaces.text": lambda tx, mine, _: spaces.text(tx, mine.id, "soul"),
    "token_vectors.neighbours": lambda tx, mine, theirs: token_vectors.neighbours(
        tx, mine.id, mine.entry_ids(tx) + theirs.entry_ids(tx)
    ),
    "survey.rows": lambda tx, mine, _: [
        row
        for table, names in survey.columns(tx).items()
        if "space_id" in names
        for row in survey.rows(tx, mine.id, table, names)
    ],
    "units.newest": lambda tx, mine, _: units.newest(tx, mine.id, 0.5, 100),
    "units.of_memories": lambda tx, mine, theirs: units.of_memories(
        tx, mine.id, [mine.memory, theirs.memory]
    ),
    "units.of_messages": lambda tx, mine, theirs: units.of_messages(
        tx, mine.id, [mine.message, theirs.message]
    ),
    "units.recent": lambda tx, mine, _: units.recent(tx, mine.id, 0.5, NOW + DAY, 100),
    "units.vital": lambda tx, mine, _: units.vital(tx, mine.id, ["home"], 0.5, 0.5, 0.5, 100),
    "units.standing": lambda tx, mine, _: units.standing(tx, mine.id, 0.5, 0.5, 100),
    "units.withdrawn": lambda tx, mine, theirs: units.withdrawn(tx, mine.id, [mine.message, theirs.message]),
    "vectors.count": lambda tx, mine, _: vectors.count(tx, mine.space.number, SIGNATURE),
    "vectors.ended": lambda tx, mine, _: vectors.ended(tx, mine.space, SIGNATURE, NOW + 2 * DAY),
    "vectors.older": lambda tx, mine, _: vectors.older(tx, mine.space, SIGNATURE, NOW + DAY),
    "vectors.expiring": lambda tx, mine, _: vectors.expiring(tx, mine.space.number),
    "vectors.ids": lambda tx, mine, _: vectors.ids(tx, mine.space.number, SIGNATURE, 0, None),
    "vectors.left": lambda tx, mine, theirs: [
        vectors.left(tx, mine.space.number, None),
        vectors.left(tx, mine.space.number, mine.entry_ids(tx) + theirs.entry_ids(tx)),
    ],
    "vectors.whole_space": lambda tx, mine, _: [
        (one.id, one.layer, one.person_id, one.session_id)
        for one in vectors.whole_space(tx, mine.space.number, SIGNATURE, 0, 100)
    ],
    "vectors.load_space": lambda tx, mine, _: _lists(*vectors.load_space(tx, mine.space.number, SIGNATURE)),
    "vectors.nearest": lambda tx, mine, _: vectors.nearest(
        tx, mine.space, SIGNATURE, VECTOR, ANYTHING, NOW, 100
    ),
}
ONLY = {
    "sqlite": {
        "erasure.terms_of_space",
        "vectors.expiring",
        "vectors.load_space",
    },
    "postgres": {
        "near_indexes.existing",
        "near_indexes.nearest",
        "near_indexes.sizes",
        "vectors.nearest",
    },
}

# Every function that changes a space, let loose in `mine` on what is in `theirs`.
WRITES: dict[str, Callable[[Tx, Place, Place], Any]] = {
    "accesses.count": lambda tx, mine, theirs: accesses.count(
        tx,
        mine.id,
        {(Layer.MEMORY, theirs.memory): 1, (Layer.FACT, theirs.fact): 1, (Layer.MESSAGE, theirs.message): 1},
        NOW,
    ),
    "changes.advance": lambda tx, mine, _: changes.advance(
        tx, "elsewhere", mine.space.number, Reader("", changes.last(tx, mine.space.number)), 10**6, NOW
    ),
    "changes.begin": lambda tx, mine, _: changes.begin(tx, "elsewhere", mine.space.number, NOW),
    "changes.finish": lambda tx, mine, _: changes.finish(
        tx, "elsewhere", mine.space.number, SIGNATURE, changes.last(tx, mine.space.number), NOW
    ),
    "changes.leave": lambda tx, mine, _: changes.leave(tx, "elsewhere", mine.space.number),
    "devices.delete": lambda tx, mine, _: devices.delete(tx, mine.id, "phone"),
    "devices.put": lambda tx, mine, _: devices.put(tx, samples.device(mine.space, name="stolen")),
    "entries.expire": lambda tx, mine, theirs: entries.expire(
        tx, mine.space, Layer.MEMORY, theirs.memory, NOW - DAY
    ),
    "entries.put": lambda tx, mine, theirs: entries.put(tx, mine.space, [entry(theirs.memory, "stolen")]),
    "entries.remove": lambda tx, mine, theirs: entries.remove(
        tx, mine.space, Layer.MEMORY, [theirs.memory, theirs.fact]
    ),
    "entries.unembed": lambda tx, mine, _: entries.unembed(tx, mine.space),
    "erasure.blank": lambda tx, mine, theirs: erasure.blank(tx, mine.id, [theirs.note]),
    "erasure.extractions": lambda tx, mine, theirs: erasure.extractions(tx, mine.id, [theirs.extraction]),
    "erasure.journal": lambda tx, mine, theirs: erasure.journal(tx, mine.id, [theirs.note]),
    "erasure.relink": lambda tx, mine, theirs: erasure.relink(
        tx, samples.fact(mine.space, id=theirs.fact, provenance=["stolen"], superseded_by="stolen")
    ),
    "erasure.rename_session": lambda tx, mine, _: erasure.rename_session(tx, mine.id, "chat", "stolen"),
    "erasure.session": lambda tx, mine, _: erasure.session(tx, mine.id, "chat"),
    "erasure.derived": lambda tx, mine, _: erasure.derived(tx, mine.id),
    "erasure.everything": lambda tx, mine, _: _erase_and_furnish(tx, mine),
    "extractions.add": lambda tx, mine, _: extractions.add(tx, [samples.extraction(mine.space, "chat")]),
    "extractions.mark": lambda tx, mine, theirs: extractions.mark(
        tx, samples.extraction(mine.space, "chat", id=theirs.extraction, reason="stolen")
    ),
    "documents.add": lambda tx, mine, _: documents.add(
        tx, samples.document(mine.space, content_hash="another")
    ),
    "documents.delete": lambda tx, mine, theirs: documents.delete(tx, mine.space, [theirs.document]),
    "documents.delete_passages": lambda tx, mine, theirs: documents.delete_passages(
        tx, mine.space, [theirs.passage]
    ),
    "documents.put_passages": lambda tx, mine, theirs: documents.put_passages(
        tx, mine.space, [], [samples.passage(mine.space, theirs.document, id=theirs.passage, first=9)], []
    ),
    "documents.recount": lambda tx, mine, theirs: documents.recount(tx, mine.id, [theirs.document]),
    "documents.set_ready": lambda tx, mine, _: documents.set_ready(tx, mine.id, None, NOW),
    "documents.update": lambda tx, mine, theirs: documents.update(
        tx, samples.document(mine.space, id=theirs.document, name="stolen.md")
    ),
    "contexts.add": lambda tx, mine, _: contexts.add(tx, samples.context(mine.space)),
    "contexts.delete": lambda tx, mine, theirs: contexts.delete(tx, mine.id, theirs.context),
    "contexts.update": lambda tx, mine, theirs: contexts.update(
        tx, samples.context(mine.space, "stolen", id=theirs.context)
    ),
    "sessions.update": lambda tx, mine, _: sessions.update(
        tx, samples.session(mine.space, "chat", title="stolen")
    ),
    "extractions.record": lambda tx, mine, _: extractions.record(
        tx, samples.extraction(mine.space, "chat", extractor="patterns")
    ),
    "extractions.reopen": lambda tx, mine, _: extractions.reopen(tx, mine.id, "chat", 0),
    "facts.add": lambda tx, mine, _: facts.add(tx, samples.fact(mine.space, key="new")),
    "facts.close": lambda tx, mine, theirs: facts.close(
        tx, samples.fact(mine.space, id=theirs.fact), NOW, None
    ),
    "facts.assess": lambda tx, mine, theirs: facts.assess(
        tx, samples.fact(mine.space, id=theirs.fact, confidence=1, promoted=True)
    ),
    "mailboxes.put": lambda tx, mine, _: mailboxes.put(
        tx, mine.id, "anna@example.org", "INBOX", mailboxes.ReadTo(2, 9, NOW)
    ),
    "insights.prune_views": lambda tx, mine, _: insights.prune_views(tx, mine.id, NOW),
    "insights.mark_read": lambda tx, mine, _: insights.mark_read(tx, mine.id, "chat", 1),
    "insights.move_events": lambda tx, mine, theirs: insights.move_events(
        tx, mine.id, [mine.insight, theirs.insight], theirs.insight
    ),
    "journal.add": lambda tx, mine, _: journal.add(tx, [samples.note(mine.space, "r1")]),
    "memories.add": lambda tx, mine, _: memories.add(tx, [samples.memory(mine.space)]),
    "memories.delete": lambda tx, mine, theirs: memories.delete(tx, mine.id, [theirs.memory]),
    "memories.update": lambda tx, mine, theirs: memories.update(
        tx, samples.memory(mine.space, "stolen", id=theirs.memory)
    ),
    "messages.add": lambda tx, mine, _: messages.add(
        tx, [samples.message(mine.space, "chat", 3, name="Eve")]
    ),
    "messages.delete": lambda tx, mine, theirs: messages.delete(tx, mine.id, theirs.message),
    "messages.mark": lambda tx, mine, theirs: messages.mark(
        tx, [samples.message(mine.space, "chat", 1, id=theirs.message, name="stolen")]
    ),
    "messages.replace_content": lambda tx, mine, theirs: messages.replace_content(
        tx, samples.message(mine.space, "chat", 1, id=theirs.message, content="stolen")
    ),
    "persons.add": lambda tx, mine, _: persons.add(tx, samples.person(mine.space)),
    "persons.delete": lambda tx, mine, theirs: persons.delete(tx, mine.id, theirs.person),
    "persons.update": lambda tx, mine, theirs: persons.update(
        tx, samples.person(mine.space, "stolen", id=theirs.person)
    ),
    "rows.add": lambda tx, mine, _: rows.add(tx, "memory", [samples.memory(mine.space)]),
    "rows.delete": lambda tx, mine, theirs: [
        rows.delete(tx, mine.id, noun, [getattr(theirs, noun)]) for noun in NOUNS.indexed
    ],
    "rows.update": lambda tx, mine, theirs: rows.update(
        tx, "memory", samples.memory(mine.space, "stolen", id=theirs.memory)
    ),
    "runs.add": lambda tx, mine, _: runs.add(tx, samples.run(mine.space, id="another of mine")),
    "sessions.add": lambda tx, mine, _: sessions.add(tx, samples.session(mine.space, "a third")),
    "sessions.ensure": lambda tx, mine, _: sessions.ensure(tx, mine.id, "another", "chat", NOW),
    "sessions.touch": lambda tx, mine, _: sessions.touch(tx, mine.id, "chat", NOW + DAY),
    "settings.remove": lambda tx, mine, _: settings.remove(tx, mine.id, "colour"),
    "settings.put": lambda tx, mine, _: settings.put(tx, mine.id, "colour", "stolen", NOW),
    "spaces.hold": lambda tx, mine, _: spaces.hold(tx, mine.id),
    "spaces.claim": lambda tx, mine, _: spaces.claim(tx, mine.id, NOW + DAY),
    "spaces.remove": lambda tx, _, __: spaces.remove(tx, spaces.ensure(tx, "short-lived", NOW), NOW),
    "spaces.rename": lambda tx, mine, _: spaces.rename(
        tx, mine.space.model_copy(update={"display_name": "stolen"})
    ),
    "spaces.restore": lambda tx, mine, _: spaces.restore(
        tx, mine.space.model_copy(update={"display_name": "stolen", "created_at": NOW - DAY})
    ),
    "spaces.update": lambda tx, mine, _: spaces.update(
        tx, mine.space.model_copy(update={"display_name": "stolen"})
    ),
    "facts.keep_standing": lambda tx, mine, _: facts.keep_standing(tx, mine.id, "later", ["stolen"]),
    "spaces.set_text": lambda tx, mine, _: _replace_and_remove(tx, mine),
    "units.end": lambda tx, mine, theirs: units.end(
        tx, samples.unit(mine.space, theirs.message), samples.unit(mine.space, mine.reply), replaced=True
    ),
    "units.forget": lambda tx, mine, theirs: units.forget(tx, mine.id, [theirs.message]),
    "units.put": lambda tx, mine, theirs: units.put(tx, mine.id, [theirs.message], []),
    "units.revive": lambda tx, mine, theirs: units.revive(tx, mine.id, [theirs.reply]),
    "units.unlink": lambda tx, mine, theirs: units.unlink(tx, mine.id, [theirs.reply, theirs.memory]),
    "units.withdraw": lambda tx, mine, theirs: units.withdraw(tx, [samples.unit(mine.space, theirs.message)]),
    "strays.drop": lambda tx, mine, theirs: strays.drop(
        tx, mine.space, "without_vector", theirs.entry_ids(tx)
    ),
    "vectors.put": lambda tx, mine, theirs: vectors.put(
        tx, mine.space, "stolen", [(id_, "of black cat", VECTOR) for id_ in theirs.entry_ids(tx)]
    ),
}

# What knows no space: the server's own business, or steps of the functions above on ids they looked up.
SPACELESS = {
    "archive.of_others",
    "changes.left_behind",
    "changes.newest_id",
    "changes.number",
    "changes.prune",
    "changes.readers",
    "changes.readings",
    "settings.database_id",
    "changes.waiting",
    "erasure.leaves_bytes",
    "erasure.leftover_entries",
    "erasure.secure",
    "survey.columns",
    "keys.add",
    "keys.find",
    "keys.get",
    "keys.list_all",
    "keys.rehash",
    "keys.rename",
    "keys.revoke",
    "keys.set_memory",
    "keys.touch",
    "keyword_search.weights",  # of several spaces, as if they were one
    "languages.newest",
    "leases.abandoned",
    "leases.clear",
    "leases.ends_at",
    "leases.release",
    "leases.take",
    "runs.last_starts",
    "sign_ins.add",
    "sign_ins.find",
    "sign_ins.remove",
    "sign_ins.remove_of_key",
    "soundness.read_everything",
    "strays.behind",
    "spaces.counts",
    "spaces.ensure",
    "spaces.find",
    "spaces.list_all",
    "entries.delete_terms",
    "entries.put_terms",
    "token_vectors.load",
    "token_vectors.put",
    "vectors.check",
    "vectors.exact",
    "vectors.load",
    "vectors.whole",
    "vitals.count",
}
# They take a space's number only to write it down.
STEPS = {"changes.note", "changes.note_whole", "entries.term_columns", "vectors.forget"}
