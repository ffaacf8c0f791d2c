"""The façade's part about a space's own texts: its soul, the narrative, and the files that mirror them."""

from __future__ import annotations

from pathlib import Path

from bethink.clock import now
from bethink.core import Core, Handle
from bethink.errors import InvalidInput
from bethink.files.folder import SpaceFiles
from bethink.files.narrative import narrative
from bethink.files.reconcile import memory_text, take_memory
from bethink.files.texts import set_text
from bethink.shapes.fields import check_sizes, is_storable
from bethink.shapes.outcomes import FilesSynced
from bethink.store import spaces
from bethink.store.spaces import TextName


class AsyncTexts:
    """The texts of a space. SOUL.md says how the assistant is to be; MEMORY.md mirrors promoted facts."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def soul(self, *, secrets: bool = False) -> str:
        """The soul: the owner's own words about how the assistant is to be. Empty when there are none.

        With `secrets`, with those in it, which the journal notes; SOUL.md itself always has them.
        """
        await self.sync()
        return await self._get("soul", secrets=secrets)

    async def set_soul(self, text: str) -> str:
        """Replace the soul, in the database and in its file."""
        await self.sync()  # first, so that an edit of the file is not taken for a contradiction
        await self._set("soul", text)
        core, space = await self._space.inside.here()
        await core.changed("text", space)  # its file follows
        return await self._get("soul")

    async def narrative(self) -> str:
        """What is remembered about the user as one text; empty when nobody has written one.

        Empty, too, while it tells of a fact that has expired: the sweep `expire` has it written anew.
        """
        core, space = await self._space.inside.here()
        return await self._space.inside.shown(await core.driver.read(narrative, space.id, now()))

    async def set_narrative(self, text: str) -> str:
        """Replace the narrative."""
        await self._set("narrative", text)
        return await self._get("narrative")

    async def memory_file(self) -> str:
        """What MEMORY.md holds: the promoted facts, at most 20 of them."""
        await self.sync()
        core, space = await self._space.inside.here()
        return await core.driver.read(memory_text, space.id, now(), core.secrecy)

    async def set_memory_file(self, text: str, *, base: str | None = None) -> FilesSynced:
        """Take in a changed MEMORY.md: a new or changed line sets a fact, a line that is gone ends one.

        `base` is the text that was changed, from which it is told what others did meanwhile: what contradicts
        that is in `conflicts`. What cannot be read is in `problems`. The rest is taken in.
        """
        core, space = await self._space.inside.here()
        for given in (text, base or ""):
            _check(core, given, "memory")
        if not text.strip():
            raise InvalidInput(
                "memory: is empty, which changes nothing; delete the lines of the facts that are to end.",
                field="memory",
            )
        await self.sync()
        actor = self._space.inside.actor
        done = await core.driver.write(take_memory, space, text, base, now(), actor, core.secrecy)
        await core.changed("fact", space)
        return done

    async def folder(self) -> Path | None:
        """Where SOUL.md and MEMORY.md of this space are; None when they are not kept as files."""
        core, space = await self._space.inside.here()
        return core.part(SpaceFiles).folder(space)

    async def sync(self) -> FilesSynced:
        """Bring SOUL.md and MEMORY.md and the database together: edits of the files are taken in.

        An edit that contradicts a change of the database is reported, and kept in a file beside.
        """
        core, space = await self._space.inside.here()
        return await core.part(SpaceFiles).sync(space)

    async def _get(self, name: TextName, *, secrets: bool = False) -> str:
        core, space = await self._space.inside.here()
        text = await core.driver.read(spaces.text, space.id, name)
        return await self._space.inside.shown(text, secrets=secrets)

    async def _set(self, name: TextName, text: str) -> None:
        core, space = await self._space.inside.here()
        _check(core, text, name)
        plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        plain = core.secrecy.text_to_store(plain)
        await core.driver.write(set_text, space, name, plain, now(), self._space.inside.actor)


def _check(core: Core, text: str, field: str) -> None:
    if not is_storable(text):
        raise InvalidInput(f"{field}: must be valid Unicode without NUL characters.", field=field)
    check_sizes(core.settings.limits, texts=[text], field=field)
