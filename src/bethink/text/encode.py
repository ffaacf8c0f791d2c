"""What a model is given to embed: never stored in place of the text, and never longer than it reads well."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

LIMIT = 8000

_NONE = "none"
_LINE = LIMIT // 8  # room for each line beside the text
_SENTENCE_END = re.compile(r"[.!?…]['\")\]]*(?=\s)|[。！？｡]")
_JOINERS = frozenset("\u200c\u200d")
_LONGEST_SEQUENCE = 32


def cut(text: str, limit: int = LIMIT) -> str:
    """At most `limit` characters, up to the end of a line, sentence, clause or word in the last quarter."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    start = limit - limit // 4
    ends = (
        text.rfind("\n", start, limit + 1),
        max(
            (m.end() for m in _SENTENCE_END.finditer(text, start - 1, limit + 1) if m.end() <= limit),
            default=-1,
        ),
        text.rfind("; ", start, limit) + 1,
        text.rfind(" ", start, limit + 1),
    )
    end = next((end for end in ends if start <= end <= limit), None)
    return text[: _between_sequences(text, limit)] if end is None else text[:end].rstrip()


def _between_sequences(text: str, limit: int) -> int:
    """The nearest place up to `limit` that tears no accent, emoji sequence or surrogate pair apart."""
    for end in range(limit, max(limit - _LONGEST_SEQUENCE, 0), -1):
        if not _continues(text[end - 1], text[end]):
            return end
    return limit


def _continues(before: str, character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or character in _JOINERS
        or before in _JOINERS
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= character <= "\udfff")
    )


def lean_document(text: str, speaker: str | None) -> str:
    """The text, led by who said it."""
    said = _collapse(text)
    return cut(f"{_collapse(speaker)}: {said}" if speaker and speaker.strip() else said)


def aaak_document(
    *,
    text: str,
    sent_at: datetime,
    tier: str,
    media: Sequence[str],
    dimensions: Mapping[str, str | None],
    metadata: Mapping[str, Any],
) -> str:
    """The AAAK document: lines for Text, Time (Unix milliseconds), Tier, Media, Dimensions and Metadata.

    At most 8000 characters in all: the text gives way to what surrounds it, and that is kept short.
    """
    around = "\n".join(
        f"{name}: {cut(value, _LINE) or _NONE}"
        for name, value in (
            ("Time", str(_milliseconds(sent_at))),
            ("Tier", _collapse(tier)),
            ("Media", ", ".join(filter(None, map(_collapse, media)))),
            ("Dimensions", "; ".join(_pairs(dimensions))),
            ("Metadata", "; ".join(_pairs(_flat(metadata)))),
        )
    )
    room = LIMIT - len(around) - len("Text: ") - 1
    return f"Text: {cut(_collapse(text), room)}\n{around}"


def _milliseconds(moment: datetime) -> int:
    """Unix time; a moment without an offset is in UTC."""
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _flat(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Two levels as one, keys sorted; keys that begin with two underscores are private and left out."""
    flat: dict[str, Any] = {}
    for key, value in _public(metadata):
        if isinstance(value, Mapping):
            flat |= {
                f"{key}.{inner}": below for inner, below in _public(value) if not isinstance(below, Mapping)
            }
        else:
            flat[key] = value
    return dict(sorted(flat.items()))


def _public(values: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    return ((str(key), value) for key, value in values.items() if not str(key).startswith("__"))


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        plain = _plain(value)
        if plain:
            yield f"{_collapse(key)}: {plain}"


def _plain(value: Any) -> str:
    """A value in words; of a list, its plain items; nothing for what is missing or nested deeper."""
    if value is None or isinstance(value, Mapping):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, (_plain(item) for item in value if not isinstance(item, list | tuple))))
    return _collapse(str(value))


def _collapse(text: str) -> str:
    return " ".join(text.split())
