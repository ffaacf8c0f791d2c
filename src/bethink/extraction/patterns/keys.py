"""Stable keys: the same statement gives the same key, different ones never share one. Pure."""

from __future__ import annotations

from bethink.extraction.patterns.found import Category
from bethink.text.slots import is_several, slot_called
from bethink.text.slug import LONGEST_SLUG, slug

__all__ = ["LONGEST_SLUG", "key_of", "slug"]


def key_of(category: Category, subject: str | None, attribute: str | None, value: str) -> str:
    """The key of a statement: by its attribute where it has one, else by what it is about."""
    slot = slot_called(attribute) if attribute else None
    if attribute is None:
        parts = [subject, value]
    elif slot and slot.many:
        parts = [subject, attribute, slot.object(value)]
    elif attribute == "name" and subject and is_several(subject):
        parts = [subject, attribute, value]
    else:
        parts = [subject, attribute]
    return ":".join([category.value, *(slug(part) for part in parts if part)])
