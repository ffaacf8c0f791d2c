"""Summaries, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from zoneinfo import ZoneInfo

from bethink.clock import local
from bethink.contracts import Archived, Indexed, Noun, Reference
from bethink.index.describe import fingerprint, lean_text, terms_of
from bethink.records import Layer, MessageTier, Summary
from bethink.store.entries import Entry
from bethink.text.dates.mentions import mentioned
from bethink.text.secrets import masked_record

_ID_DIGITS = 32  # of a hash: 128 bits, so that no two summaries ever have one id


def summary_id(space_id: str, tier: MessageTier, source_ids: Sequence[str]) -> str:
    """The id of a summary: the same for the same messages of a tier."""
    named = "\0".join((space_id, tier, *sorted(source_ids)))
    return f"ms_{sha256(named.encode()).hexdigest()[:_ID_DIGITS]}"


def summary_entry(summary: Summary, zone: str) -> Entry:
    """A summary as an entry of the index, found by what it says and by its days."""
    summary = masked_record(summary)
    text = _text(summary)
    return Entry(
        layer=Layer.SUMMARY,
        record_id=summary.id,
        observed_at=summary.end_at,
        fingerprint=fingerprint(text),
        body=terms_of([summary.summary_text, *summary.keywords]),
        person_id=summary.person_id,
        mentioned_at=mentioned(summary.summary_text, local(summary.end_at, ZoneInfo(zone))),
    )


def _text(summary: Summary) -> str:
    """What is embedded: what was said, without when and where, which says little to a model."""
    said = " ".join(summary.key_points) if summary.model is None else summary.summary_text
    return lean_text(said or summary.summary_text, None)


SUMMARY = Noun(
    "summary",
    Summary,
    "summaries",
    counted_as="summaries",
    references=(
        Reference("source_ids", "message", "any source", required=False),
        Reference("person_id", "person", "about"),
    ),
    indexed=Indexed(
        code=5,
        brief="briefs.summaries",
        entry=lambda summary, zone, _: summary_entry(summary, zone),
        embedded=lambda summary, _: _text(masked_record(summary)),
    ),
    archived=Archived(long=("summary_text",)),
    texts=lambda summary: (summary.summary_text, summary.key_points, summary.keywords, summary.dimensions),
    traces=lambda summary: (summary.summary_text, *summary.key_points),
    final={"stored": "it tells of messages that are kept; take these out of the archive instead"},
)
