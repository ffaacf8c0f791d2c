"""Writes the keyword arguments of the verbs as TypedDicts, for editors and type checkers, from the shapes.

Run `python -m bethink.shapes.write_keywords` after a change to a shape or a setting; a test tells when it was
forgotten. The verbs name the results: `**fields: Unpack[MemoryFields]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from bethink import settings, shapes
from bethink.records import ExtractionStatus
from bethink.settings import Settings
from bethink.settings.sections import Section
from bethink.shapes.accounts import KeyChange, KeyDraft, SpaceChange
from bethink.shapes.annotations import Annotations
from bethink.shapes.audits import Finding
from bethink.shapes.households import HouseholdDraft, PersonChange, PersonDraft
from bethink.shapes.inputs import (
    ContextChange,
    FactDraft,
    FactsQuery,
    MemoryChange,
    MemoryDraft,
    MemoryQuery,
    MessageChange,
    MessageDraft,
    MessageQuery,
    MessageSearch,
    RecallRequest,
    SessionDraft,
    SummaryQuery,
)
from bethink.shapes.insights import InsightChange, InsightDraft, InsightKind, InsightQuery
from bethink.shapes.options import OptionsChange
from bethink.shapes.prompts import PromptRequest
from bethink.shapes.rights import EraseRequest, ImportRequest, JournalQuery
from bethink.shapes.vectors import VectorPlaceChange

WIDTH = 110
_HEADER = '"""{} Written by `python -m bethink.shapes.write_keywords`; do not edit."""'


@dataclass(frozen=True)
class Keywords:
    """A TypedDict to write: the fields of a shape but for those that another one has or a verb names."""

    name: str
    shape: type[BaseModel]
    description: str
    without: Sequence[str] = ()
    base: str = "TypedDict"

    def fields(self) -> Iterator[tuple[str, FieldInfo]]:
        yield from (
            (name, field) for name, field in self.shape.model_fields.items() if name not in self.without
        )


def _all_but(shape: type[BaseModel], *names: str) -> list[str]:
    return [name for name in shape.model_fields if name not in names]


VERBS = [
    Keywords("MemoryFields", MemoryDraft, "What a memory may have beside its content.", ["content"]),
    Keywords(
        "MemoryInput",
        MemoryDraft,
        "A memory to store, as a dict.",
        without=_all_but(MemoryDraft, "content"),
        base="MemoryFields",
    ),
    Keywords("MemoryChanges", MemoryChange, "What of a memory to change; what is left out stays."),
    Keywords("MemoryFilters", MemoryQuery, "Which memories are meant; an empty list matches nothing."),
    Keywords("RecallOptions", RecallRequest, "Where to look, and how much to bring back.", ["query"]),
    Keywords("VectorPlaceChanges", VectorPlaceChange, "What of the vector store to change."),
    Keywords("PromptOptions", PromptRequest, "The turn that a prompt is for.", ["query"]),
    Keywords("MessageInput", MessageDraft, "A message of a conversation, as a dict."),
    Keywords("MessageChanges", MessageChange, "What of a message to change; what is left out stays."),
    Keywords("MessageFilters", MessageQuery, "Which messages are meant; an empty list matches nothing."),
    Keywords("MessageSearchOptions", MessageSearch, "Where to look, and when in summaries too.", ["query"]),
    Keywords("SummaryFilters", SummaryQuery, "Which summaries are meant; an empty list matches nothing."),
    Keywords("SessionFields", SessionDraft, "What is told of a conversation."),
    Keywords("ContextChanges", ContextChange, "What of a context to change; what is left out stays."),
    Keywords("FactFields", FactDraft, "What a fact may have beside its value.", ["category", "key", "value"]),
    Keywords("FactFilters", FactsQuery, "Which facts are meant."),
    Keywords("InsightFields", InsightDraft, "What an insight may have beside its title.", ["title"]),
    Keywords("InsightChanges", InsightChange, "What of an insight to change; what is left out stays."),
    Keywords("InsightFilters", InsightQuery, "Which insights are meant; an empty list matches nothing."),
    Keywords("PersonFields", PersonChange, "What is known of someone beside their name.", ["display_name"]),
    Keywords(
        "PersonChanges",
        PersonChange,
        "What to change about someone; what is left out stays.",
        without=_all_but(PersonChange, "display_name"),
        base="PersonFields",
    ),
    Keywords(
        "PersonInput",
        PersonDraft,
        "Someone of a household, as a dict: by name or by id.",
        without=list(PersonChange.model_fields),
        base="PersonChanges",
    ),
    Keywords("HouseholdChanges", HouseholdDraft, "What of a household to change; what is left out stays."),
    Keywords("OptionChanges", OptionsChange, "Which options to change; the others stay."),
    Keywords("KeyFields", KeyDraft, "What a key may have beside its name.", ["name"]),
    Keywords("KeyChanges", KeyChange, "What of a key to change; what is left out stays."),
    Keywords("SpaceChanges", SpaceChange, "What of a space to change; what is left out stays."),
    Keywords("JournalFilters", JournalQuery, "Which lines of the journal are meant."),
    Keywords("EraseChoice", EraseRequest, "What to erase: one of these, with `dry_run` or without."),
    Keywords("ImportOptions", ImportRequest, "How a file is to be read."),
]

# Words that verbs take as they are, each by its name or its value.
WORDS = {"ExtractionWord": ExtractionStatus, "FindingWord": Finding, "InsightWord": InsightKind}


def _sections(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The sections inside of a model, each before the one that holds it."""
    for field in kind.model_fields.values():
        for inner in Annotations.models(field.annotation):
            yield from _sections(inner)
            yield inner


