"""Secrets in texts and records: what is shown and stored in their place. Pure.

>>> masked("the wifi password is Tulip!77")
'the wifi password is [password]'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, get_args

from bethink.records import JournalEntry, Record
from bethink.text.secrets.find import find_secrets
from bethink.text.secrets.values import MARKS, Secret, has_mark

__all__ = [
    "MARKS",
    "Secrecy",
    "Secret",
    "find_secrets",
    "has_mark",
    "kinds_of_secrets",
    "masked",
    "masked_json",
    "masked_record",
    "masked_value",
    "name_of",
    "why_secret",
]

NO_MEMORY = "no memory is made of secrets"
MUCH = 10_000  # characters: so many take some milliseconds

# The fields that hold what people say; the others are names, ids, times and numbers.
TEXTS = frozenset(
    {
        "content", "text", "texts", "title", "value", "source_context", "notes", "metadata", "attachments",
        "source_ref", "before", "after", "reason", "tool_calls", "description", "details", "preferences",
        "closed_because", "markdown",
    }
)  # fmt: skip

T = TypeVar("T")
R = TypeVar("R", bound=Record)


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


def masked_lines(text: str) -> list[str]:
    """The lines of a text with marks in the place of secrets; a secret of several lines leaves as many.

    >>> masked_lines("a\\nmy password is hunter22secret\\nb")
    ['a', 'my password is [password]', 'b']
    """
    kept, place = [], 0
    for secret in find_secrets(text):
        first, end = max(secret.span[0], place), secret.span[1]
        if first < end:
            breaks = "\n" * text.count("\n", first, end)
            kept += [text[place:first], secret.mark, breaks]
            place = end
    return "".join([*kept, text[place:]]).split("\n")


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


def masked_record(record: R) -> R:
    """The record with every secret in its texts masked; the very same record when there is none."""
    return _masked_record(record, {})


def _masked_record(record: R, known: dict[str, str]) -> R:
    """The same; `known` has the texts that were masked already, since a hit has that of its record too."""
    fields = {name: getattr(record, name) for name in _looked_at(type(record))}
    new = {name: _masked_field(record, name, value, known) for name, value in fields.items() if value}
    changes = {name: value for name, value in new.items() if value is not fields[name]}
    if "text" in changes and (mentions := getattr(record, "mentioned_at", None)):
        changes["mentioned_at"] = [mention for mention in mentions if mention.text in changes["text"]]
    return record.model_copy(update=changes) if changes else record


def name_of(fact: Record) -> str:
    """What tells what the value of a fact is."""
    return f"{getattr(fact, 'category', '')} {getattr(fact, 'key', '')}"


@cache
def _looked_at(kind: type[Record]) -> tuple[str, ...]:
    """The fields of a record that can hold a secret."""
    fields = kind.model_fields.items()
    return tuple(name for name, field in fields if name in TEXTS or _holds_records(field.annotation))


def _holds_records(kind: Any) -> bool:
    if parts := get_args(kind):
        return any(map(_holds_records, parts))
    return isinstance(kind, type) and issubclass(kind, Record)


def _masked_field(record: Record, name: str, value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, Record):
        return _masked_record(value, known)
    if isinstance(value, list) and isinstance(value[0], Record):
        items = [_masked_record(item, known) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if name not in TEXTS:
        return value
    if isinstance(record, JournalEntry) and isinstance(value, Mapping):
        return _masked_change(record, value)
    if not isinstance(value, str):
        return masked_json(value)
    if name == "value":
        text = masked_value(name_of(record), value)
    elif (text := known.get(value, "")) == "":
        text = known[value] = masked(value)
    return text if text != value else value


def _masked_change(line: JournalEntry, values: Mapping[str, Any]) -> Any:
    """What a line of the journal keeps of a record; what a fact is about may stand on the other side only."""
    named: dict[str, Any] = {}
    for side in (line.before, line.after):
        named |= {name: side[name] for name in ("category", "key") if side and name in side}
    shown = masked_json({**named, **values})
    without = {name: shown[name] for name in values}
    return without if without != values else values


class Secrecy:
    """Masks secrets in what is shown, unless they are kept in the open; and before storing, if so chosen."""

    def __init__(self, *, masks: bool = True, drops: bool = False) -> None:
        self.masks, self.drops = masks, drops

    def shown(self, value: T) -> T:
        """A record, a list of them or a text as it may be shown."""
        return _masked(value) if self.masks else value

    def is_much(self, value: object) -> bool:
        """Whether masking this takes long enough to be done in a thread."""
        return self.masks and _length(value) > MUCH

    def hidden_in(self, value: object) -> int:
        """How many records are shown otherwise than they are."""
        if not self.masks:
            return 0
        values = value if isinstance(value, list) else [value]
        return sum(_masked(one) != one for one in values)

    def to_store(self, drafts: Sequence[R]) -> list[R]:
        """Drafts as they are to be stored."""
        return [masked_record(draft) for draft in drafts] if self.drops else list(drafts)

    def text_to_store(self, text: str) -> str:
        """A text as it is to be stored."""
        return masked(text) if self.drops else text


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [_masked(one) for one in value]
    if isinstance(value, str):
        return masked(value)
    return masked_record(value) if isinstance(value, Record) else value


def _length(value: Any) -> int:
    """About how many characters of text there are in a record, or in a list of them."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Record):
        held = (getattr(value, name) for name in _looked_at(type(value)))
        return sum(_length(one) for one in held if one)
    if isinstance(value, list):
        return sum(map(_length, value))
    return len(str(value)) if isinstance(value, Mapping) else 0
