"""How people take away what a space knows, for good."""

from __future__ import annotations

from typing import Unpack

from bethink.core import Handle
from bethink.erasure.erasing import erase_for_good
from bethink.shapes.fields import checked
from bethink.shapes.keywords import EraseChoice
from bethink.shapes.rights import EraseRequest, Receipt


class Erasing(Handle):
    """How people take away what is known, for good."""

    async def erase(self, **choice: Unpack[EraseChoice]) -> Receipt:
        """Erase every trace of one thing, and prove it: `await memory.erase(query="Anna Miller")`.

        With `dry_run` the receipt only says what would go.
        """
        core, space = await self.inside.here()
        return await erase_for_good(core, space, checked(EraseRequest, choice), self.inside.actor)
