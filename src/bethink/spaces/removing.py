"""Delete a space with all that it holds: its rows, its files, and the receipt."""

from __future__ import annotations

from bethink.clock import now
from bethink.core import Core
from bethink.erasure.erasing import is_clean, look_in_index
from bethink.erasure.prove import prove
from bethink.files.folder import SpaceFiles
from bethink.records import Space
from bethink.shapes.rights import Place, Receipt, Storage
from bethink.spaces.changes import remove


async def remove_space(core: Core, space: Space, home: Space, actor: str) -> Receipt:
    """Delete a space with all that it holds and prove that it is gone; `home` keeps the line about it."""
    async with core.part(SpaceFiles).alone(space):
        erased = await core.driver.write(remove, space, home, now(), actor)
        left = await core.part(SpaceFiles).remove(space)
    await core.changed("space", space)
    scrubbed = await core.driver.scrub()
    proof = await core.driver.read(prove, space, erased)
    notes = await look_in_index(core, space, erased, proof)
    proof.texts_found += [Place(noun="file", id=name) for name in left]
    receipt = Receipt(
        id=erased.id,
        at=now(),
        actor=actor,
        space=space.name,
        asked="space",
        erased=erased.counts,
        complete=is_clean(proof) and not notes,
    )
    notes = [*scrubbed.notes, *notes]
    storage = Storage(database=core.driver.dialect, scrubbed=scrubbed.done, notes=notes)
    return receipt.model_copy(update={"proof": proof, "storage": storage})
