"""Texts and ids to look for in other texts. Pure.

A long text is looked for anywhere in another. A short one, such as `tea`, only where it is all that a field
says: otherwise erasing one fact would find half of the memories there are.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from bethink.text.fold import normalized

LONG = 16  # characters from which on a text says enough to be looked for inside of others
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def compared(text: str) -> str:
    """A text as it is compared: without case, however its letters are composed, without what is not seen.

    >>> compared("Jose\u0301 Zebu\u00adlon") == compared("JOSÉ Zebulon")
    True
    """
    if text.isascii():
        return text.casefold()
    seen = (one for one in normalized("NFKC", text) if unicodedata.category(one) != "Cf")
    return normalized("NFKC", "".join(seen).casefold())


class Traces:
    """What was erased, to be looked for in what is left."""

    def __init__(self, texts: Iterable[str] = (), ids: Iterable[str] = (), parts: Iterable[str] = ()) -> None:
        self.ids = set(ids)
        self._exact = {compared(text).strip() for text in texts} - {""}
        self._parts = {folded for part in parts if (folded := compared(part)).strip()}
        self._by_start: dict[str, list[str]] = {}
        for text in self._exact:
            if len(text) >= LONG:
                self._by_start.setdefault(text[:LONG], []).append(text)

    @property
    def texts(self) -> int:
        """How many texts are looked for."""
        return len(self._exact | self._parts)

    def id_in(self, value: str) -> bool:
        """Whether an id stands in a value, alone or inside of it."""
        return value in self.ids or any(found in self.ids for found in _ID.findall(value))

    def text_in(self, value: str) -> bool:
        """Whether one of the texts stands in a value, which may be JSON."""
        return any(self._stands_in(text) for text in strings(value))

    def _stands_in(self, text: str) -> bool:
        folded = compared(text)
        if folded.strip() in self._exact or any(part in folded for part in self._parts):
            return True
        if not self._by_start or len(folded) < LONG:
            return False
        # One look at every run of so many characters, however many texts are looked for.
        runs = {folded[place : place + LONG] for place in range(len(folded) - LONG + 1)}
        return any(
            needle in folded for start in self._by_start.keys() & runs for needle in self._by_start[start]
        )


def strings(value: str) -> Iterator[str]:
    """A value, and if it is JSON every text in it."""
    yield value
    if value[:1] in ("{", "[", '"'):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return
        yield from strings_in(parsed)


def strings_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, the names of objects' values too."""
    match value:
        case str():
            yield value
        case dict():
            for name, item in value.items():
                yield name
                yield from strings_in(item)
        case list():
            for item in value:
                yield from strings_in(item)
