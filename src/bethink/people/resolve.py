"""Who is meant by a name, a role or a relation, in the words of each language. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from bethink.records import PRIMARY, Person
from bethink.shapes.households import PersonMatch
from bethink.text.fold import bare, first_name, fold

Gender = Literal["female", "male"]
_STOPS = str.maketrans({"。": ".", "、": ",", "…": ".", "—": "-", "–": "-", "¡": " ", "¿": " "})
_QUOTED = re.compile(
    r"\"[^\"\n]{0,500}\"|“[^”\n]{0,500}”|„[^“”\n]{0,500}[“”]|«[^»\n]{0,500}»|「[^」\n]{0,500}」"
    r"|『[^』\n]{0,500}』|^[ \t]*>.*$",
    re.MULTILINE,
)
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_SPACES = re.compile(r"[^\S\n]+")
_NEW_LINE = re.compile(r" ?\n[ \n]*")


@dataclass(frozen=True, slots=True)
class Relation:
    """What a word like wife says of someone: the kind of relation and, often, a gender."""

    kind: str
    gender: Gender | None = None


@dataclass(frozen=True)
class Lexicon:
    """One language's words, bare."""

    language: str
    possessives: tuple[str, ...]
    adjectives: tuple[str, ...]
    exceptions: tuple[str, ...]
    introductions: tuple[str, ...]
    after_introduction: tuple[str, ...]
    not_after_introduction: tuple[str, ...]
    greetings: tuple[str, ...]
    presentations: tuple[str, ...]
    after_presentation: tuple[str, ...]
    own_relations: tuple[str, ...]
    own_roles: tuple[str, ...]
    relations: Mapping[str, Relation]
    pronouns: Mapping[str, Gender]


@cache
def lexicons() -> tuple[Lexicon, ...]:
    """Every language there is a file for."""
    folder = files("bethink.people") / "words"
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda i: i.name)
    return tuple(_read(item.name.removesuffix(".toml"), item.read_text("utf-8")) for item in found)


@cache
def relations() -> Mapping[str, Relation]:
    """The relation words of every language; a word of two languages means what the first file says."""
    known: dict[str, Relation] = {}
    for lexicon in lexicons():
        for word, relation in lexicon.relations.items():
            known.setdefault(word, relation)
    return known


@cache
def possessives() -> frozenset[str]:
    return frozenset(word for lexicon in lexicons() for word in lexicon.possessives)


def gender_of(pronouns: str | None) -> Gender | None:
    """The gender that someone's pronouns tell; None where they tell none or more than one."""
    words = re.findall(r"\w+", bare(pronouns or ""))
    told = {lexicon.pronouns[word] for lexicon in lexicons() for word in words if word in lexicon.pronouns}
    return told.pop() if len(told) == 1 else None


def spoken(text: str) -> str:
    """What the speaker says themselves, folded but with its capitals: quotations are someone else's words."""
    said = fold(_PRIVATE.sub(" ", _QUOTED.sub(" ", text)).translate(_STOPS))
    # Runs of spaces become one, so that no pattern has to go through them again and again.
    return _NEW_LINE.sub("\n", _SPACES.sub(" ", said)).strip()


def _read(language: str, text: str) -> Lexicon:
    data = tomllib.loads(text)
    lists = {
        name: _bare(data.pop(name, ()))
        for name in Lexicon.__dataclass_fields__
        if name not in ("language", "relations", "pronouns")
    }
    words = {
        word: Relation(kind, None if gender == "any" else gender)
        for kind, by_gender in data.pop("relations").items()
        for gender, words in by_gender.items()
        for word in _bare(words)
    }
    pronouns = {word: gender for gender, told in data.pop("pronouns").items() for word in _bare(told)}
    if data:
        raise ValueError(f"words/{language}.toml has unknown lists: {', '.join(data)}")
    return Lexicon(language=language, relations=words, pronouns=pronouns, **lists)


def _bare(words: Iterable[Any]) -> tuple[str, ...]:
    return tuple(bare(str(word)) for word in words)


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
