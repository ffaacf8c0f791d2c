"""The sweep that makes a fact of what comes up again and again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.core import Core
from bethink.errors import ExtractionFailure
from bethink.extraction.templates import Templates
from bethink.facts.versions import set_fact
from bethink.index.search import Search
from bethink.index.vectors.nearest import Near
from bethink.lifecycle.clusters import LEAST, Stable, cluster, in_slot, in_words, sources
from bethink.lifecycle.naming import named_by
from bethink.memories.archive import COMPACTED
from bethink.models.embed import threshold
from bethink.recall import superseded
from bethink.records import Fact, Layer, Memory, RunStatus, Space
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft
from bethink.store import Tx, entries, facts, journal, memories, messages, runs, spaces, vectors
from bethink.store.filters import EntryFilter, MemoryFilter
from bethink.store.journal import note, values_of

PROMOTE = "promote"
ACTOR = "upkeep:promote"
ALIKE = 0.85  # cosine, on the common scale: a distance of 0.15
SOURCE, CONFIDENCE = "promotion", 85
FACT = "fact"  # in the `source_ref` of a memory: the fact that it became
_NEAREST = 50
_BATCH = 100  # memories looked at in one step
_MOST = 30  # memories that a fact names as its sources
_RUNS = 50  # newest runs looked at for the last that came to its end


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Memories that say one thing and came up often enough, and the facts that some of them became before."""

    members: Sequence[Memory]
    before: Sequence[str]


class Promoting(Sweep):
    """Makes facts of clusters of memories, by distinct sources.

    Only what is new since the last whole run can complete a cluster, so only that is looked at.
    What a person corrected or deleted is left alone.
    """

    name = PROMOTE
    schedule = Schedule(at=time(3, 45), jitter=timedelta(hours=1))

    def __init__(self, core: Core, templates: Templates) -> None:
        self._core, self._templates = core, templates

    async def enabled(self, _space: Space) -> bool:
        return self._core.settings.lifecycle.promote and self._core.index.vector_maker.enabled

    async def due(self, space: Space) -> int:
        """How many memories are to be looked at."""
        chosen = MemoryFilter(alive_at=now(), archived=False, changed_since=await self._since(space))
        return await self._core.driver.read(memories.count, space.id, chosen)

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        core, moment = self._core, now()
        if not core.index.vector_maker.enabled or (signature := await core.signature()) is None:
            return
        chosen = MemoryFilter(alive_at=moment, archived=False, changed_since=await self._since(space))
        after: tuple[datetime, str] | None = None
        while seeds := await core.driver.read(memories.aging, space.id, chosen, after, _BATCH):
            after = seeds[-1].observed_at, seeds[-1].id
            seeds = [seed for seed in seeds if not seed.promoted and seed.source != COMPACTED]
            near = await self._near(space, seeds, signature, moment)
            counts = {"promoted": 0, "facts": 0}
            for seed_id, ids in near.items():
                named = await self._named(space, seed_id, ids, moment)
                made = await core.driver.write(_promote, space, seed_id, ids, moment, named)
                counts = {name: counts[name] + made.get(name, 0) for name in counts}
            yield Batch(len(seeds), counts)
        await core.changed("fact", space)

    async def _named(self, space: Space, seed_id: str, ids: Sequence[str], moment: datetime) -> Stable | None:
        """What a chat model calls a new fact that no slot knows; None where none can be asked."""
        if not self._core.chat.enabled:
            return None
        found = await self._core.driver.read(_cluster, space, seed_id, ids, moment)
        if found is None or found.before or in_slot(found.members):
            return None
        try:
            return await named_by(self._core.chat.writing, self._templates, found.members)
        except ExtractionFailure:  # the newest memory says it; the chat's own status tells what is wrong
            return None

    async def _since(self, space: Space) -> datetime | None:
        """When the last run began that came to its end."""
        found = await self._core.driver.read(runs.newest, space.id, sweep=PROMOTE, limit=_RUNS)
        done = [run.started_at for run in found if run.status is RunStatus.DONE and not run.dry_run]
        return max(done, default=None)

    async def _near(
        self, space: Space, seeds: Sequence[Memory], signature: str, moment: datetime
    ) -> Mapping[str, list[str]]:
        """The memories near enough to each seed, by the vector index; none where there is only the seed."""
        core, least = self._core, threshold(signature, "dedupe", ALIKE)
        made = await core.driver.read(
            vectors.of_records, space, Layer.MEMORY, [seed.id for seed in seeds], signature
        )
        asked = [seed for seed in seeds if seed.id in made]
        wanted = [
            (Search(space, (), one.content, one.content, _of(one), moment, _NEAREST), made[one.id])
            for one in asked
        ]
        if not wanted:
            return {}
        found = await core.index.nearest(wanted, signature)
        ids = await core.driver.read(self._read, space, found, least)
        return {seed.id: near for seed, near in zip(asked, ids, strict=True)}

    def _read(self, tx: Tx, space: Space, found: Sequence[Near], least: float) -> list[list[str]]:
        near = [
            [id_ for id_, cosine in self._core.index.current(tx, space, one) if cosine >= least]
            for one in found
        ]
        known = entries.by_ids(tx, space.id, sorted({id_ for ids in near for id_ in ids}))
        return [[known[id_]["record_id"] for id_ in ids if id_ in known] for ids in near]


