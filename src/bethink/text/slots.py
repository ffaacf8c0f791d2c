"""What can be known of somebody: which attributes have one value, which have many, what each is called.

The data is in `slots.toml`. A fact is told by its names: `health/allergy_peanuts` with the value "peanuts" is
of the slot `allergy` and the object `peanut`; `identity/sister_home` is of the sister. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from bethink.text.slug import slug
from bethink.text.values import cut, object_of, why_no_value, without_role

HALF_LIFE = 1095  # days, of a kind of fact of which nothing else is said
_AT_WORK = frozenset({"work", "employment", "career", "job", "professional"})
_OWNER = re.compile(r"^(?:(?:user|users|my|current|primary|main|present)_)+")


@dataclass(frozen=True, slots=True)
class Slot:
    """One attribute. What each field means is said in `slots.toml`."""

    name: str
    category: str
    many: bool = False
    kind: str | None = None
    always: bool = False
    by_object: bool = False
    split: bool = False
    names_of: bool = False
    digits: bool = False
    long: bool = False
    anywhere: bool = False
    whole: bool = False
    half_life: int = HALF_LIFE
    shown: str | None = None
    aspects: tuple[tuple[str, re.Pattern[str]], ...] = ()

    @property
    def label(self) -> str:
        """As a prompt shows it: `answer style`."""
        return self.shown or self.name.replace("_", " ")

    def object(self, value: str) -> str | None:
        """What tells a value of this slot from others; None where there is only one."""
        if not self.many:
            return None
        for aspect, words in self.aspects:
            if words.search(value):
                return aspect
        return slug(value) if self.names_of else object_of(value)


@dataclass(frozen=True, slots=True)
class Named:
    """What a fact is about, told by its names. Two facts with the same are two records of one thing."""

    subject: str | None
    slot: Slot
    object: str | None

    @property
    def label(self) -> str:
        """As a prompt shows it: `sister: allergy`."""
        whose = f"{self.subject.replace('_', ' ')}: " if self.subject else ""
        return whose + self.slot.label


@dataclass(frozen=True, slots=True)
class Ontology:
    """Every slot, by each of its names, and whose facts can be."""

    slots: Mapping[str, Slot]
    by_name: Mapping[str, Slot]
    about_people: frozenset[str]
    one: frozenset[str]
    many: frozenset[str]
    partners: frozenset[str]
    pets: frozenset[str]

    @property
    def people(self) -> frozenset[str]:
        return self.one | self.many


@cache
def ontology() -> Ontology:
    """The ontology, read once from its file."""
    data = tomllib.loads(files("bethink.text").joinpath("slots.toml").read_text("utf-8"))
    tables: dict[str, dict[str, Any]] = data["slots"]
    slots = {
        name: Slot(
            name=name,
            aspects=tuple(
                (aspect, re.compile(words, re.IGNORECASE))
                for aspect, words in table.get("aspects", {}).items()
            ),
            **{field: value for field, value in table.items() if field not in ("names", "aspects")},
        )
        for name, table in tables.items()
    }
    by_name = {slug(other): slots[name] for name in tables for other in tables[name].get("names", ())}
    groups = ("people_one", "people_many", "partners", "pets")
    one, many, partners, pets = (frozenset(map(slug, data[group])) for group in groups)
    return Ontology(slots, by_name | slots, frozenset(data["about_people"]), one, many, partners, pets)


def slot_called(name: str) -> Slot | None:
    """The slot of a name, whoever gives it that name: `allergies`, "answer-style"."""
    return ontology().by_name.get(slug(name))


def value_of(slot: Slot, said: str, language: str) -> str | None:
    """What was said, cut clean as a value of the slot; None when that leaves no value."""
    if slot.whole or slot.digits:
        value = said.strip()
    else:
        kept = without_role(said, language) if slot.name == "employer" else said
        value = cut(kept, language, listed=slot.split or slot.long or not slot.many)
    return None if why_no_value(value, language, digits=slot.digits, long=slot.long) else value


def named(category: str, key: str, value: str) -> Named | None:
    """What a fact is about; None for one that the ontology does not know."""
    name = _OWNER.sub("", slug(key))
    known = ontology()
    if (whole := known.by_name.get(name)) and _means(whole, category, known):
        return Named(None, whole, whole.object(value))
    if subject := _subject(name, known):
        rest = name[len(subject) + 1 :]
        if (slot := known.by_name.get(rest)) and _means(slot, category, known):
            several = subject in known.many and slot.name == "name"
            return Named(subject, slot, slug(value) if several else slot.object(value))
        if found := _with_object(subject, rest, category, value, known):
            return found
    return _with_object(None, name, category, value, known)


def key_for(slot: Slot, subject: str | None, value: str) -> str:
    """The key of a fact: `home`, `allergy_peanuts`, `sister_allergy_nuts`, `son_name_max`."""
    several = slot.many or (slot.name == "name" and subject is not None and is_several(subject))
    told_by = slot.object(value) if slot.aspects else value
    parts = [subject, slot.name, told_by if several else None]
    return "_".join(slug(part) for part in parts if part)


def is_several(subject: str) -> bool:
    """Whether there can be several of these: daughters, but not mothers."""
    return slug(subject) in ontology().many


def label_of(category: str, key: str, value: str) -> str:
    """A fact's name as a prompt shows it: `allergy` for `allergy_peanuts`; an unknown key as it is."""
    found = named(category, key, value)
    return key if found is None or (found.subject is None and found.object is None) else found.label


def half_life(category: str, key: str, value: str) -> timedelta | None:
    """How long facts of this kind hold, about half of them; None for what stays."""
    found = named(category, key, value)
    days = found.slot.half_life if found else HALF_LIFE
    return timedelta(days=days) if days else None


def comes_first(category: str, key: str, value: str) -> int:
    """0 for how to answer, 1 for what else stands in every prompt, 2 for the rest."""
    found = named(category, key, value)
    if found is None or not found.slot.always:
        return 2
    return 0 if found.slot.name == "answer_style" else 1


def kind_of(category: str, key: str) -> str | None:
    """Which kind of identity a fact is, by its names; None for any other fact."""
    known = ontology()
    if category not in known.about_people:
        return None
    name = _OWNER.sub("", slug(key))
    if slot := known.by_name.get(name):
        return slot.kind if _means(slot, category, known) else None
    subject = _subject(name, known)
    if subject is None or category != "identity":
        return None
    slot = known.by_name.get(name[len(subject) + 1 :])
    if slot is None or slot.kind is None:
        return None
    return "partner" if slot.kind == "name" and subject in known.partners else slot.kind


def _subject(name: str, known: Ontology) -> str | None:
    """Whose a fact is, by the beginning of its key."""
    fitting = [person for person in known.people if name.startswith(f"{person}_")]
    return max(fitting, key=len, default=None)


def _means(slot: Slot, category: str, known: Ontology) -> bool:
    if slot.kind == "home" and category in _AT_WORK:
        return False  # where somebody works is not where they live
    return slot.anywhere or category == slot.category or category in known.about_people


def _with_object(subject: str | None, rest: str, category: str, value: str, known: Ontology) -> Named | None:
    """A key that ends in its object, which its value must bear out: `allergy_peanuts`, "peanuts"."""
    for end in (place for place, character in enumerate(rest) if character == "_"):
        slot, tail = known.by_name.get(rest[:end]), rest[end + 1 :]
        if slot is None or not _means(slot, category, known):
            continue
        if tail in (slug(value), slot.object(value)) or object_of(tail.replace("_", " ")) == object_of(value):
            return Named(subject, slot, slot.object(value) or slug(value))
    return None