def _overrides(section: type[BaseModel]) -> str:
    return section.__name__.removesuffix("Settings") + "Overrides"


SETTINGS = [
    *(Keywords(_overrides(kind), kind, kind.__doc__ or "") for kind in _sections(Settings)),
    Keywords("SettingOverrides", Settings, "Settings but for the database, sections as dicts.", ["url"]),
    Keywords(
        "SettingValues",
        Settings,
        "Settings, sections as dicts.",
        without=_all_but(Settings, "url"),
        base="SettingOverrides",
    ),
]

# What a validator of the whole shape takes, and probing one field alone cannot show.
_TAKEN: dict[tuple[type[BaseModel], str], str] = {
    (MessageDraft, "content"): "str | Sequence[Mapping[str, Any] | str] | None",  # None beside calls of tools
    (MessageDraft, "role"): 'Literal["user", "assistant", "system", "developer", "tool", "contact"]',
}


def _as_dict(model: type[BaseModel]) -> str:
    """The TypedDict of a model that is part of another."""
    return _overrides(model) if issubclass(model, Section) else model.__name__.removesuffix("Draft") + "Input"


def written(keywords: Sequence[Keywords], title: str) -> str:
    """The text of a module that holds these."""
    annotations = Annotations(_as_dict)
    aliases = list(_aliases(annotations)) if keywords is VERBS else []
    classes = [line for kind in keywords for line in _class(kind, annotations)]
    # Without `from __future__ import annotations`, which would make each of them slower to load.
    return "\n".join([_HEADER.format(title), *annotations.imports(), *aliases, *classes, ""])


def _aliases(annotations: Annotations) -> Iterator[str]:
    start = f": {annotations.using('typing', 'TypeAlias')} = "
    yield ""
    for name, kind in WORDS.items():
        text = annotations.text(kind)
        if len(name + start + text) <= WIDTH:
            yield name + start + text
            continue
        first, _, rest = text.partition(" | ")  # the enumeration, and the words for it
        inside = [text] if len(f"    {text}") <= WIDTH else [first, *_broken(f"| {rest}")]
        yield from [f"{name}{start}(", *(f"    {line}" for line in inside), ")"]
    annotations.words = {kind: name for name, kind in WORDS.items()}


def _broken(text: str) -> list[str]:
    """A literal as one line where it fits, else with each of its words on a line of its own."""
    if len(f"    {text}") <= WIDTH:
        return [text]
    start, _, words = text.rstrip("]").partition("[")
    return [f"{start}[", *(f"    {word}," for word in words.split(", ")), "]"]


def _class(keywords: Keywords, annotations: Annotations) -> Iterator[str]:
    yield from ("", "", f"class {keywords.name}({keywords.base}, total=False):")
    yield from (*_described(keywords.description), "")
    for name, field in keywords.fields():
        yield f"    {_key(name, field)}: {_annotation(keywords.shape, name, field, annotations)}"
        yield from _described(field.description or "")


def _key(name: str, field: FieldInfo) -> str:
    """The field's name, or the other that callers know it by."""
    return field.alias if field.alias and field.alias != to_camel(name) else name


def _annotation(shape: type[BaseModel], name: str, field: FieldInfo, annotations: Annotations) -> str:
    text = _TAKEN.get((shape, name)) or annotations.text(field.annotation)
    if "Strings" in text and _takes(shape, name, "x"):
        text = f"str | {text}"
    if text.endswith(" | None") and not (_takes(shape, name, None) or (shape, name) in _TAKEN):
        text = text.removesuffix(" | None")
    return f"{annotations.using('typing', 'Required')}[{text}]" if field.is_required() else text


def _takes(shape: type[BaseModel], name: str, value: Any) -> bool:
    """Whether a field may be this value."""
    try:
        shape.model_validate({name: value})
    except ValidationError as error:
        own = {name, shape.model_fields[name].alias}
        return not any(problem["loc"] and problem["loc"][0] in own for problem in error.errors())
    return True


def _described(text: str) -> list[str]:
    if not text:
        return []
    quoted = '"""' + re.sub(r"\bnull\b", "None", text) + '"""'
    if len(quoted) + 4 <= WIDTH:
        return [f"    {quoted}"]
    return [f"    {line}" for line in [*wrap(quoted.removesuffix('"""'), WIDTH - 4), '"""']]


MODULES = {
    Path(settings.__file__).with_name("keywords.py"): (SETTINGS, "Settings as keyword arguments."),
    Path(shapes.__file__).with_name("keywords.py"): (VERBS, "Keyword arguments of the verbs."),
}

if __name__ == "__main__":
    for path, (keywords, title) in MODULES.items():
        path.write_text(written(keywords, title), "utf-8")
