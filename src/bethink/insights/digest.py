"""What happened in some days, as Markdown: decided, due, waiting for an answer, changed about whom. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from bethink.clock import local
from bethink.records import Fact
from bethink.shapes.insights import DAY, Digest, Insight, InsightKind, InsightStatus

MOST = 20  # lines of a section
_OPEN_WORK = (InsightKind.TASK, InsightKind.MEETING, InsightKind.INCIDENT, InsightKind.BUG_REPORT)
_ABOUT_PEOPLE = (InsightKind.RELATIONSHIP, InsightKind.PREFERENCE)


def digest(
    insights: Sequence[Insight],
    changed: Sequence[tuple[str, Fact]],
    now: datetime,
    days: int,
    place: tzinfo | None = None,
) -> Digest:
    """A digest of the last days; `insights` are in the order of how much they count, `changed` are facts that
    began to hold in these days, each with whom it is about."""
    since = now - days * DAY
    recent = [one for one in insights if one.observed_at >= since]
    decided = [one for one in recent if one.kind is InsightKind.DECISION]
    work = [one for one in insights if one.kind in _OPEN_WORK and one.status is InsightStatus.OPEN]
    due = sorted(
        (one for one in work if one.due_at is None or one.due_at <= now + days * DAY),
        key=lambda one: one.due_at or datetime.max.replace(tzinfo=UTC),
    )
    waiting = [
        one for one in insights if one.kind is InsightKind.QUESTION and one.status is InsightStatus.OPEN
    ]
    people = [_told(one) for one in recent if one.kind in _ABOUT_PEOPLE]
    people += [f"{who}: {fact.key.replace('_', ' ')} is {fact.value}" for who, fact in changed]
    done = [one for one in insights if one.closed_at is not None and one.closed_at >= since]
    sections = {
        "Decided": [_told(one) for one in decided],
        "Due": [_told(one) + _when(one, now, place) for one in due],
        "Waiting for an answer": [_told(one) for one in waiting],
        "Changed about people": people,
        "Closed": [f"{_told(one)} ({one.closed_because})" for one in done],
    }
    title = f"# The last {days} days" if days != 1 else "# The last day"
    parts = [title, *(_section(name, lines) for name, lines in sections.items() if lines)]
    if len(parts) == 1:
        parts.append("Nothing was decided, is due or waits for an answer.")
    return Digest(
        since=since,
        until=now,
        days=days,
        counts={name: len(lines) for name, lines in sections.items()},
        markdown="\n\n".join(parts) + "\n",
    )


def _section(name: str, lines: Sequence[str]) -> str:
    shown = [f"- {' '.join(line.split())}" for line in lines[:MOST]]
    if more := len(lines) - len(shown):
        shown.append(f"- … and {more} more")
    return "\n".join([f"## {name}", *shown])


def _told(one: Insight) -> str:
    where = f" ({', '.join(one.channels)})" if one.channels else ""
    return one.title + where


def _when(one: Insight, now: datetime, place: tzinfo | None) -> str:
    if one.due_at is None:
        return ""
    day = local(one.due_at, place or UTC).date().isoformat()
    late = one.due_at < now - timedelta(hours=1)
    return f" – was due {day}" if late else f" – due {day}"
