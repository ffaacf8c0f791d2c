"""A space's own texts: its soul (how the assistant is to be) and the narrative of what is remembered."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bethink.store.columns import micros
from bethink.store.driver import Tx

TextName = Literal["soul", "narrative"]


def get(tx: Tx, space_id: str, name: TextName) -> str:
    """The text; empty when there is none."""
    row = tx.one("texts.get", {"space_id": space_id, "name": name})
    return str(row["content"]) if row else ""


def put(tx: Tx, space_id: str, name: TextName, content: str, now: datetime) -> None:
    """Replace the text; an empty one is removed."""
    values = {"space_id": space_id, "name": name}
    if content:
        tx.run("texts.put", {**values, "content": content, "at": micros(now)})
    else:
        tx.run("texts.delete", values)
