"""One message as another program kept it, and the conversation it stood in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from bethink.records import Json
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import SpeakerRole

_EARLIEST = datetime(1971, 1, 1, tzinfo=UTC).timestamp()  # an earlier stamp is a 0, or in another unit
_LATEST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where something was said; `id` is the platform's own, or made of what does not change."""

    id: str
    title: str | None = None
    channel: str | None = None
    contact: str | None = None
    with_bot: bool = False


@dataclass(slots=True)
class Said:
    """One message. Without a role it is a person's, and whether that person is the user is yet to be told."""

    conversation: Conversation
    id: str
    at: datetime
    content: str
    role: SpeakerRole | None = None
    name: str | None = None
    known_as: tuple[str, ...] = ()  # other names and ids of who said it
    is_me: bool = False  # the file itself says that its owner said it
    bot_id: str | None = None
    attachments: list[Json] = field(default_factory=list)
    metadata: Json = field(default_factory=dict)
    more: Json = field(default_factory=dict)  # further fields of a message, as they are


def clean(text: str) -> str:
    """A text as a database can keep it: halves of surrogate pairs and NULs say nothing."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_json(value: Any) -> Any:
    """Such a text wherever there is one in a value."""
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(str(name)): clean_json(item) for name, item in value.items()}
        case list():
            return [clean_json(item) for item in value]
        case _:
            return value


def as_object(value: Any) -> Json:
    """A value where an object is expected; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[Json]:
    """The objects of a value where a list of them is expected."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def short(name: Any) -> str | None:
    """A name as a field can hold it; None for what is none."""
    if not isinstance(name, str) or not (text := " ".join(clean(name).split())):
        return None
    return text[:NAME_CHARS]


def id_of(*parts: str) -> str:
    """Parts as one id; one that would be too long is told by its hash."""
    whole = clean("/".join(parts))
    return whole if 0 < len(whole) <= NAME_CHARS else hash_of(whole)


def hash_of(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def from_epoch(stamp: Any) -> datetime | None:
    """A time from seconds since 1970; None for what is no such time."""
    if isinstance(stamp, bool) or not isinstance(stamp, int | float | str):
        return None
    try:
        seconds = float(stamp)
    except ValueError:
        return None
    if not _EARLIEST <= seconds <= _LATEST:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def from_iso(text: Any) -> datetime | None:
    """A time as ISO 8601 writes it, without an offset taken as UTC; None for what is no such time."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def filled(**values: Any) -> Json:
    """What of these values there is."""
    return {name: clean_json(value) for name, value in values.items() if value not in (None, "", [], {})}


def paragraphs(parts: Iterable[str]) -> str:
    """The parts that hold something, one below the other."""
    return "\n\n".join(part.strip() for part in parts if part.strip())
