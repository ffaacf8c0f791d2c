"""memory.txt: what people set for themselves, as a document that takes part in every search of documents."""

from __future__ import annotations

import hashlib
from datetime import datetime

from bethink.clock import new_id, now
from bethink.core import Core
from bethink.documents import changes
from bethink.documents.describe import passage_entry
from bethink.documents.formats.text import paragraphs
from bethink.documents.split import split
from bethink.records import Document, DocumentStatus, Space
from bethink.shapes.options import SpaceOptions
from bethink.store import Tx, documents, spaces

NAME = "memory.txt"
PATH = f"{changes.OWN}{NAME}"  # the file that it follows is none of the machine's


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


async def refresh(core: Core, space: Space) -> str | None:
    """Bring the document up to date, with its passages; its id, where anything is set."""
    options = await core.options.of(space)
    old, soul = await core.driver.read(_look, space)
    text = core.secrecy.text_to_store(text_of(soul, options))
    if text and old and old.content_hash == _hash(text):
        return old.id
    if not text and not old:
        return None
    id_ = await core.driver.write(_bring, space, text, now())
    await core.changed("passage", space)
    await core.changed("document", space)
    return id_


def _look(tx: Tx, space: Space) -> tuple[Document | None, str]:
    return documents.by_path(tx, space.id, PATH), spaces.text(tx, space.id, "soul")


def _bring(tx: Tx, space: Space, text: str, now: datetime) -> str | None:
    """Store the text and its passages at once. What it is made of is in the journal; it is not."""
    there = documents.by_path(tx, space.id, PATH)
    if not text:
        documents.delete(tx, space, [there.id] if there else [])
        return None
    there = there or documents.by_hash(tx, space.id, _hash(text))  # which came with an archive
    document = Document(
        id=there.id if there else new_id(), space_id=space.id, name=NAME, kind="txt",
        size_bytes=len(text.encode()), content_hash=_hash(text), status=DocumentStatus.EMBEDDING,
        original=False, path=PATH, created_at=there.created_at if there else now, updated_at=now,
    )  # fmt: skip
    (documents.update if there else documents.add)(tx, document)
    old = changes.begin(tx, space, document, now) or {}
    new, moved = changes.passages_of(space, document, list(split(paragraphs(text))), 0, old, now)
    changes.put(tx, space, document, new, moved, [passage_entry(one) for one in (*new, *moved)], now)
    gone = [id_ for ids in old.values() for id_ in ids]
    changes.finish(tx, space, document, gone, {"status": DocumentStatus.EMBEDDING}, now)
    return document.id


def _hash(text: str) -> str:
    """Another one than that of a file that says the same, which is a document of its own."""
    return hashlib.sha256(f"{PATH}\0{text}".encode()).hexdigest()
