"""The façade's part about audits: look through what is remembered, and mend what is found."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bethink.audit.fix import fix
from bethink.audit.look import look
from bethink.clock import now
from bethink.core import Core
from bethink.erasure.erasing import erase_for_good
from bethink.index.search import Index
from bethink.models.embed.traits import threshold
from bethink.nouns import NOUNS
from bethink.records import Fact, Layer, Memory, Message, Mode, Space
from bethink.shapes.audits import Audit, Finding, Fix, Fixed
from bethink.shapes.fields import LIST_ITEMS
from bethink.shapes.rights import EraseRequest
from bethink.store import Tx, facts, memories, messages, persons, vectors
from bethink.store.filters import MemoryFilter
from bethink.store.rows import records
from bethink.store.vectors import Vector

MEMORIES = 10_000  # looked at in one audit, the newest first
FACTS = 10_000
MESSAGES = 10_000  # looked at for secrets, the newest first


async def audit_space(core: Core, space: Space, limit: int = MEMORIES) -> Audit:
    """Duplicates, near-duplicates, likely junk, secrets, contradictions and stale facts."""
    moment, notes = now(), []
    signature = await core.signature()
    if signature is None:
        notes.append("there is no embedding source, so memories are compared by their words only")
    seen = await core.driver.read(_read, space, signature, limit)
    said, known, turns = seen.memories, seen.facts, seen.messages
    made = await asyncio.to_thread(_readable, core.index, said, seen.vectors)
    if len(made) < len(seen.vectors):
        notes.append(
            f"{len(seen.vectors) - len(made):,} memories are compared by their words only: the embedding"
            " model does not read their language"
        )
    least = threshold(signature or "", "dedupe", core.settings.similarity.dedupe)
    found = await asyncio.to_thread(look, said, known, turns, made, least, moment, seen.names)
    if len(said) == limit:
        notes.append(f"only the newest {limit:,} memories were looked at")
    if len(turns) == MESSAGES:
        notes.append(f"only the newest {MESSAGES:,} messages were looked at for secrets")
    return Audit(
        memories=len(said),
        facts=len(known),
        messages=len(turns),
        compared=len(made),
        counts=Counter(one.kind for one in found),
        found=core.secrecy.shown(found),
        notes=notes,
    )


async def fix_findings(
    core: Core, space: Space, actor: str, ids: Sequence[str], kinds: Sequence[Finding]
) -> Fixed:
    """Mend the findings of these ids and kinds that are still there."""
    audit = await audit_space(core, space)
    wanted = [one for one in audit.found if one.id in ids or one.kind in kinds]
    done = Fixed(fixed=0, forgotten=0, gone=len(set(ids) - {one.id for one in audit.found}))
    for one in wanted:
        if one.fix is not Fix.ERASE:
            gone = await core.driver.write(fix, space, one, now(), actor)
            done.fixed += gone > 0
            done.forgotten += gone
    for noun in ("fact", "memory", "message"):  # what was made from others goes first
        ids = [id_ for one in wanted if one.fix is Fix.ERASE and one.noun == noun for id_ in one.records]
        done.forgotten += await _erase(core, space, noun, ids, actor)
        done.fixed += len(ids)
    await core.changed("memory", space)
    return done


async def _erase(core: Core, space: Space, noun: str, ids: Sequence[str], actor: str) -> int:
    """Erase those of these records that are still there, many at a time; how many are gone."""
    gone = 0
    for first in range(0, len(ids), LIST_ITEMS):
        some = [(Layer(noun), id_) for id_ in ids[first : first + LIST_ITEMS]]
        there = [id_ for _, id_ in await core.driver.read(records, space.id, some)]
        if there:
            asked = EraseRequest.model_validate({f"{noun}_ids": there})
            receipt = await erase_for_good(core, space, asked, actor)
            gone += receipt.erased[NOUNS.by_name[noun].table]
    return gone


@dataclass(frozen=True)
class _Seen:
    memories: list[Memory]
    facts: list[Fact]
    messages: list[Message]
    vectors: dict[str, Vector]
    names: list[str]


def _read(tx: Tx, space: Space, signature: str | None, limit: int) -> _Seen:
    said = memories.page(tx, space.id, MemoryFilter(archived=False), limit)
    known = facts.list_current(tx, space.id, limit=FACTS)
    made = vectors.of_layer(tx, space, Layer.MEMORY, signature, limit) if signature else {}
    return _Seen(said, known, messages.newest(tx, space.id, MESSAGES), made, _names(tx, space, said))


def _readable(index: Index, said: Sequence[Memory], made: dict[str, Vector]) -> dict[str, Vector]:
    """The vectors of the memories that the model can read: of others, near means little."""
    unread = {one.id for one in said if one.id in made and index.reading(one.content) == "unread"}
    return {id_: vector for id_, vector in made.items() if id_ not in unread}


def _names(tx: Tx, space: Space, said: Sequence[Memory]) -> list[str]:
    """What the only person of a space is called: by the household, and by what came with their turns."""
    if space.mode != Mode.SINGLE:
        return []
    given = [
        name for person in persons.list_all(tx, space.id) for name in (person.display_name, *person.aliases)
    ]
    came = [
        memory.title for memory in said if memory.title and memory.metadata.get("extractor") == "patterns"
    ]
    return list(dict.fromkeys([*given, *came]))
