"""The same as one tool with an action, for small models, which choose badly among several."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bethink.records import Percent, Record
from bethink.shapes.fields import Content, Name, Text, checked
from bethink.tools.arguments import MOST_ITEMS, Source
from bethink.tools.catalogue import FIND_PERSON, FORGET, LIST, RECALL, REMEMBER
from bethink.tools.contract import Calling, Tool

_ACTIONS = {
    "save": REMEMBER, "search": RECALL, "forget": FORGET, "list": LIST, "find_person": FIND_PERSON
}  # fmt: skip


class LookArguments(Record):
    action: Literal["search", "list"] = Field(description="search: needs query. list: needs nothing.")
    query: Text | None = Field(None, description="What to search for.")
    category: Name | None = Field(None, description="Such as preferences; with key it names a fact.")
    key: Name | None = Field(None, description="Such as coffee_order.")
    id: Name | None = Field(None, description="A record, by the id that a result gave.")
    limit: int | None = Field(None, ge=1, le=MOST_ITEMS, description="Most records to show.")


class LookInHousehold(LookArguments):
    action: Literal["search", "list", "find_person"] = Field(  # type: ignore[assignment]
        description="search: needs query. find_person: needs person. list: needs nothing."
    )
    person: Name | None = Field(None, description="Whom it is about, by name or relation.")


class MemoryArguments(Record):
    action: Literal["save", "search", "forget", "list"] = Field(
        description="save: needs content. search: needs query. forget: needs id or key. list: needs nothing."
    )
    content: Content | None = Field(None, description="What to save: one sentence, or the value of a fact.")
    query: Text | None = Field(None, description="What to search for.")
    category: Name | None = Field(None, description="Such as preferences; with key it names a fact.")
    key: Name | None = Field(None, description="Such as coffee_order.")
    id: Name | None = Field(None, description="A record, by the id that a result gave.")
    source: Source | None = Field(None, description="Where what is saved comes from.")
    confidence: Percent | None = Field(None, description="How sure what is saved is.")
    source_context: Text | None = Field(None, description="How what is saved came up.")
    expires_days: float | None = Field(None, gt=0, le=36_500, description="Forget it after so many days.")
    limit: int | None = Field(None, ge=1, le=MOST_ITEMS, description="Most records to show.")


class MemoryInHousehold(MemoryArguments):
    action: Literal["save", "search", "forget", "list", "find_person"] = Field(  # type: ignore[assignment]
        description="save: needs content. search: needs query. forget: needs id or key. find_person: needs"
        " person. list: needs nothing."
    )
    person: Name | None = Field(None, description="Whom it is about, by name or relation.")


async def _act(calling: Calling, asked: MemoryArguments | LookArguments) -> Record:
    """Do what the action says, with the arguments that were given."""
    tool = _ACTIONS[asked.action]
    given = asked.model_dump(exclude={"action"}, exclude_none=True)
    if tool is FIND_PERSON and "person" in given:
        given["name"] = given.pop("person")
    return await tool.run(calling, checked(tool.takes(calling.mode), given))


MEMORY = Tool(
    "memory",
    "Memory",
    "Your long-term memory. Search it before you assume anything about the user; save what will matter in"
    " later conversations; forget only when the user asks.",
    MemoryArguments,
    None,
    _act,
    in_household=MemoryInHousehold,
    destructive=True,
    recalls=True,
)
LOOK = Tool(
    "memory",
    "Memory",
    "Your long-term memory, to read only. Search it before you assume anything about the user.",
    LookArguments,
    None,
    _act,
    in_household=LookInHousehold,
    read_only=True,
    idempotent=True,
    recalls=True,
)
