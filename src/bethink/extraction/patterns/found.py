"""What the rules find."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bethink.records import MemoryType


class Category(StrEnum):
    """What kind of statement was found."""

    PREFERENCE = "preference"
    DECISION = "decision"
    HABIT = "habit"
    IDENTITY = "identity"
    CORRECTION = "correction"
    EXPLICIT = "explicit"

    @property
    def type(self) -> MemoryType:
        """A decision belongs to its moment; everything else is a fact until it is replaced."""
        return MemoryType.EPISODIC if self is Category.DECISION else MemoryType.FACTUAL


@dataclass(frozen=True, slots=True)
class Found:
    """One statement worth keeping.

    `content` is the statement in the user's own words, with its negation, and `span` is where it stands in
    the text. `key` is the same however the statement is cased, spaced or punctuated; for an attribute with
    one value (where somebody lives) it does not hold the value, so that a new value replaces the old one.

    `subject` is whom an attribute belongs to: None for the user, otherwise a relation such as "daughter".
    Subjects and attributes are English words in every language. `negated` says that the statement speaks
    against its value: a dislike, something never done, no longer true. `explicit` says that the user asked
    for it to be remembered. `replaces` is what a correction says was wrong. `role` is what somebody is at the
    employer that is the value; `language` is the code of the language it was said in.
    """

    category: Category
    content: str
    key: str
    span: tuple[int, int]
    negated: bool = False
    explicit: bool = False
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    replaces: str | None = None
    role: str | None = None
    language: str = ""

    @property
    def type(self) -> MemoryType:
        """Which type of memory it makes."""
        return self.category.type
