"""Plain JSON Lines: one message a line, with the fields that `observe` takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bethink.clock import now
from bethink.errors import InvalidInput
from bethink.records import Json
from bethink.shapes.fields import checked
from bethink.shapes.inputs import MessageDraft
from bethink.shapes.parts import message_values
from bethink.transfer.bounds import MOST_PARTS, has_too_many_parts
from bethink.transfer.chats.said import Conversation, Said, clean_json, hash_of, id_of
from bethink.transfer.chats.sources import Source

PLATFORM = "chat"
LONGEST_LINE = 16_000_000  # bytes
_OWN = {"role", "content", "external_id", "name", "sent_at", "sent_offset", "attachments", "metadata"}


def read(source: Source) -> Iterator[Said]:
    """The messages, line by line. One that names no session belongs to a session named after the file."""
    session = source.stem or "import"
    for number, values in each_object(source):
        try:
            yield _message(values, number, session)
        except InvalidInput as error:
            raise source.refused(f"line {number}", error.message) from None


def each_object(source: Source, member: str | None = None) -> Iterator[tuple[int, Json]]:
    """The object on each line that is not empty, and the number of the line."""
    with source.opened(member) as stream:
        number = 0
        while raw := stream.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise source.too_large(
                    f"line {number}", f"is longer than {LONGEST_LINE:,} bytes; shorten it."
                )
            if has_too_many_parts(raw):
                problem = f"holds more than {MOST_PARTS:,} texts, lists and objects; make it simpler."
                raise source.too_large(f"line {number}", problem)
            if raw.strip():
                try:
                    yield number, _parsed(raw)
                except InvalidInput as error:
                    raise source.refused(f"line {number}", error.message) from None


def _parsed(raw: bytes) -> Json:
    try:
        values = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"is not UTF-8 (byte {error.start}).") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(f"is not valid JSON: {error.msg} at column {error.colno}.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot be read as JSON: {error}.") from None
    if not isinstance(values, dict):
        raise InvalidInput("must be a JSON object.")
    return values


def _message(values: Json, number: int, session: str) -> Said:
    named: list[Any] = [values.pop(name) for name in ("session", "sessionId", "session_id") if name in values]
    where = named[0] if named else session
    if not isinstance(where, str) or not where:
        raise InvalidInput("session: must be a name.")
    values = message_values(values)
    if missing := [name for name in ("role", "content") if name not in values]:
        raise InvalidInput(f"{' and '.join(missing)}: must be there.")
    draft = checked(MessageDraft, clean_json(values))
    at: datetime | None = draft.sent_at
    stamp = at.isoformat() if at else f"line {number}"
    return Said(
        conversation=Conversation(id_of(where)),
        id=draft.external_id or hash_of(where, stamp, draft.role, draft.name or "", draft.content),
        at=at or now(),
        content=draft.content,
        role=draft.role,
        name=draft.name,
        attachments=draft.attachments,
        metadata=draft.metadata,
        more={name: getattr(draft, name) for name in draft.model_fields_set - _OWN}
        | {"sent_offset": draft.sent_offset},
    )
