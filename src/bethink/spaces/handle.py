"""The façade's part about spaces as a whole."""

from __future__ import annotations

from typing import Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.errors import Conflict, InvalidInput
from bethink.files.folder import SpaceFiles
from bethink.shapes.accounts import ListedSpace, SpaceChange, SpaceDraft
from bethink.shapes.fields import check_name, checked
from bethink.shapes.keywords import SpaceChanges
from bethink.shapes.rights import Receipt
from bethink.spaces import changes as space_changes
from bethink.spaces.removing import remove_space


class AsyncSpaces:
    """The spaces of a memory: isolated pools, each with its own people, keys and settings."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def create(self, name: str, *, display_name: str | None = None) -> ListedSpace:
        """Make a space; `Conflict` when there is one of that name."""
        core, _ = await self._space.inside.here()
        draft = checked(SpaceDraft, {"name": name, "display_name": display_name})
        actor, seed = self._space.inside.actor, core.spaces.seed(draft.name)
        made = await core.driver.write(space_changes.create, draft.name, seed, now(), actor)
        if draft.display_name is None:
            return made
        return await self.rename(made.name, display_name=draft.display_name)

    async def list(self) -> list[ListedSpace]:
        """Every space with how much it holds, in the order they were made."""
        core, _ = await self._space.inside.here()
        return await core.driver.read(space_changes.list_all)

    async def get(self, name: str) -> ListedSpace:
        """One space with how much it holds; `NotFound` when there is none of that name."""
        core, _ = await self._space.inside.here()
        check_name(name, "space")
        return await core.driver.read(space_changes.get, name)

    async def rename(self, space: str, **changes: Unpack[SpaceChanges]) -> ListedSpace:
        """Change what people call a space, or the `name` by which requests mean it."""
        core, _ = await self._space.inside.here()
        check_name(space, "space")
        asked = checked(SpaceChange, changes)
        core.spaces.forget()  # what it was called a moment ago must not decide which is renamed
        before, actor = await core.spaces.existing(space), self._space.inside.actor
        after = before.model_copy(update={"name": asked.name or space})
        changed: ListedSpace | None = None
        try:
            async with core.part(SpaceFiles).alone(before, after):
                changed = await core.driver.write(
                    space_changes.change, before, asked, core.settings.space, now(), actor
                )
                await core.part(SpaceFiles).move(before, changed)
        finally:  # also when the files could not follow: it has its new name
            if changed:
                await core.changed("space", changed)
        return changed

    async def delete(self, space: str, *, confirm: str) -> Receipt:
        """Delete a space, its keys and everything in it, for good; `confirm` repeats its name.

        The space you act from cannot be deleted: its journal keeps that the other was.
        """
        core, home = await self._space.inside.here()
        check_name(space, "space")
        core.spaces.forget()  # what it was called a moment ago must not decide what is deleted
        doomed = await core.spaces.existing(space)
        if confirm != space:
            raise InvalidInput(
                f"confirm: repeat the name of the space, {space!r}, to delete all that it holds.",
                field="confirm",
            )
        if doomed.id == home.id:
            raise Conflict("space: this is the space you act from; delete it from another.", field="space")
        return await remove_space(core, doomed, home, self._space.inside.actor)
