"""From a statement to the facts it makes: of which slot, whose, with a clean value. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bethink.extraction.patterns.found import Category, Found
from bethink.extraction.patterns.languages import languages
from bethink.text.slots import Slot, key_for, slot_called, value_of
from bethink.text.slug import slug
from bethink.text.values import objects_in

ANSWER_STYLE = "answer_style"
_ASKED_OF_US = (Category.PREFERENCE, Category.EXPLICIT)


@dataclass(frozen=True, slots=True)
class Stated:
    """One thing that a statement says of somebody, under the names of a fact."""

    category: str
    key: str
    value: str


def stated(found: Found, slot: str | None = None) -> list[Stated]:
    """What a statement says that belongs in every prompt; nothing where it says what is not so.

    `slot` is what else is known of it: a model may tell what the rules leave open.
    """
    if is_about_answers(found):
        return [_of(_slot(ANSWER_STYLE), None, found.content)]
    name = slot or found.attribute
    if found.negated or not name or not found.value or (found.category is not Category.IDENTITY and not slot):
        return []
    known = slot_called(name)
    if known is None:
        parts = [found.subject, name]
        return [Stated("identity", "_".join(slug(part) for part in parts if part), found.value)]
    return list(_stated(found, known))


def denied(found: Found) -> tuple[str, str | None, str] | None:
    """The slot, the subject and the value that a statement says is not so; None where it says none."""
    if not found.negated or found.category is not Category.IDENTITY or not (found.attribute and found.value):
        return None
    known = slot_called(found.attribute)
    return (known.name, found.subject, found.value) if known else None


def is_about_answers(found: Found) -> bool:
    """Whether a statement says how the user wants to be answered."""
    language = languages().get(found.language)
    if language is None or found.attribute or found.subject or found.category not in _ASKED_OF_US:
        return False
    return language.pattern("answers").search(found.content) is not None


def _stated(found: Found, slot: Slot) -> Iterator[Stated]:
    value = value_of(slot, found.value or "", found.language)
    if value is None:
        return
    for one in objects_in(value) if slot.split else [value]:
        if clean := value_of(slot, one, found.language):
            yield _of(slot, found.subject, clean)
    if found.role and slot.name == "employer":
        yield _of(_slot("role"), found.subject, found.role)


def _of(slot: Slot, subject: str | None, value: str) -> Stated:
    return Stated(slot.category, key_for(slot, subject, value), value)


def _slot(name: str) -> Slot:
    found = slot_called(name)
    if found is None:
        raise LookupError(f"the ontology has no slot {name!r}")
    return found
