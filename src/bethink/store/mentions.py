"""The times a text speaks of, as a column of its entry: places and days; the text is in its record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

from bethink.text.dates.mentions import Mention


def packed(mentions: Sequence[Mention]) -> str | None:
    """A column's value; none for no mention."""
    if not mentions:
        return None
    days = [[m.start, m.end, m.first.isoformat(), m.last.isoformat()] for m in mentions]
    return json.dumps(days, separators=(",", ":"))


def unpacked(column: str | None, text: str) -> list[Mention]:
    """The mentions in a text."""
    return [
        Mention(start, end, text[start:end], date.fromisoformat(first), date.fromisoformat(last))
        for start, end, first, last in (json.loads(column) if column else ())
    ]
