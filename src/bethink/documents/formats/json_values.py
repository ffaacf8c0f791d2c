"""JSON: what a file of it says, as headings, tables and lines that can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bethink.documents.blocks import Block, row_of
from bethink.documents.formats import Told
from bethink.documents.formats.text import lines_of, paragraphs

DEEPEST = 50  # values in one another; what is deeper stands as it is written
_NAMED = ("title", "author", "date")


def json_values(path: Path, told: Told) -> Iterator[Block]:
    """The values of a file; one that is no JSON is a text like others."""
    text = lines_of(path)
    try:
        value = json.loads(text)
    except ValueError:
        yield from paragraphs(text)
        return
    if isinstance(value, dict):
        told.metadata |= {name: value[name] for name in _NAMED if isinstance(value.get(name), str)}
    yield from _blocks(value, 0)


def _blocks(value: Any, depth: int) -> Iterator[Block]:
    """An object's own values as lines, then each object or list in it under its name."""
    if isinstance(value, dict) and depth < DEEPEST:
        plain = {name: one for name, one in value.items() if _is_plain(one)}
        if plain:
            yield Block("\n".join(f"{name}: {_shown(one)}" for name, one in plain.items()))
        for name, one in value.items():
            if name not in plain:
                yield Block(name, "heading", min(depth + 1, 6))
                yield from _blocks(one, depth + 1)
    elif isinstance(value, list) and depth < DEEPEST:
        if _is_table(value):
            names = list(dict.fromkeys(name for one in value for name in one))
            yield Block(row_of(names), "header")
            for one in value:
                yield Block(row_of([_shown(one.get(name)) for name in names]), "row")
            return
        for one in value:
            yield from _blocks(one, depth + 1)
    elif text := _shown(value):
        yield Block(text)


def _is_table(value: Sequence[Any]) -> bool:
    rows = [one for one in value if isinstance(one, dict)]
    return len(rows) == len(value) > 1 and all(all(map(_is_plain, row.values())) for row in rows)


def _is_plain(value: Any) -> bool:
    """Whether a value fits on a line: a text, a number, or a list of such."""
    if isinstance(value, list):
        return not any(isinstance(one, Mapping | list) for one in value)
    return not isinstance(value, Mapping)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and _is_plain(value):
        return ", ".join(map(_shown, value))
    return json.dumps(value, ensure_ascii=False)
