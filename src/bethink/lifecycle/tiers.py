"""The sweep that lets old messages fade: some stay, the others become summaries and are archived."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from math import inf

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.core import Core
from bethink.errors import ModelError
from bethink.extraction.templates import Templates
from bethink.lifecycle.groups import Group, Stage, groups, named, window, window_start
from bethink.lifecycle.merge import Merged, apply, count, plan, steps
from bethink.lifecycle.noun import summary_entry, summary_id
from bethink.lifecycle.score import score
from bethink.lifecycle.summarise import Written, summarise
from bethink.lifecycle.write import written_by
from bethink.records import Layer, Message, MessageTier, Space, Summary, SummaryTier
from bethink.settings.lifecycle import LifecycleSettings
from bethink.store import Tx, entries, journal, messages, rows, spaces, units, vectors
from bethink.store.journal import note

ACTOR = "upkeep:tiers"
_Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class _Planned:
    """What is to become of a group."""

    group: Group
    written: Written | None = None
    model: str | None = None


class Tiers(Sweep):
    """Moves messages from tier to tier by what they are worth, and summarises what fades."""

    name = "tiers"
    schedule = Schedule(at=time(3, 30), jitter=timedelta(hours=1))

    def __init__(self, core: Core, templates: Templates) -> None:
        self._core, self._templates = core, templates
        self._settings = core.settings.lifecycle

    async def enabled(self, _space: Space) -> bool:
        return self._settings.tiers

    async def due(self, space: Space) -> int:
        """How many messages and summaries are to be looked at; where what is kept stays, how many will go."""
        moment, total = now(), 0
        for stage in stages(self._settings):
            if stage.following is stage.tier:
                counts = await self._counts(space, stage, moment)
                total += counts["archived"] + counts["moved"]
            else:
                until = window_start(moment - stage.older_than, stage.window_days, space.timezone)
                total += await self._core.driver.read(messages.count_aging, space.id, stage.tier, until)
        for step in steps(self._settings):
            total += await self._core.driver.read(count, space, step, moment)
        return total

    async def _counts(self, space: Space, stage: Stage, moment: datetime) -> Counter[str]:
        counts: Counter[str] = Counter()
        after: _Place | None = None
        while found := await self._page(space, stage, moment, after):
            after = _place(found[-1])
            planned = await self._core.driver.read(_plan, space, stage, found, moment, self._settings, None)
            counts.update(_counted(planned))
        return counts

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        """What is due now. What moves into a tier may be due there, too."""
        counts: Counter[str] = Counter()
        moment = now()
        for stage in stages(self._settings):
            counts.update(await self._counts(space, stage, moment))
        for step in steps(self._settings):
            merging = await self._core.driver.read(plan, space, step, moment, inf)
            counts["merged"] += sum(len(one.summaries) for one in merging)
            counts["summaries"] += sum(one.written is not None for one in merging)
        return +counts

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        moment, driver, settings = now(), self._core.driver, self._settings
        signature = await self._core.signature()
        for stage in stages(settings):
            after: _Place | None = None
            while found := await self._page(space, stage, moment, after):
                after = _place(found[-1])
                planned = await driver.read(_plan, space, stage, found, moment, settings, signature)
                planned = [await self._by_model(one) for one in planned]
                done = await driver.write(_apply, space, stage, planned, moment)
                if done:
                    yield Batch(done["archived"] + done["moved"], done)
        for step in steps(settings):
            while merging := await driver.read(plan, space, step, moment):
                merging = [await self._merged_by_model(one) for one in merging]
                merged = await driver.write(apply, space, step, merging, moment)
                if not merged:  # they have changed meanwhile: the next run sees to them
                    break
                yield Batch(merged["merged"], merged)
        await self._core.changed("summary", space)

    async def _page(
        self, space: Space, stage: Stage, moment: datetime, after: _Place | None
    ) -> list[Message]:
        limit = self._settings.batch
        return await self._core.driver.read(_whole_windows, space, stage, moment, after, limit)

    async def _by_model(self, planned: _Planned) -> _Planned:
        """The summary as a chat model writes it, where there is one that can."""
        written, model = await self._rewritten(planned.group.summarised, planned.written)
        return replace(planned, written=written, model=model)

    async def _merged_by_model(self, merged: Merged) -> Merged:
        written, model = await self._rewritten(merged.said, merged.written)
        return replace(merged, written=written, model=model)

    async def _rewritten(
        self, said: Sequence[Message], written: Written | None
    ) -> tuple[Written | None, str | None]:
        if written is None or not self._core.chat.enabled:
            return written, None
        try:
            text, model = await written_by(self._core.chat.writing, self._templates, said, written)
        except ModelError:  # the rules have written it; the chat's own status tells what is wrong
            return written, None
        return replace(written, text=text), model


def stages(settings: LifecycleSettings) -> list[Stage]:
    """What is done tier by tier, in this order."""
    return [
        Stage(MessageTier.SHORT, timedelta(days=settings.short_days), settings.short_threshold,
              settings.short_window_days, SummaryTier.L1, settings.weighty),
        Stage(MessageTier.MID, timedelta(days=settings.mid_days), settings.mid_threshold,
              settings.mid_window_days, SummaryTier.L2, settings.weighty),
        Stage(MessageTier.LONG, timedelta(days=settings.long_days), settings.long_threshold,
              settings.long_window_days, SummaryTier.L3, settings.weighty),
    ]  # fmt: skip


def _whole_windows(
    tx: Tx, space: Space, stage: Stage, moment: datetime, after: _Place | None, limit: int
) -> list[Message]:
    """The next messages that are old enough, in whole windows: about so many, at least one window.

    A window that is cut by a limit or by the age would be summarised otherwise on another day.
    """
    days, zone = stage.window_days, space.timezone
    until = moment - stage.older_than
    found = messages.aging(tx, space.id, stage.tier, until, after, limit)
    while found:
        first, last = (window(found[at].sent_at, days, zone) for at in (0, -1))
        whole = [one for one in found if window(one.sent_at, days, zone) != last]
        if first != last:
            return whole if len(found) >= limit or last >= window(until, days, zone) else found
        more = messages.aging(tx, space.id, stage.tier, until, _place(found[-1]), limit)
        if not more:
            return found if last < window(until, days, zone) else []
        found += more
        limit = len(found)
    return found


def _plan(
    tx: Tx,
    space: Space,
    stage: Stage,
    found: Sequence[Message],
    moment: datetime,
    settings: LifecycleSettings,
    signature: str | None,
) -> list[_Planned]:
    """What is to become of messages; with a signature, what summaries say too."""
    withdrawn = units.withdrawn(tx, space.id, [message.id for message in found])
    made = groups(
        found,
        stage,
        zone=space.timezone,
        least=settings.min_group,
        # What somebody asked to forget must be in no summary.
        score=lambda one: 1.0 if one.id in withdrawn else score(one, moment, settings.keywords),
    )
    said = [message.id for group in made for message in group.summarised]
    read = units.of_messages(tx, space.id, said)
    known = vectors.of_records(tx, space, Layer.MESSAGE, said, signature) if signature else {}
    return [
        _Planned(group, summarise(group.summarised, read, known) if group.summarised else None)
        for group in made
    ]


def _apply(tx: Tx, space: Space, stage: Stage, planned: Sequence[_Planned], moment: datetime) -> Counter[str]:
    """Store what was planned, where the messages are still as they were."""
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    ids = [one.id for plan in planned for one in (*plan.group.summarised, *plan.group.moved)]
    current = messages.by_ids(tx, space.id, ids)
    still = [plan for plan in planned if _is_unchanged(plan.group, current)]
    made = [_summary(space, stage, plan, moment) for plan in still if plan.written]
    known = rows.by_ids(tx, space.id, "summary", [summary.id for summary in made])
    fresh = [summary for summary in made if summary.id not in known]
    rows.add(tx, "summary", fresh)
    entries.put(tx, space, [summary_entry(summary, space.timezone) for summary in fresh])
    of = {id_: summary.id for summary in made for id_ in summary.source_ids}
    archived = [
        one.model_copy(update={"archived_at": moment, "summary_id": of[one.id]})
        for plan in still
        for one in plan.group.summarised
    ]
    moved = [one.model_copy(update={"tier": stage.following}) for plan in still for one in plan.group.moved]
    messages.mark(tx, [*archived, *moved])
    entries.remove(tx, space, Layer.MESSAGE, [one.id for one in archived])
    journal.add(tx, [note(space, moment, ACTOR, "stored", one, after=_told(one)) for one in fresh])
    return _numbers(archived=len(archived), moved=len(moved), summaries=len(fresh))


def _summary(space: Space, stage: Stage, plan: _Planned, moment: datetime) -> Summary:
    said, written = plan.group.summarised, plan.written
    assert written is not None  # noqa: S101  (only such are asked for)
    people = {message.person_id for message in said}
    ids = [message.id for message in said]
    return Summary(
        id=summary_id(space.id, stage.tier, ids),
        space_id=space.id,
        summary_tier=stage.summary,
        source_tier=stage.tier,
        start_at=said[0].sent_at,
        end_at=said[-1].sent_at,
        message_count=len(said),
        source_ids=ids,
        key_points=list(written.key_points),
        keywords=list(written.keywords),
        summary_text=written.text,
        dimensions=dict(named(plan.group.dimensions)),
        person_id=people.pop() if len(people) == 1 else None,
        quality_score=written.quality,
        model=plan.model,
        created_at=moment,
        updated_at=moment,
    )


def _is_unchanged(group: Group, current: Mapping[str, Message]) -> bool:
    passing = {"access_count", "last_access_at"}
    return all(
        one.id in current and one.model_dump(exclude=passing) == current[one.id].model_dump(exclude=passing)
        for one in (*group.summarised, *group.moved)
    )


def _told(summary: Summary) -> dict[str, object]:
    """What the journal keeps: how much became a summary, and nothing of what was said."""
    return {"summary_tier": summary.summary_tier.value, "message_count": summary.message_count}


def _counted(planned: Sequence[_Planned]) -> Counter[str]:
    archived = sum(len(plan.group.summarised) for plan in planned)
    moved = sum(len(plan.group.moved) for plan in planned)
    return _numbers(
        archived=archived, moved=moved, summaries=sum(plan.written is not None for plan in planned)
    )


def _numbers(**counts: int) -> Counter[str]:
    return Counter({name: number for name, number in counts.items() if number})


def _place(message: Message) -> _Place:
    return message.sent_at, message.id
