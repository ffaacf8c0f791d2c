"""What a space does to stay small."""

from __future__ import annotations

from bethink.clock import now
from bethink.core import Handle
from bethink.lifecycle.compacting import Compacting
from bethink.lifecycle.condense import condense
from bethink.shapes.fields import checked
from bethink.shapes.inputs import CompactRequest
from bethink.shapes.outcomes import Compaction
from bethink.upkeep import Runner


class Shrinking(Handle):
    """What a space does to stay small."""

    async def compact(self, *, older_than_days: int = 180, dry_run: bool = False) -> Compaction:
        """Let one memory tell of many old ones, which are archived: `await memory.compact(dry_run=True)`.

        Pinned memories stay, and so does what would save no tokens. Forgetting the memory that tells of them,
        or changing one of them, lets them be found again.
        """
        core, space = await self.inside.here()
        asked = checked(CompactRequest, {"older_than_days": older_than_days, "dry_run": dry_run})
        sweep = Compacting(core, asked.older_than)
        if dry_run:
            counts = await sweep.dry_run(space)
        else:
            counts = (await core.part(Runner).finish(sweep, space)).counts
        return Compaction(
            candidates=counts.get("compacted", 0),
            tokens_saved=counts.get("tokens_saved", 0),
            summaries=counts.get("summaries", 0),
            dry_run=dry_run,
        )

    async def condense(
        self, session: str | None = None, *, max_tokens: int = 4000, dry_run: bool = False
    ) -> Compaction:
        """Bring the memories of a conversation, or all, into a budget of tokens.

        The newest stay whole while they fit, pinned ones always; of the others three sentences stay.
        The journal keeps what they were, and undoes it.
        """
        core, space = await self.inside.here()
        asked = checked(CompactRequest, {"session_id": session, "max_tokens": max_tokens, "dry_run": dry_run})
        work = core.driver.read if dry_run else core.driver.write
        done = await work(
            condense, space, asked.session_id, max_tokens, now(), self.inside.actor, asked.dry_run
        )
        if done.candidates and not dry_run:
            await core.changed("memory", space)
        return done
