"""A space's texts, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from bethink.contracts import Archived, Noun, Taking
from bethink.files.undo import revert_text
from bethink.journal.ways import NEW
from bethink.records import SpaceText
from bethink.store import spaces
from bethink.store.spaces import TextName

_NAMES = get_args(TextName)


def _check(text: SpaceText) -> tuple[str, str] | None:
    return None if text.name in _NAMES else ("name", f"must be one of {', '.join(_NAMES)}")


def _take(taking: Taking, records: Sequence[SpaceText]) -> int:
    stored = 0
    for record in records:
        name: Any = record.name
        if not spaces.text(taking.tx, taking.space.id, name):
            spaces.set_text(taking.tx, taking.space.id, name, record.content, record.updated_at)
            stored += 1
    return stored


TEXT = Noun(
    "text",
    SpaceText,
    "texts",
    ids="space",
    archived=Archived(query="archive.texts", order=("name",), long=("content",), check=_check, take=_take),
    journalled_as=_NAMES,
    ways=dict.fromkeys(("updated", "forgotten", "restored"), revert_text),
    final={"stored": NEW.format("set another, or an empty one,")},
)
