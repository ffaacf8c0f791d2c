"""Records with marks in place of secrets, such as `[password]`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from bethink.records import JournalEntry, Record
from bethink.text.secrets import masked, masked_json, masked_value

# The fields that hold what people say; the others are names, ids, times and numbers.
TEXTS = frozenset(
    {
        "content", "text", "texts", "title", "value", "source_context", "notes", "metadata", "attachments",
        "source_ref", "before", "after", "reason", "tool_calls",
    }
)  # fmt: skip

R = TypeVar("R", bound=Record)


def masked_record(record: R) -> R:
    """The record with every secret in its texts masked; the very same record when there is none."""
    fields = {name: (value, _masked(record, name, value)) for name, value in record}
    changes = {name: new for name, (old, new) in fields.items() if new is not old}
    if "text" in changes and (mentions := getattr(record, "mentioned_at", None)):
        changes["mentioned_at"] = [mention for mention in mentions if mention.text in changes["text"]]
    return record.model_copy(update=changes) if changes else record


def name_of(fact: Record) -> str:
    """What tells what the value of a fact is."""
    return f"{getattr(fact, 'category', '')} {getattr(fact, 'key', '')}"


def _masked(record: Record, name: str, value: Any) -> Any:
    if isinstance(value, Record):
        return masked_record(value)
    if isinstance(value, list) and value and isinstance(value[0], Record):
        items = [masked_record(item) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if name not in TEXTS or not value:
        return value
    if isinstance(record, JournalEntry) and isinstance(value, Mapping):
        return _masked_change(record, value)
    if isinstance(value, str):
        text = masked_value(name_of(record), value) if name == "value" else masked(value)
        return text if text != value else value
    return masked_json(value)


def _masked_change(line: JournalEntry, values: Mapping[str, Any]) -> Any:
    """What a line of the journal keeps of a record; what a fact is about may stand on the other side only."""
    named: dict[str, Any] = {}
    for side in (line.before, line.after):
        named |= {name: side[name] for name in ("category", "key") if side and name in side}
    shown = masked_json({**named, **values})
    without = {name: shown[name] for name in values}
    return without if without != values else values
