"""What another program posts of messages in a shape of its own, and how that shape is read."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from bethink.errors import InvalidInput
from bethink.records import Json, Record
from bethink.shapes.fields import LIST_ITEMS, Extra, Name, Text, checked
from bethink.shapes.inputs import SpeakerRole

Place = Annotated[str, Field(min_length=1, max_length=500)]


class IngestMapping(Record):
    """Where in a message of another program its parts are.

    A place is names and numbers with dots between, such as `message.from.first_name` or `parts.0.text`, or a
    text that is always the same after an equals sign, such as `=inbox`.
    """

    items: Place | None = Field(
        None, description="The list of messages, or the one message; the whole body when left out."
    )
    id: Place = Field("id", description="The message's own id: what comes again under it changes nothing.")
    session: Place = Field("session", description="The conversation.")
    content: Place = Field("content", description="What was said.")
    sent_at: Place = Field(
        "sentAt",
        description="When: ISO 8601, or seconds or milliseconds since 1970; now if nothing is there.",
    )
    role: Place = Field("role", description="Who speaks, in a word of `roles` or one of ours.")
    roles: dict[Name, SpeakerRole] = Field(
        default_factory=dict, max_length=LIST_ITEMS, description="What the program's words mean."
    )
    name: Place = Field("name", description="The sender's name.")
    sender: Place = Field("sender", description="The sender's id or address.")
    me: Annotated[list[Text], Field(max_length=LIST_ITEMS)] = Field(
        default_factory=list,
        description="Your names or ids: where no role is there, these are `user` and others are `contact`.",
    )
    channel: Place = Field("channel", description="The channel, where there is one.")
    contact: Place = Field("contact", description="Whom the conversation is with.")
    bot_id: Place = Field("botId", description="The bot that took part.")
    metadata: dict[Name, Place] = Field(
        default_factory=dict, max_length=LIST_ITEMS, description="What else to keep, by name."
    )


def mapping_values(values: Json) -> Json:
    """A mapping as it is kept, once it is known to be one."""
    try:
        return checked(IngestMapping, values).model_dump(by_alias=True, exclude_defaults=True)
    except InvalidInput as error:
        raise PydanticCustomError("mapping", "{problem}", {"problem": error.message}) from None


Mapped = Annotated[Extra, AfterValidator(mapping_values)]


class IngestRequest(Record):
    """A body with its mapping beside it, for when none is kept for the platform."""

    mapping: IngestMapping
    payload: Any = Field(description="The other program's body, as it is.")


class IngestedMessage(Record):
    """A message as it is, or would be, observed."""

    session: str
    id: str
    role: SpeakerRole
    name: str | None
    sent_at: datetime | None = Field(description="Null: the time at which it comes in.")
    content: str
    known: bool = Field(description="Whether it was there before under its id.")


class Ingested(Record):
    """What became of a body, or would."""

    platform: str
    dry_run: bool
    stored: int = Field(description="New messages.")
    edited: int = Field(description="Known ones with another text, which was replaced.")
    duplicates: int = Field(description="Known ones, left as they were.")
    empty: int = Field(description="Items without words, left out.")
    messages: list[IngestedMessage] = Field(
        default_factory=list, description="What would be observed; only of a dry run."
    )