def _of(memory: Memory) -> EntryFilter:
    """Where to look: people are never mixed."""
    return EntryFilter(layers=[Layer.MEMORY], person_ids=[memory.person_id] if memory.person_id else None)


def _cluster(tx: Tx, space: Space, seed_id: str, ids: Sequence[str], moment: datetime) -> _Cluster | None:
    """A memory and those near to it that say the same; None where they did not come up often enough."""
    found = memories.by_ids(tx, space.id, [seed_id, *ids])
    over = superseded.of_memories(tx, space.id, list(found))
    held = {
        id_: memory
        for id_, memory in found.items()
        if memory.archived_at is None
        and memory.source != COMPACTED
        and (memory.expires_at is None or memory.expires_at > moment)
        and id_ not in over
    }
    if seed_id not in held or held[seed_id].promoted:
        return None
    members = cluster(held[seed_id], held.values())
    said = [id_ for one in members for id_ in one.said_in]
    known = messages.by_ids(tx, space.id, said)
    came_up = {source for one in members for source in sources(one, known)}
    before = [one.source_ref[FACT] for one in members if isinstance(one.source_ref.get(FACT), str)]
    return _Cluster(members, before) if before or len(came_up) >= LEAST else None


def _promote(
    tx: Tx, space: Space, seed_id: str, ids: Sequence[str], moment: datetime, named: Stable | None
) -> Mapping[str, int]:
    """Make a fact of a memory and those near to it, if they came up often enough and nobody is against it."""
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    found = _cluster(tx, space, seed_id, ids, moment)
    fact = _fact(tx, space, found, moment, named) if found else None
    if found is None or fact is None:
        return {}
    fresh = [one for one in found.members if not one.promoted]
    _mark(tx, space, fresh, fact, moment)
    return {"promoted": len(fresh), "facts": int(not found.before)}


def _fact(tx: Tx, space: Space, found: _Cluster, moment: datetime, named: Stable | None) -> Fact | None:
    """The fact of a cluster: one that it made before, if it still holds, or a new one.

    None where somebody ended or corrected it, or where the same name holds something else.
    """
    members = found.members
    if found.before:
        known = facts.by_ids(tx, space.id, list(found.before))
        return next((fact for fact in known.values() if fact.valid_to is None), None)
    person = members[-1].person_id
    said = in_slot(members) or named or in_words(members)
    category, key = said.category[:NAME_CHARS], said.key[:NAME_CHARS]
    current = facts.current(tx, space.id, person, category, key)
    if current is None and facts.versions(tx, space.id, person, category, key):
        return None
    if current is not None and current.value.casefold() != said.value.casefold():
        return None
    draft = FactDraft(
        category=category,
        key=key,
        value=said.value if current is None else current.value,
        person_id=person,
        source=SOURCE,
        confidence=CONFIDENCE,
        provenance=[memory.id for memory in members[-_MOST:]],
        promoted=True,
    )
    return set_fact(tx, space, draft, moment, ACTOR).fact


def _mark(tx: Tx, space: Space, members: Sequence[Memory], fact: Fact, moment: datetime) -> None:
    fields, lines = {"promoted", "source_ref"}, []
    for memory in members:
        marked = memory.model_copy(
            update={"promoted": True, "source_ref": {**memory.source_ref, FACT: fact.id}}
        )
        memories.update(tx, marked)
        before, after = values_of(memory, fields), values_of(marked, fields)
        reason = "it came up often enough to be a fact"
        lines.append(note(space, moment, ACTOR, "updated", marked, reason=reason, before=before, after=after))
    journal.add(tx, lines)
