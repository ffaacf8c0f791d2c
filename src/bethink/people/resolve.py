"""Which person is meant by a name, an alias, a role or a relation. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bethink.people.lexicon import possessives, relations
from bethink.people.relations import meant, members
from bethink.records import Person
from bethink.shapes.households import PersonMatch
from bethink.text.names import bare, first_name


def resolve_person(ref: str, persons: Sequence[Person]) -> PersonMatch:
    """The one person meant by `ref`, whatever its capitals and accents; nobody when it could be several.

    The id wins, then the display names and aliases together, then first names, then roles and relations.
    """
    for reason, find in _WAYS if bare(ref) else ():
        if found := find(ref, persons):
            one = found[0] if len(found) == 1 else None
            return PersonMatch(ref=ref, person=one, candidates=found, reason=reason if one else "ambiguous")
    return PersonMatch(ref=ref, person=None, candidates=[], reason="unknown")


def names_of(person: Person) -> list[str]:
    """The bare display name and aliases of a person."""
    return list(dict.fromkeys(name for name in map(bare, [person.display_name, *person.aliases]) if name))


def _by_id(ref: str, persons: Sequence[Person]) -> list[Person]:
    return [person for person in persons if person.id == ref]


def _by_name(ref: str, persons: Sequence[Person]) -> list[Person]:
    return [person for person in persons if bare(ref) in names_of(person)]


def _by_first_name(ref: str, persons: Sequence[Person]) -> list[Person]:
    return [person for person in persons if bare(ref) == first_name(bare(person.display_name))]


def _by_role(ref: str, persons: Sequence[Person]) -> list[Person]:
    forms = list(_without_possessive(bare(ref)))
    if literal := [person for person in persons if bare(person.role or "") in forms and person.role]:
        return literal
    for form in forms:
        if form != bare(ref) and (found := _by_name(form, persons)):
            return found
        if relation := relations().get(form):
            return [member.person for member in meant(relation, members(persons))]
    return []


def _without_possessive(ref: str) -> Iterator[str]:
    """The words as they are, then without a "my" before them."""
    yield ref
    first, _, rest = ref.partition(" ")
    if rest and first in possessives():
        yield rest
    for word in sorted(possessives(), key=len, reverse=True):
        if not word.isascii() and ref.startswith(word) and ref != word:
            yield ref.removeprefix(word)
            return


_WAYS: tuple[tuple[str, Callable[[str, Sequence[Person]], list[Person]]], ...] = (
    ("id", _by_id),
    ("name", _by_name),
    ("first name", _by_first_name),
    ("role", _by_role),
)
