"""How people look through what a space knows, and mend it."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.audit.auditing import audit_space, fix_findings
from bethink.core import Handle
from bethink.errors import InvalidInput
from bethink.shapes.audits import Audit, Finding, Fixed
from bethink.shapes.keywords import FindingWord


class Auditing(Handle):
    """How people look through what is remembered, and mend it."""

    async def audit(self) -> Audit:
        """Look for duplicates, near-duplicates, junk, secrets, contradictions and stale facts.

        Secrets are looked for in memories, facts and messages. Changes nothing; each finding names the one
        step that mends it.
        """
        core, space = await self.inside.here()
        return await audit_space(core, space)

    async def fix(self, *findings: str, kinds: Sequence[FindingWord] = ()) -> Fixed:
        """Mend findings of an audit, by their ids or all of some kinds; the journal keeps what was before."""
        core, space = await self.inside.here()
        try:
            wanted = [Finding(kind) for kind in kinds]
        except ValueError as error:
            known = ", ".join(kind.value for kind in Finding)
            raise InvalidInput(f"kinds: {error}; known are {known}.", field="kinds") from None
        return await fix_findings(core, space, self.inside.actor, findings, wanted)
