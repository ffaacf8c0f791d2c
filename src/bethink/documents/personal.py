"""memory.txt: what people set for themselves, as a document that takes part in every search of documents."""

from __future__ import annotations

import hashlib
from datetime import datetime

from bethink.clock import now
from bethink.core import Core
from bethink.documents import changes
from bethink.documents.changes import Incoming
from bethink.documents.describe import passage_entry
from bethink.documents.formats.text import paragraphs
from bethink.documents.split import split
from bethink.records import Document, DocumentStatus, Space
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
    """Store the text and its passages at once: it is no file that somebody sent, and needs no reading."""
    there = documents.by_path(tx, space.id, PATH)
    if not text:
        if there:
            changes.remove(tx, space, there.id, now, ACTOR)
        return None
    file = Incoming(NAME, "txt", len(text.encode()), _hash(text), PATH)
    document = changes.add(tx, space, file, now, ACTOR).document
    old = changes.begin(tx, space, document, now) or {}
    new, moved = changes.passages_of(space, document, list(split(paragraphs(text))), 0, old, now)
    changes.put(tx, space, document, new, moved, [passage_entry(one) for one in (*new, *moved)], now)
    gone = [id_ for ids in old.values() for id_ in ids]
    told = {"status": DocumentStatus.EMBEDDING, "original": False}
    changes.finish(tx, space, document, gone, told, now)
    return document.id


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
