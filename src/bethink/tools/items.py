"""Records as tools show them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bethink.documents.describe import citation
from bethink.nouns import NOUNS
from bethink.records import Document, Fact, Memory, Message, Passage, Person, Record
from bethink.shapes.insights import Insight
from bethink.shapes.outcomes import Hit
from bethink.shapes.tools import FoundPerson, Item

_OF_THE_RECORD = (
    "id", "category", "key", "title", "tags", "source", "confidence", "observed_at", "expires_at"
)  # fmt: skip


def item_of(record: Record, names: Mapping[str, str]) -> Item:
    """A record; `names` are those of the people who live there."""
    told = {name: getattr(record, name, None) or None for name in _OF_THE_RECORD}
    told["layer"] = NOUNS.name_of(type(record))
    told["person"] = names.get(getattr(record, "person_id", None) or "")
    told["archived"] = True if getattr(record, "archived_at", None) else None
    told |= _own(record)
    if told["observed_at"]:
        told["observed_at"] = told["observed_at"].replace(microsecond=0)
    return Item.model_validate({name: value for name, value in told.items() if value is not None})


def item_of_hit(hit: Hit, names: Mapping[str, str], space: str) -> Item:
    """What a recall brought back from a space, or from the one that all share."""
    shared = True if hit.space not in (None, space) else None
    score = round(hit.score, 3) if hit.engine != "recent" else None
    return item_of(hit.record, names).model_copy(update={"score": score, "shared": shared})


def person_of(person: Person) -> FoundPerson:
    """Somebody of the household."""
    return FoundPerson(
        id=person.id,
        name=person.display_name,
        role=person.role,
        pronouns=person.pronouns,
        aliases=person.aliases or None,
        birth_date=person.birth_date,
        notes=person.notes,
    )


def _own(record: Record) -> dict[str, Any]:
    match record:
        case Fact():
            return {
                "text": record.value, "observed_at": record.valid_from,
                "source_context": record.source_context,
            }  # fmt: skip
        case Memory():
            context = record.source_ref.get("context")
            return {
                "text": record.content, "type": record.type.value,
                "source_context": context if isinstance(context, str) else None,
            }  # fmt: skip
        case Message():
            said_by = {"person": record.name} if record.name else {}
            return {"text": record.content, "observed_at": record.sent_at, **said_by}
        case Insight():
            text = ". ".join(part for part in (record.title, record.description) if part)
            return {
                "text": text, "title": None, "type": record.kind.value, "status": record.status.value,
                "due_at": record.due_at, "person": ", ".join(record.people) or None,
            }  # fmt: skip
        case Passage():
            return {"text": record.text, "document_id": record.document_id, "citation": citation(record)}
        case Document():
            return {"text": record.name, "type": record.kind}
    indexed = NOUNS.by_record[type(record)].indexed
    return {"text": indexed.embedded(record, "lean") if indexed else ""}
