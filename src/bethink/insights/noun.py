"""Insights, and what was done with them, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.contracts import Archived, Indexed, Line, Noun, Reference, Taking
from bethink.index.describe import Style, fingerprint, lean_text, terms_of
from bethink.index.tell import tell
from bethink.journal.ways import NEW, USUAL
from bethink.records import Layer, Space
from bethink.shapes.insights import Insight, InsightEvent, InsightKind
from bethink.store import insights, rows
from bethink.store.entries import Entry
from bethink.text.dates.mentions import mentioned
from bethink.text.secrets import masked_record

NAMES_SHOWN = 20  # people and channels that an insight is found by


def _document(insight: Insight) -> str:
    said = insight.description if insight.description != insight.title else ""
    return lean_text(f"{insight.title}. {said}" if said else insight.title, None)


def _entry(insight: Insight, _zone: str, _style: Style) -> Entry:
    shown = masked_record(insight)
    label = shown.task_label.replace("_", " ")
    names = [*shown.people[:NAMES_SHOWN], *shown.channels[:NAMES_SHOWN]]
    return Entry(
        layer=Layer.INSIGHT,
        record_id=insight.id,
        observed_at=insight.observed_at,
        fingerprint=fingerprint(_document(shown)),
        body=terms_of([label, shown.title, shown.description, *names]),
        mentioned_at=mentioned(f"{shown.title} {shown.description}", insight.observed_at),
    )


def _line(insight: Insight, text: str) -> Line:
    state = "closed" if insight.closed_at else "open"
    return Line(f"{insight.task_label.replace('_', ' ')} ({state}): {text}")


def _damaged(id_: str, space: Space) -> Insight:
    """What takes the place of a damaged record, so that what was done with it can be imported."""
    at = space.created_at
    return Insight(
        id=id_, space_id=space.id, kind=InsightKind.EVENT, title=f"Damaged record {id_}", task_label="event",
        dedupe_key=f"damaged:{id_}", observed_at=at, created_at=at, updated_at=at,
    )  # fmt: skip


def _take(taking: Taking, records: Sequence[Insight]) -> int:
    """Those whose ids and keys are new: one key is one insight."""
    tx, space = taking.tx, taking.space
    known = rows.by_ids(tx, space.id, "insight", [one.id for one in records])
    stored = 0
    for one in records:
        if one.id in known or insights.by_key(tx, space.id, one.bot_id, one.dedupe_key):
            continue
        rows.add(tx, "insight", [one])
        tell(tx, space, "insight", [one], taking.style)
        stored += 1
    return stored


def _take_events(taking: Taking, records: Sequence[InsightEvent]) -> int:
    """Those that are new, of insights that came or were there."""
    tx, space = taking.tx, taking.space
    known = rows.by_ids(tx, space.id, "insight_event", [one.id for one in records])
    owners = rows.by_ids(tx, space.id, "insight", [one.insight_id for one in records])
    fresh = [one for one in records if one.id not in known and one.insight_id in owners]
    rows.add(tx, "insight_event", fresh)
    return len(fresh)


INSIGHT = Noun(
    "insight",
    Insight,
    "insights",
    attached=("insight_reads",),  # how far sessions were read for them
    counted_as="insights",
    ended_by="closed_at",
    references=(
        Reference("provenance", "message", "any source", required=False),
        Reference("closed_by", "message", required=False),
    ),
    indexed=Indexed(
        code=6,
        brief="briefs.insights",
        entry=_entry,
        embedded=lambda insight, _: _document(masked_record(insight)),
        line=_line,
        count_access="insights.count_access",
    ),
    archived=Archived(long=("title", "description"), stand_in=_damaged, take=_take),
    texts=lambda one: (
        one.title, one.description, one.details, one.people, one.channels, one.task_label, one.dedupe_key,
        one.preferences, one.closed_because,
    ),
    traces=lambda one: (one.title, one.description),
    relink=lambda tx, one: rows.update(tx, "insight", one),
    ways=USUAL,
    mutable=(
        "title", "description", "importance", "urgency", "status", "task_label", "details", "timeline",
        "people", "platforms", "channels", "preferences", "provenance", "due_at", "closed_at", "closed_by",
        "closed_because", "observed_at",
    ),
    final={"stored": NEW.format("forget it")},
)  # fmt: skip


INSIGHT_EVENT = Noun(
    "insight_event",
    InsightEvent,
    "insight_events",
    references=(
        Reference("insight_id", "insight", "about"),
        Reference("person_id", "person", "about"),
    ),
    archived=Archived(take=_take_events),
)
