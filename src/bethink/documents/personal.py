"""memory.txt: what people set for themselves, as a document that takes part in every search of documents."""

from __future__ import annotations

import asyncio
import hashlib

from bethink.clock import now
from bethink.core import Core
from bethink.documents import changes
from bethink.documents.blobs import Blobs
from bethink.documents.changes import Incoming
from bethink.records import Space
from bethink.shapes.options import SpaceOptions
from bethink.store import Tx, documents, spaces

NAME = "memory.txt"
PATH = f"{changes.OWN}{NAME}"  # the file that it follows is none of the machine's
ACTOR = "bethink"


def text_of(soul: str, options: SpaceOptions) -> str:
    """What was set; empty where nothing was.

    >>> print(text_of("Be brief.", SpaceOptions(insight_people=["Anna"], insight_topics=["launch"])))
    People in focus: Anna.
    <BLANKLINE>
    Topics in focus: launch.
    <BLANKLINE>
    How the assistant is to be:
    <BLANKLINE>
    Be brief.
    """
    lists = (("People", options.insight_people), ("Topics", options.insight_topics))
    parts = [f"{what} in focus: {', '.join(names)}." for what, names in lists if names]
    parts += ["How the assistant is to be:", soul.strip()] if soul.strip() else []
    return "\n\n".join(parts)


def find(tx: Tx, space_id: str) -> str | None:
    """The id of the document, if there is one."""
    found = documents.by_path(tx, space_id, PATH)
    return found.id if found else None


async def refresh(core: Core, space: Space) -> None:
    """Bring the document up to date, to be read with the others. It is kept where there are others."""
    options = await core.options.of(space)
    old, soul, others = await core.driver.read(_look, space)
    text = core.secrecy.text_to_store(text_of(soul, options)) if others else ""
    content_hash = hashlib.sha256(text.encode()).hexdigest()
    if not text:
        if old:
            await core.driver.write(changes.remove, space, old[0], now(), ACTOR)
        return
    blobs = core.part(Blobs)
    if old and old[1] == content_hash and await asyncio.to_thread(blobs.has, space, content_hash):
        return
    file = Incoming(NAME, "txt", len(text.encode()), content_hash, PATH)
    added = await core.driver.write(changes.add, space, file, now(), ACTOR)
    await asyncio.to_thread(_keep, blobs, space, text, content_hash)
    await core.driver.write(changes.retry, space, added.document.id, now())


def _keep(blobs: Blobs, space: Space, text: str, content_hash: str) -> None:
    path = blobs.begin(space)
    path.write_bytes(text.encode())
    blobs.keep(space, path, content_hash)


def _look(tx: Tx, space: Space) -> tuple[tuple[str, str] | None, str, bool]:
    """The document and its hash, the soul, and whether there are other documents."""
    found = documents.by_path(tx, space.id, PATH)
    _, total = documents.page(tx, space.id, None, 1, 0)
    old = (found.id, found.content_hash) if found else None
    return old, spaces.text(tx, space.id, "soul"), total > (found is not None)
