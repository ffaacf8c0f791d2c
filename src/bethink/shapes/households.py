"""Households as callers describe them, and what comes back: who was meant, who is speaking, what changed.

Timezones and locales are checked against the real databases.
"""

from __future__ import annotations

import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import available_timezones

from pydantic import AfterValidator, AliasChoices, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from bethink.errors import InvalidInput, SettingsError
from bethink.records import Household, Mode, Person, Record
from bethink.settings.sections import HouseholdSettings
from bethink.shapes.fields import Name, Names, Text, checked

MEMBERS = 200  # most people of one household
NOTES_CHARS = 10_000
_LOCALE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{2,8})*")


def _timezone(name: str) -> str:
    if name not in _timezones():
        raise PydanticCustomError(
            "timezone",
            "must be a timezone of the IANA database, such as America/New_York; {name} is not",
            {"name": repr(name)},
        )
    return name


@cache
def _timezones() -> frozenset[str]:
    return frozenset(available_timezones())


Timezone = Annotated[str, AfterValidator(_timezone)]


def _locale(name: str) -> str:
    """The locale in the usual spelling, such as `en-US`."""
    from babel import Locale, UnknownLocaleError  # only here: few requests need it

    parts = name.replace("_", "-").split("-")
    try:
        if not _LOCALE.fullmatch(name):
            raise ValueError(name)
        Locale.parse("_".join(parts))
    except (UnknownLocaleError, ValueError):
        raise PydanticCustomError(
            "locale", "must be a locale such as en-US or zh-Hans-CN; {name} is none", {"name": repr(name)}
        ) from None
    rest = [part.upper() if len(part) < 4 else part.title() for part in parts[1:]]
    return "-".join([parts[0].lower(), *rest])


def _visible(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return text.strip()


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise PydanticCustomError("day", "must be a day such as 1990-12-31") from None


ShownName = Annotated[Name, AfterValidator(_visible)]
ShownNames = Annotated[list[ShownName], Field(max_length=50)]


class PersonChange(Record):
    """What is to change about someone; what is left out stays."""

    display_name: ShownName | None = None
    pronouns: ShownName | None = Field(default=None, description="For example she/her.")
    role: ShownName | None = Field(
        default=None, description="primary, or what they are to the primary person."
    )
    aliases: ShownNames = Field(default_factory=list, description="Other names: mom, Dr. Miller.")
    birth_date: Annotated[str, AfterValidator(_day)] | None = Field(default=None, description="YYYY-MM-DD.")
    notes: Annotated[Text, Field(max_length=NOTES_CHARS)] | None = None
    voice_ids: Names = Field(default_factory=list, description="What a voice recogniser calls this person.")

    @field_validator("display_name", mode="before")
    @classmethod
    def _named(cls, name: Any) -> Any:
        if name is None:
            raise PydanticCustomError("required", "cannot be emptied; leave it out to keep it as it is")
        return name


class PersonDraft(PersonChange):
    """A person to add; or with the id or name of someone known, what is to change about them."""

    id: Name | None = Field(default=None, description="Who is meant; when left out, whoever has this name.")

    @model_validator(mode="after")
    def _someone(self) -> Self:
        if self.display_name is None and self.id is None:
            raise PydanticCustomError("unnamed", "a name is required: everyone has one")
        return self


class HouseholdDraft(Record):
    """What is to change about a household. What is left out stays; `persons` are replaced as a whole."""

    display_name: ShownName | None = None
    mode: Mode | None = None
    timezone: Timezone | None = Field(None, description="For example America/New_York.")
    locale: Annotated[str, AfterValidator(_locale)] | None = Field(None, description="For example en-US.")
    persons: list[PersonDraft] | None = Field(
        None,
        min_length=1,
        max_length=MEMBERS,
        validation_alias=AliasChoices("persons", "members"),
        description="Everyone who is to live there; who is left out leaves.",
    )


def household_seed(settings: HouseholdSettings) -> HouseholdDraft | None:
    """Who lives in the default space to begin with, as the settings say; None when they say nothing."""
    given = {name: value for name in settings.model_fields_set if (value := getattr(settings, name))}
    if file := given.pop("file", None):
        given = _from_file(file)
    if not given:
        return None
    try:
        draft = checked(HouseholdDraft, given)
    except InvalidInput as error:
        raise SettingsError(f"household.{error.message}", field=f"household.{error.field}") from None
    people = draft.persons or []
    if any(person.id or not person.display_name for person in people):
        raise SettingsError("household.members: give everyone a name, and no id.", field="household.members")
    if draft.mode is None and len(people) > 1:
        draft.mode = Mode.MULTI
    return draft


def _from_file(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        text = f"household.file: {path} cannot be read: {error.strerror}."
        raise SettingsError(text, field="household.file") from None
    except ValueError as error:
        text = f"household.file: {path} is not valid JSON: {error}."
        raise SettingsError(text, field="household.file") from None
    found = found.get("household", found) if isinstance(found, dict) else found
    if not isinstance(found, dict):
        raise SettingsError(f"household.file: {path} must hold an object.", field="household.file")
    return found


class DeviceDraft(Record):
    """A device to add or change."""

    name: ShownName
    primary_person_id: Name | None = Field(None, description="Who usually speaks through it.")


class HouseholdChanged(Household):
    """A household after a change, and what the change did; people are given by their ids."""

    added: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)
    returned: list[str] = Field(default_factory=list, description="Who had left and is back.")
    removed: list[Person] = Field(default_factory=list, description="Who left.")
    facts_closed: int = Field(0, description="Facts about those who left; their history stays.")


class PersonMatch(Record):
    """Who a name or a relation means. Nobody when it could be several: then `candidates` lists them."""

    ref: str
    person: Person | None
    candidates: list[Person]
    reason: str = Field(description="id, name, first name, role, ambiguous or unknown.")


Confidence = Literal["high", "medium", "low"]


class Speaker(Record):
    """Who is speaking, as far as can be told."""

    person_id: str | None = None
    display_name: str | None = None
    confidence: Confidence = "low"
    reason: Literal["named", "voice", "device", "single", "words", "none"] = "none"
    mentioned: list[str] = Field(default_factory=list, description="Ids of the people spoken of.")
    ruled_out: list[str] = Field(default_factory=list, description="Ids of those it cannot be.")
