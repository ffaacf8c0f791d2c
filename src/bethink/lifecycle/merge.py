"""Summaries that grow old become one: the days of a week, the weeks of a month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bethink.lifecycle.groups import window
from bethink.lifecycle.noun import summary_entry, summary_id
from bethink.lifecycle.summarise import Written, summarise
from bethink.records import Layer, Message, Space, Summary, SummaryTier
from bethink.settings.lifecycle import LifecycleSettings
from bethink.store import Tx, entries, journal, messages, rows, spaces, summaries, units
from bethink.store.journal import note

MOST_MESSAGES = 2000  # of one summary
MOST_POINTS = 12
MOST_READ = 4000  # messages at once, about
_PAGE, _EVERY = 500, 1_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """Which summaries become others, when, and how much time one of these covers."""

    of: SummaryTier
    into: SummaryTier
    older_than: timedelta
    window_days: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Summaries of one window that came the same way, and what they are to say together.

    Where there is nothing to say, each only moves on to the next tier.
    """

    summaries: Sequence[Summary]
    said: Sequence[Message] = ()
    written: Written | None = None
    model: str | None = None


def steps(settings: LifecycleSettings) -> list[Step]:
    """What becomes of summaries, in this order."""
    return [
        Step(SummaryTier.L1, SummaryTier.L2, timedelta(days=settings.mid_days), settings.mid_window_days),
        Step(SummaryTier.L2, SummaryTier.L3, timedelta(days=settings.long_days), settings.long_window_days),
    ]


def plan(tx: Tx, space: Space, step: Step, moment: datetime, most: float = MOST_READ) -> list[Merged]:
    """What is to become of the summaries that are old enough, in whole windows: some of the oldest.

    The messages of each are held in memory: about so many at once.
    """
    planned: list[Merged] = []
    read = 0
    for group in _groups(tx, space, step, moment, _PAGE):
        planned.append(_merged(tx, space, group))
        read += sum(one.message_count for one in group)
        if read >= most:
            break
    return planned


def count(tx: Tx, space: Space, step: Step, moment: datetime) -> int:
    """How many summaries are old enough."""
    return sum(map(len, _groups(tx, space, step, moment, _EVERY)))


def _groups(tx: Tx, space: Space, step: Step, moment: datetime, limit: int) -> list[list[Summary]]:
    until = moment - step.older_than
    found = summaries.aging(tx, space.id, step.of, until, limit)
    places = [window(one.start_at, step.window_days, space.timezone) for one in found]
    # What is still to come would be in none of the windows before the last; nor in one that is over.
    open_window = window(until, step.window_days, space.timezone)
    last = places[-1] if len(found) == limit and places[0] != places[-1] else open_window
    groups: dict[tuple[int, str], list[Summary]] = {}
    for one, place in zip(found, places, strict=True):
        if place < last:
            groups.setdefault((place, _way(one)), []).append(one)
    return list(groups.values())


def apply(tx: Tx, space: Space, step: Step, planned: Sequence[Merged], moment: datetime) -> Mapping[str, int]:
    """Put one summary in the place of several, where these are still as they were."""
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    ids = [one.id for plan in planned for one in plan.summaries]
    current = rows.by_ids(tx, space.id, "summary", ids)
    merged = made = 0
    for plan in planned:
        if any(current.get(one.id) != one for one in plan.summaries):
            continue
        merged += len(plan.summaries)
        if plan.written is None:
            for one in plan.summaries:
                rows.update(tx, "summary", one.model_copy(update={"summary_tier": step.into}))
            continue
        made += 1
        _replace(tx, space, plan, _summary(space, step, plan, plan.written, moment), moment)
    counts = {"merged": merged, "summaries": made}
    return {name: number for name, number in counts.items() if number}


def _way(summary: Summary) -> str:
    """How its messages came: from which platform, channel, contact and bot."""
    return repr(sorted(summary.dimensions.items()))


def _merged(tx: Tx, space: Space, group: Sequence[Summary]) -> Merged:
    ids = [id_ for one in group for id_ in one.source_ids]
    if len(group) < 2 or len(ids) > MOST_MESSAGES:
        return Merged(group)
    known = messages.by_ids(tx, space.id, ids)
    if len(known) < len(ids):  # some were purged: what is left would not say all that the summaries do
        return Merged(group)
    said = sorted(known.values(), key=lambda one: (one.sent_at, one.id))
    read = units.of_messages(tx, space.id, ids)
    return Merged(group, said, summarise(said, read, {}, most=MOST_POINTS))


def _summary(space: Space, step: Step, plan: Merged, written: Written, moment: datetime) -> Summary:
    first, people = plan.summaries[0], {message.person_id for message in plan.said}
    ids = [message.id for message in plan.said]
    return first.model_copy(
        update={
            "id": summary_id(space.id, first.source_tier, ids),
            "summary_tier": step.into,
            "start_at": plan.said[0].sent_at,
            "end_at": plan.said[-1].sent_at,
            "message_count": len(ids),
            "source_ids": ids,
            "key_points": list(written.key_points),
            "keywords": list(written.keywords),
            "summary_text": written.text,
            "person_id": people.pop() if len(people) == 1 else None,
            "quality_score": written.quality,
            "model": plan.model,
            "created_at": moment,
            "updated_at": moment,
        }
    )


def _replace(tx: Tx, space: Space, plan: Merged, summary: Summary, moment: datetime) -> None:
    old = [one.id for one in plan.summaries]
    entries.remove(tx, space, Layer.SUMMARY, old)
    rows.add(tx, "summary", [summary])
    current = messages.by_ids(tx, space.id, summary.source_ids)
    messages.mark(tx, [one.model_copy(update={"summary_id": summary.id}) for one in current.values()])
    rows.delete(tx, space.id, "summary", old)
    entries.put(tx, space, [summary_entry(summary, space.timezone)])
    told = {"summary_tier": summary.summary_tier.value, "message_count": summary.message_count}
    reason = f"it says what {len(old)} summaries said"
    journal.add(tx, [note(space, moment, "upkeep:tiers", "stored", summary, reason=reason, after=told)])
