"""How people take along what a space knows, and bring it in."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import IO, Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.core.core import note_reveal
from bethink.shapes.fields import checked
from bethink.shapes.keywords import ImportOptions
from bethink.shapes.outcomes import Progress
from bethink.shapes.rights import Exported, Imported, ImportRequest
from bethink.transfer.moving import export_space, import_space


class Transferring(Handle):
    """How people take along what is known, and bring it in."""

    async def export(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        secrets: bool = False,
    ) -> Exported:
        """Write all that the space holds to one JSON Lines archive, at a path or to a binary stream.

        Secrets in it are masked; with `secrets` they are as they are, which the journal notes.
        """
        core, space = await self.inside.here()
        if secrets and core.secrecy.masks:
            await core.driver.write(note_reveal, space, self.inside.actor, "an archive with secrets", now())
        return await export_space(core, space, file, progress, secrets=secrets)

    async def import_(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        **options: Unpack[ImportOptions],
    ) -> Imported:
        """Take in an archive, conversations of other programs, or what mem0, Chroma or a list in JSON holds.

        An empty space becomes what the archive was, to the byte; in another, what is known stays as it is.
        """
        core, space = await self.inside.here()
        request = checked(ImportRequest, options)
        return await import_space(core, space, file, request, self.inside.actor, progress)
