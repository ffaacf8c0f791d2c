"""The façade's part about erasing: the database, its files, what this process remembers, and the receipt."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bethink.clock import now
from bethink.core import Core
from bethink.documents.blobs import Blobs
from bethink.documents.sweep import UNREAD, Documents
from bethink.erasure.erase import Erased, erase, preview
from bethink.erasure.prove import PLACES_SHOWN, prove
from bethink.errors import StoreError
from bethink.files.folder import SpaceFiles
from bethink.notes.syncing import Notes
from bethink.records import DocumentStatus, Space
from bethink.shapes.rights import EraseRequest, Place, Proof, Receipt, Storage
from bethink.store import documents
from bethink.store.driver import Scrubbed
from bethink.text.traces import Traces
from bethink.upkeep import Runner

NAMED = 5  # files that were not looked into


async def erase_for_good(core: Core, space: Space, asked: EraseRequest, actor: str) -> Receipt:
    """Erase what is asked for and prove that it is gone; in a dry run, only say what it would be."""
    unread = [] if asked.everything else await _read_first(core, space)
    if asked.dry_run:
        would = await core.driver.read(preview, space, asked)
        return _receipt(space, asked, actor, would, complete=False)
    # What people wrote into the files is known first, or it would come back.
    await core.part(SpaceFiles).sync(space)
    style = core.settings.index.text_form
    erased = await core.driver.write(erase, space, asked, now(), actor, style)
    if asked.everything and (gone := await core.part(Notes).remove_all(space)):
        unread = [*unread, f"The folder of notes was deleted with the {gone} files in it."]
    await core.changed("erasure", space)
    scrubbed = await _scrubbed(core, erased)
    proof = await core.driver.read(prove, space, erased)
    notes = await look_in_index(core, space, erased, proof)
    if folder := await core.part(SpaceFiles).folder_now(space):
        proof.texts_found += await asyncio.to_thread(_in_files, folder, erased.traces)
    receipt = _receipt(space, asked, actor, erased, complete=is_clean(proof) and not notes)
    notes = [*scrubbed.notes, *notes, *unread]
    storage = Storage(database=core.driver.dialect, scrubbed=scrubbed.done, notes=notes)
    return receipt.model_copy(update={"proof": proof, "storage": storage})


async def _read_first(core: Core, space: Space) -> list[str]:
    """A file that waits to be read may hold what is erased: it is read now, and then looked into like others.

    What is to be said of those that cannot be read.
    """
    there = await core.driver.peek(documents.in_states, space.id, *UNREAD, DocumentStatus.FAILED)
    if any(one.status in UNREAD for one in there):
        await core.part(Runner).finish(Documents(core, core.part(Blobs), embeds=False), space)
        there = await core.driver.peek(documents.in_states, space.id, DocumentStatus.FAILED)
    names = [one.name for one in there if one.original]
    if not names:
        return []
    few = ", ".join(names[:NAMED])
    return [f"Files that could not be read were not looked into: {few}. Remove them to make sure."]


async def _scrubbed(core: Core, erased: Erased) -> Scrubbed:
    """Rid the files of what was erased, now or before; where there is nothing of it, leave them alone."""
    if erased.found or await core.driver.needs_scrub():
        return await core.driver.scrub()
    return Scrubbed(False, ["Nothing was found, so the files were left as they are."])


async def look_in_index(core: Core, space: Space, erased: Erased, proof: Proof) -> list[str]:
    """Add to a proof what each vector index still holds; which could not be asked, and why."""
    notes = []
    found = await core.index.traces(space, None if erased.whole_space else erased.entry_ids)
    for name, left in found.items():
        if isinstance(left, StoreError):
            why = "it is told to let go of what was erased as soon as it answers. Erase again to make sure"
            notes.append(
                f"The vector index {name} could not be asked whether it holds any of it; {why}."
                f" ({left.message})"
            )
            continue
        places = [Place(noun=f"vector index {name}", id=str(id_)) for id_ in left[:PLACES_SHOWN]]
        proof.ids_found += places
    return notes


def is_clean(proof: Proof) -> bool:
    """Whether nothing was found of what was erased."""
    return not (proof.ids_found or proof.texts_found or proof.terms_found)


def _receipt(space: Space, asked: EraseRequest, actor: str, erased: Erased, *, complete: bool) -> Receipt:
    return Receipt(
        id=erased.id,
        at=now(),
        actor=actor,
        space=space.name,
        asked=asked.kind,
        dry_run=asked.dry_run,
        erased=erased.counts,
        records=erased.records,
        complete=complete,
    )


def _in_files(folder: Path, traces: Traces) -> list[Place]:
    """Files of the space that still say it, such as an edit that was put aside."""
    found = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            lines = path.read_text("utf-8", "replace").splitlines()
            if any(traces.text_in(line) for line in lines):
                found.append(Place(noun="file", id=str(path.relative_to(folder))))
    return found
