"""A JSON text and where in it each value stands, so that a little can be changed and the rest stays. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_decode = json.JSONDecoder().raw_decode
_BLANKS = re.compile(r"[ \t\n\r]*")


class NotJson(ValueError):
    """A text that is no JSON object."""


@dataclass(frozen=True)
class Part:
    """A value, and where it begins and ends."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True)
class Edit:
    """What takes the place of a stretch of text; an empty stretch is where something is put in."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class JsonText:
    """A JSON object as it was written."""

    text: str
    start: int
    fields: Mapping[str, Part]

    @classmethod
    def read(cls, body: bytes) -> JsonText:
        """The object in these bytes; `NotJson` when they hold none."""
        try:
            text = body.decode("utf-8")
            start = _skip(text, 0)
            fields, end = _members(text, start)
        except IndexError:
            raise NotJson("it ends too soon" if body.strip() else "it is empty") from None
        except (ValueError, RecursionError) as error:
            raise NotJson(str(error) or "it is nested too deep") from None
        if _skip(text, end) != len(text):
            raise NotJson("there is more after the object")
        return cls(text, start, fields)

    def value(self, name: str) -> Any:
        """A field's value; None when there is none."""
        part = self.fields.get(name)
        return part.value if part else None

    def members(self, part: Part) -> dict[str, Part]:
        """The fields of an object in it."""
        return _members(self.text, part.start)[0]

    def items(self, part: Part) -> list[Part]:
        """The items of a list in it."""
        return _items(self.text, part.start)

    def with_field(self, name: str, value: str) -> Edit:
        """The edit that adds a field, given as JSON, to an object that has others."""
        return Edit(self.start + 1, self.start + 1, f"{json.dumps(name)}:{value}{',' if self.fields else ''}")

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """The text with these edits made; those at one place in the order given."""
        pieces, place = [], 0
        for edit in sorted(edits, key=lambda edit: edit.start):
            pieces += [self.text[place : edit.start], edit.text]
            place = edit.end
        return "".join((*pieces, self.text[place:])).encode()


def as_json(value: Any) -> str:
    """A value as JSON, as short as it can be written."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _members(text: str, start: int) -> tuple[dict[str, Part], int]:
    if text[start] != "{":
        raise NotJson("it is no object")
    found: dict[str, Part] = {}
    place = _skip(text, start + 1)
    if text[place] == "}":
        return found, place + 1
    while True:
        name, place = _decode(text, place)
        if not isinstance(name, str):
            raise NotJson("a name is no text")
        place = _after(text, place, ":")
        value, end = _decode(text, place)
        found[name] = Part(value, place, end)
        place = _skip(text, end)
        if text[place] == "}":
            return found, place + 1
        place = _after(text, place, ",")


def _items(text: str, start: int) -> list[Part]:
    found: list[Part] = []
    place = _skip(text, start + 1)
    while text[place] != "]":
        value, end = _decode(text, place)
        found.append(Part(value, place, end))
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return found


def _after(text: str, place: int, mark: str) -> int:
    place = _skip(text, place)
    if text[place] != mark:
        raise NotJson(f"{mark!r} is missing at character {place}")
    return _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place
