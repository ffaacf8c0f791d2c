"""Messages in another program's shape read by a mapping. Pure: what is wrong is said with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, get_args

from bethink.errors import InvalidInput
from bethink.shapes.fields import checked
from bethink.shapes.ingest import IngestMapping
from bethink.shapes.inputs import MessageDraft, SpeakerRole
from bethink.text.fold import bare

_ROLES: tuple[SpeakerRole, ...] = get_args(SpeakerRole)
_CALLED = {"external_id": "id", "sent_at": "sentAt", "bot_id": "botId"}
_NOTHING = object()
_MILLISECONDS = 100_000_000_000  # a larger number of seconds would be in the year 5138


@dataclass(frozen=True)
class Mapped:
    """One message of the other program, and the conversation it belongs to."""

    session: str
    draft: MessageDraft


def read_payload(
    payload: Any, mapping: IngestMapping, platform: str, zone: tzinfo
) -> tuple[list[Mapped], int]:
    """The messages in a body, and how many of its items have no words."""
    found: list[Mapped] = []
    empty = 0
    me = frozenset(map(bare, mapping.me)) - {""}
    for place, item in _items(payload, mapping):
        content = _at(item, mapping.content)
        if content is _NOTHING:
            raise _nothing(place, "content", mapping.content)
        if content is None or content == "":
            empty += 1
            continue
        found.append(_mapped(item, place, content, mapping, platform, zone, me))
    return found, empty


def _mapped(
    item: Any,
    place: str,
    content: Any,
    mapping: IngestMapping,
    platform: str,
    zone: tzinfo,
    me: frozenset[str],
) -> Mapped:
    def text(field: str, where: str, *, needed: bool = False) -> str | None:
        value = _at(item, where)
        if value is _NOTHING or value is None or value == "":
            if needed:
                raise _nothing(place, field, where)
            return None
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise _wrong(place, field, f"what is at {where!r} must be a text or a whole number")
        return str(value)

    name, sender = text("name", mapping.name), text("sender", mapping.sender)
    session = text("session", mapping.session, needed=True)
    metadata = {
        key: value for key, where in mapping.metadata.items() if (value := _at(item, where)) is not _NOTHING
    }
    values = {
        "external_id": text("id", mapping.id, needed=True),
        "content": content,
        "role": _role(place, text("role", mapping.role), mapping, me, (name, sender)),
        "name": name or sender,
        "platform": platform,
        "sent_at": _time(place, _at(item, mapping.sent_at), zone),
        "channel": text("channel", mapping.channel),
        "contact": text("contact", mapping.contact),
        "bot_id": text("botId", mapping.bot_id),
        "metadata": metadata | ({"sender": sender} if sender and sender != name else {}),
    }
    try:
        draft = checked(MessageDraft, values)
    except InvalidInput as error:
        field = _CALLED.get(error.field or "", error.field or "")
        problem = error.message.removeprefix(f"{error.field}: ")
        raise InvalidInput(f"{place}.{field}: {problem}", field=f"{place}.{field}") from None
    return Mapped(f"{platform}:{session}", draft)


def _items(payload: Any, mapping: IngestMapping) -> Iterator[tuple[str, Any]]:
    """Each item of a body, with its place; a body that is no list is one item."""
    root = payload if mapping.items is None else _at(payload, mapping.items)
    where = mapping.items or "body"
    if root is _NOTHING:
        raise InvalidInput(f"items: there is nothing at {where!r} of the body.", field="items")
    items: Sequence[Any] = root if isinstance(root, list) else [root]
    for number, item in enumerate(items):
        place = f"{where}[{number}]" if isinstance(root, list) else where
        if not isinstance(item, dict):
            raise InvalidInput(f"{place}: must be an object.", field=place)
        yield place, item


def _at(value: Any, where: str) -> Any:
    """What is at a place, or nothing."""
    if where.startswith("="):
        return where[1:]
    for part in where.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _NOTHING
    return value


def _role(
    place: str, word: str | None, mapping: IngestMapping, me: frozenset[str], names: Sequence[str | None]
) -> SpeakerRole:
    """Who speaks: as the item says, or else as `me` tells; another's words are never the user's."""
    if word is not None:
        if role := mapping.roles.get(word):
            return role
        for role in _ROLES:
            if role == word:
                return role
        raise _wrong(
            place, "role", f"{word!r} is none of {', '.join(_ROLES)}; say with `roles` what it means"
        )
    return "user" if any(bare(name) in me for name in names if name) else "contact"


def _time(place: str, value: Any, zone: tzinfo) -> datetime | None:
    if value is _NOTHING or value is None or value == "":
        return None
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            at = datetime.fromisoformat(value)
            return at if at.tzinfo else at.replace(tzinfo=zone)
        seconds = float(value)
        return datetime.fromtimestamp(seconds / 1000 if seconds > _MILLISECONDS else seconds, UTC)
    except (ValueError, TypeError, OverflowError, OSError):
        shown = str(value)[:80]
        raise _wrong(place, "sentAt", f"{shown!r} is no time in ISO 8601 or seconds since 1970") from None


def _nothing(place: str, field: str, where: str) -> InvalidInput:
    return _wrong(place, field, f"there is nothing at {where!r}")


def _wrong(place: str, field: str, problem: str) -> InvalidInput:
    return InvalidInput(f"{place}.{field}: {problem}.", field=f"{place}.{field}")
