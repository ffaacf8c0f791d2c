"""Looks for damage: by the database's own checks, and by reading every record."""

from __future__ import annotations

from bethink.core import Core
from bethink.shapes.outcomes import DamagedRecord, Integrity
from bethink.store.soundness import read_everything


async def check_integrity(core: Core, *, deep: bool) -> Integrity:
    """Look for damage: by the database's own quick check, or by all it has and a look at every record."""
    found = Integrity(deep=deep, problems=await core.driver.integrity(deep=deep))
    if deep:
        found.records, damaged = await core.driver.read(read_everything)
        found.damaged = [
            DamagedRecord(noun=one.noun, id=one.record_id, problem=one.problem) for one in damaged
        ]
    core.damage = found.summary
    return found
