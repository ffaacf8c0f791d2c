"""Secrets in texts: where they stand, and texts with marks in their place. Pure.

>>> masked("the wifi password is Tulip!77")
'the wifi password is [password]'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bethink.text.secrets.kinds import MARKS, Secret, has_mark
from bethink.text.secrets.shapes import shaped
from bethink.text.secrets.words import told

__all__ = [
    "MARKS",
    "Secret",
    "find_secrets",
    "has_mark",
    "kinds_of_secrets",
    "masked",
    "masked_json",
    "masked_value",
    "why_secret",
]

NO_MEMORY = "no memory is made of secrets"


def find_secrets(text: str) -> list[Secret]:
    """Every secret in the text, in order of where it begins; none overlaps another."""
    found: list[Secret] = []
    for secret in sorted(_all(text), key=lambda secret: (secret.span[0], -secret.span[1])):
        if not found or secret.span[0] >= found[-1].span[1]:
            found.append(secret)
    return found


def kinds_of_secrets(text: str) -> str:
    """What kinds of secrets a text holds, without repeating them; empty when there is none in it."""
    return ", ".join(dict.fromkeys(secret.kind for secret in find_secrets(text)))


def why_secret(text: str) -> str | None:
    """Why no memory is made of a text, without repeating the secret; None when there is no secret in it."""
    kinds = kinds_of_secrets(text)
    return f"it holds {kinds}; {NO_MEMORY}" if kinds else None


def masked(text: str) -> str:
    """The text with a mark in the place of every secret, such as `[password]`."""
    return _marked(text, 0)


def masked_value(name: str, value: str) -> str:
    """A value with marks in place of secrets. What it is, its name may tell: `wifi_password` and one word."""
    lead = f"{name.replace('_', ' ').replace('-', ' ')}: "
    return _marked(lead + value, len(lead))


def masked_json(value: Any, name: str = "") -> Any:
    """A JSON value with marks in place of secrets, in every text within; the same if there is none."""
    if isinstance(value, str):
        return masked_value(name, value) if name else masked(value)
    if isinstance(value, Mapping):
        fields = {key: masked_json(below, _named(value, str(key))) for key, below in value.items()}
        return fields if fields != value else value
    if isinstance(value, list | tuple):
        items = [masked_json(item, name) for item in value]
        return items if items != list(value) else value
    return value


def _named(fields: Mapping[Any, Any], key: str) -> str:
    """What tells what a field holds: its own name, and of a `value` the `key` that it belongs to."""
    if key == "value":
        return " ".join(part for part in (fields.get("category"), fields.get("key")) if isinstance(part, str))
    return "" if key in _NO_NAMES else key


_NO_NAMES = frozenset({"content", "text", "title", "reason", "role", "id"})


def _marked(text: str, start: int) -> str:
    """What of a text comes after `start`, with marks; the very same text when there is no secret in it."""
    kept, place = [], start
    for secret in find_secrets(text):
        first, end = max(secret.span[0], start), secret.span[1]
        if end <= start:
            continue
        kept += [text[place:first], secret.mark]
        place = end
    return "".join([*kept, text[place:]])


def _all(text: str) -> Iterator[Secret]:
    yield from shaped(text)
    yield from told(text)
