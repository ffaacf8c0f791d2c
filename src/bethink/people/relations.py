"""Who can say "my wife" of whom, from the roles that people have towards the primary person. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bethink.people.lexicon import Gender, Relation, gender_of, relations
from bethink.records import PRIMARY, Person
from bethink.text.names import bare

# For each relation: the role of the one who is meant → the roles of those who can say "my …" of them.
_SPEAKERS: dict[str, dict[str, set[str]]] = {
    "spouse": {
        PRIMARY: {"spouse"},
        "spouse": {PRIMARY},
        "parent": {"parent"},
        "grandparent": {"grandparent"},
    },
    "parent": {
        PRIMARY: {"child"},
        "spouse": {"child"},
        "parent": {PRIMARY, "sibling"},
        "grandparent": {"parent"},
    },
    "child": {
        "child": {PRIMARY, "spouse"},
        PRIMARY: {"parent"},
        "sibling": {"parent"},
        "parent": {"grandparent"},
        "grandchild": {"child"},
    },
    "sibling": {PRIMARY: {"sibling"}, "sibling": {PRIMARY, "sibling"}, "child": {"child"}},
    "grandparent": {"parent": {"child"}, "grandparent": {PRIMARY, "sibling"}},
    "grandchild": {
        "child": {"parent"},
        PRIMARY: {"grandparent"},
        "sibling": {"grandparent"},
        "grandchild": {PRIMARY, "spouse"},
    },
    "parent_in_law": {"parent": {"spouse"}, PRIMARY: {"child_in_law"}, "spouse": {"child_in_law"}},
    "child_in_law": {"spouse": {"parent"}, "child_in_law": {PRIMARY, "spouse"}},
}


@dataclass(frozen=True)
class Member:
    """A person with their role and gender made out."""

    person: Person
    role: str | None
    gender: Gender | None

    @property
    def id(self) -> str:
        return self.person.id


def members(persons: Sequence[Person]) -> list[Member]:
    """People with what their roles, in whatever language, and pronouns say."""
    return [_member(person) for person in persons]


def meant(relation: Relation, people: Sequence[Member]) -> list[Member]:
    """Who a relation can mean when nobody says whose it is: those in that role, before others it fits."""
    fitting = [
        member
        for member in people
        if _fits(member, relation) and (member.role == relation.kind or speakers(relation, member, people))
    ]
    surest = _surest(relation, fitting)
    return [member for member in surest if member.role == relation.kind] or surest


def speakers(relation: Relation, target: Member, people: Sequence[Member]) -> list[Member]:
    """Who can call `target` their relation."""
    roles = _SPEAKERS.get(relation.kind, {}).get(target.role or "", set())
    return [member for member in people if member.role in roles and member.id != target.id]


def holders(relation: Relation, whose: Member, people: Sequence[Member]) -> list[Member]:
    """Who can say "I am their …": whom `whose` can call by this relation."""
    fitting = [member for member in people if _fits(member, relation)]
    return _surest(relation, [member for member in fitting if whose in speakers(relation, member, people)])


def _member(person: Person) -> Member:
    role = bare(person.role or "") or None
    known = relations().get(role) if role else None
    said = known.gender if known else None
    return Member(person, known.kind if known else role, gender_of(person.pronouns) or said)


def _fits(member: Member, relation: Relation) -> bool:
    return relation.gender is None or member.gender is None or member.gender == relation.gender


def _surest(relation: Relation, fitting: list[Member]) -> list[Member]:
    """Of those who fit, the ones known to be of the relation's gender, if any are."""
    return [member for member in fitting if relation.gender and member.gender == relation.gender] or fitting
