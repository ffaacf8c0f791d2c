"""The façade's part about audits: look through what is remembered, and mend what is found."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from bethink.audit.fix import fix
from bethink.audit.look import look
from bethink.clock import now
from bethink.core import Core
from bethink.erasure.erasing import erase_for_good
from bethink.index.search import Index
from bethink.models.embed.thresholds import threshold
from bethink.records import Fact, Layer, Memory, Mode, Space
from bethink.shapes.audits import Audit, Finding, Fix, Fixed
from bethink.shapes.rights import EraseRequest
from bethink.store import Tx, facts, memories, persons, vectors
from bethink.store.filters import MemoryFilter
from bethink.store.vectors import Vector

MEMORIES = 10_000  # looked at in one audit, the newest first
FACTS = 10_000


async def audit_space(core: Core, space: Space, limit: int = MEMORIES) -> Audit:
    """Duplicates, near-duplicates, likely junk, secrets, contradictions and stale facts."""
    moment, notes = now(), []
    signature = await core.signature()
    if signature is None:
        notes.append("there is no embedding source, so memories are compared by their words only")
    said, known, vectors_of, names = await core.driver.read(_read, space, signature, limit)
    made = await asyncio.to_thread(_readable, core.index, said, vectors_of)
    if len(made) < len(vectors_of):
        notes.append(
            f"{len(vectors_of) - len(made):,} memories are compared by their words only: the embedding model"
            " does not read their language"
        )
    least = threshold(signature or "", "dedupe", core.settings.similarity.dedupe)
    found = await asyncio.to_thread(look, said, known, made, least, moment, names)
    if len(said) == limit:
        notes.append(f"only the newest {limit:,} memories were looked at")
    return Audit(
        memories=len(said),
        facts=len(known),
        compared=len(made),
        counts=Counter(one.kind for one in found),
        found=found,
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
        if one.fix is Fix.ERASE:
            receipt = await erase_for_good(core, space, EraseRequest(memory_ids=one.records), actor)
            gone = receipt.erased["memories"]
        else:
            gone = await core.driver.write(fix, space, one, now(), actor)
        done.fixed += gone > 0
        done.forgotten += gone
    await core.changed("memory", space)
    return done


def _read(
    tx: Tx, space: Space, signature: str | None, limit: int
) -> tuple[list[Memory], list[Fact], dict[str, Vector], list[str]]:
    said = memories.page(tx, space.id, MemoryFilter(), limit)
    known = facts.list_current(tx, space.id, limit=FACTS)
    made = vectors.of_layer(tx, space, Layer.MEMORY, signature, limit) if signature else {}
    return said, known, made, _names(tx, space, said)


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
