"""The façade's part about options."""

from __future__ import annotations

from typing import Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.errors import InvalidInput
from bethink.options.choose import choose, take_back
from bethink.shapes.fields import checked
from bethink.shapes.keywords import OptionChanges
from bethink.shapes.options import Options, OptionsChange, Scope, SpaceOptions


class AsyncOptions:
    """The options of a space: what is switched and tuned while Bethink runs, kept in the database."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def get(self) -> SpaceOptions:
        """What holds now, and where it was chosen."""
        core, space = await self._space.inside.here()
        return await core.options.look(space)

    async def update(self, *, scope: Scope = "space", **changes: Unpack[OptionChanges]) -> SpaceOptions:
        """Change some options, for this space or for the server; the others stay.

        The embedding source, the rerank model and the vector store are the server's, whatever the scope.
        """
        core, space = await self._space.inside.here()
        change = checked(OptionsChange, changes)
        values = {name: getattr(change, name) for name in change.model_fields_set}
        core.options.check(await core.options.look(space), values)
        await core.driver.write(choose, space, scope, values, now(), self._space.inside.actor)
        return await self._changed()

    async def reset(self, *names: str, scope: Scope = "space") -> SpaceOptions:
        """Take back choices, so that the server's, or the settings', hold again; without names, all."""
        if unknown := [name for name in names if name not in Options.model_fields]:
            raise InvalidInput(f"{unknown[0]}: there is no such option.", field=unknown[0])
        core, space = await self._space.inside.here()
        chosen = names or [name for name, at in (await self.get()).chosen.items() if at == scope]
        await core.driver.write(take_back, space, scope, chosen, now(), self._space.inside.actor)
        return await self._changed()

    async def _changed(self) -> SpaceOptions:
        core, space = await self._space.inside.here()
        await core.changed("options", space)
        return await core.options.of(space)
