"""Facts, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.contracts import Archived, Indexed, Noun, Reference, Taking
from bethink.facts.undo import drop_again, restore_value, revert_assessment, revert_value
from bethink.facts.versions import close_fact
from bethink.index.describe import embedded_fact, fact_entry
from bethink.journal.ways import NEW
from bethink.records import Fact
from bethink.store import entries, erasure, facts


def _take(taking: Taking, records: Sequence[Fact]) -> int:
    known = set(facts.by_ids(taking.tx, taking.space.id, [fact.id for fact in records]))
    stored = 0
    for fact in records:
        if fact.id in known or (made := _made_room(taking, fact)) is None:
            continue
        facts.add(taking.tx, made)
        entries.put(taking.tx, taking.space, [fact_entry(made)])
        known.add(fact.id)
        stored += 1
    return stored


def _made_room(taking: Taking, fact: Fact) -> Fact | None:
    """Two current values cannot be: the one that is valid since later stands. None for the same value."""
    if fact.valid_to is not None:
        return fact.until(fact.valid_to)
    tx, space = taking.tx, taking.space
    current = facts.current(tx, space.id, fact.person_id, fact.category, fact.key)
    if current is None:
        return fact
    if current.value == fact.value:
        return None
    if current.valid_from >= fact.valid_from:
        return fact.model_copy(update={"valid_to": current.valid_from, "superseded_by": current.id})
    close_fact(tx, space, current, fact.valid_from, superseded_by=fact.id)
    return fact


FACT = Noun(
    "fact",
    Fact,
    "facts",
    derived=("standing",),
    counted_as="facts",
    ended_by="valid_to",
    references=(
        Reference("person_id", "person", "about"),
        Reference("provenance", tie="all sources"),
        Reference("superseded_by", "fact", required=False),
    ),
    indexed=Indexed(
        code=1,
        brief="briefs.facts",
        entry=lambda fact, _, __: fact_entry(fact),
        embedded=lambda fact, _: embedded_fact(fact),
        count_access="facts.count_access",
    ),
    archived=Archived(long=("value", "source_context"), take=_take),
    texts=lambda fact: (fact.category, fact.key, fact.value, fact.source_context),
    traces=lambda fact: (fact.value, fact.source_context),
    relink=erasure.relink,
    ways={
        "superseded": revert_value,
        "forgotten": restore_value,
        "withdrawn": restore_value,
        "ended": restore_value,
        "restored": drop_again,
        "verified": revert_assessment,
        "updated": revert_assessment,
    },
    final={
        "stored": NEW.format("forget it"),
        "held": "the fact stayed as it was; set it to give it the other value",
    },
)
