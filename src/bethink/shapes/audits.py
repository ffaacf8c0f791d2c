"""What an audit finds, and the one step that mends it."""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2b

from pydantic import Field

from bethink.records import Record


class Finding(StrEnum):
    """What can be wrong with what is remembered."""

    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near-duplicate"
    JUNK = "junk"
    SECRET = "secret"  # noqa: S105  (a kind of finding)
    CONTRADICTION = "contradiction"
    STALE_FACT = "stale-fact"
    SPLIT_FACT = "split-fact"


class Fix(StrEnum):
    """What mends a finding."""

    MERGE = "merge"
    FORGET = "forget"
    ERASE = "erase"
    KEEP_NEWEST = "keep-newest"
    END = "end"
    UNITE = "unite"


FIXES = {
    Finding.DUPLICATE: Fix.MERGE,
    Finding.NEAR_DUPLICATE: Fix.MERGE,
    Finding.JUNK: Fix.FORGET,
    Finding.SECRET: Fix.ERASE,
    Finding.CONTRADICTION: Fix.KEEP_NEWEST,
    Finding.STALE_FACT: Fix.END,
    Finding.SPLIT_FACT: Fix.UNITE,
}


class Found(Record):
    """Something that should not be as it is. The first record is the one a fix keeps, where it keeps one."""

    id: str = Field(description="The same for as long as it is found; what a fix is asked for by.")
    kind: Finding
    noun: str = Field(description="What its records are: memory, fact or message.")
    records: list[str] = Field(description="Their ids.")
    texts: list[str] = Field(description="What they say; not shown of a secret.")
    reason: str
    fix: Fix

    @classmethod
    def of(cls, kind: Finding, noun: str, records: list[str], texts: list[str], reason: str) -> Found:
        """A finding, named by its kind and its records."""
        name = "\0".join([kind, noun, *sorted(records)])
        return cls(
            id=blake2b(name.encode(), digest_size=12).hexdigest(),
            kind=kind,
            noun=noun,
            records=records,
            texts=texts,
            reason=reason,
            fix=FIXES[kind],
        )


class Audit(Record):
    """What was looked at, and what was found."""

    memories: int = Field(description="Memories looked at, the newest first.")
    facts: int = Field(description="Current facts looked at.")
    messages: int = Field(0, description="Messages looked at for secrets, the newest first.")
    compared: int = Field(description="Memories compared by meaning: those that have a vector.")
    counts: dict[Finding, int] = Field(description="How much of each kind was found.")
    found: list[Found]
    notes: list[str] = Field(default_factory=list, description="What could not be looked at, and why.")


class Fixed(Record):
    """What fixing did."""

    fixed: int = Field(description="Findings that were mended.")
    forgotten: int = Field(description="Memories, facts and messages that are gone or ended by it.")
    gone: int = Field(0, description="Findings that were no longer there.")
