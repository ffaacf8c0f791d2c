"""The sweep that makes insights of what is new in the channels of a space, and ends what is over."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime, timedelta

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.core import Core
from bethink.errors import ExtractionFailure
from bethink.index.describe import Style
from bethink.insights import changes
from bethink.insights.asking import Asking
from bethink.insights.drafts import Closing, Step
from bethink.insights.focus import Focus
from bethink.insights.hearing import AGAIN, Hearing
from bethink.insights.meaning import without_twins
from bethink.insights.rules import generate
from bethink.models.worth import Worth
from bethink.records import Message, Space
from bethink.shapes.insights import Insight, InsightDraft, InsightKind, InsightStatus, said
from bethink.store import Tx, insights
from bethink.store import messages as stored
from bethink.text.secrets import masked

GENERATE = "insights"
ACTOR = "insights"  # who the journal says made the changes
MESSAGES = 500  # read in one batch
VIEWS_KEPT = timedelta(days=40)  # longer than any part of a weight looks back
MEETING_LASTS = timedelta(hours=3)  # after its beginning it is over, also if nobody says so
_log = logging.getLogger(__name__)
Channel = tuple[str, str]  # platform and channel


class Generating(Sweep):
    """Reads what is new in the channels: with a chat model, else by what was learned, else by rules."""

    name = GENERATE
    schedule = Schedule(every=timedelta(minutes=10), jitter=timedelta(minutes=5))

    def __init__(self, core: Core, worth: Worth, asking: Asking | None) -> None:
        self._core, self._hearing, self._asking = core, Hearing(worth), asking

    async def enabled(self, space: Space) -> bool:
        return (await self._core.options.of(space)).insights != "off"

    async def due(self, space: Space) -> int:
        return await self._core.driver.read(insights.unread, space.id)

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        return {"messages": await self.due(space)}

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        driver = self._core.driver
        while messages := await driver.read(insights.next_unread, space.id, MESSAGES):
            counts = await self._take(space, messages)
            await self._core.changed("insight", space)
            yield Batch(len(messages), counts)
        if over := await driver.write(_close_past, space, self._style, now()):
            await self._core.changed("insight", space)
            yield Batch(over, {"past": over})
        if old := await driver.write(insights.prune_views, space.id, now() - VIEWS_KEPT):
            yield Batch(old, {"old_views": old})

    @property
    def _style(self) -> Style:
        return self._core.settings.index.text_form

    async def _take(self, space: Space, messages: Sequence[Message]) -> Mapping[str, int]:
        """Make insights of some messages of a session, and note that they were read."""
        core, options = self._core, await self._core.options.of(space)
        focus = Focus(options.insight_people, options.insight_topics, options.muted_channels)
        open_, known = await core.driver.read(_standing, space)
        steps: list[Step] = []
        counts: Counter[str] = Counter()
        for (platform, channel), of_channel in _by_channel(messages).items():
            if focus.mutes(channel):
                counts["muted"] += len(of_channel)
                continue
            here = [one for one in open_ if platform in one.platforms and channel in one.channels]
            unread = [one for one in of_channel if one.id not in known]
            made = await self._steps(unread, here, counts, with_model=options.insights == "auto")
            made = await without_twins(core, made, here)
            steps += [focus.raised(step) if isinstance(step, InsightDraft) else step for step in made]
        last = messages[-1]
        return counts + await core.driver.write(_apply, space, steps, last, self._style, now())

    async def _steps(
        self, messages: Sequence[Message], open_: Sequence[Insight], counts: Counter[str], *, with_model: bool
    ) -> list[Step]:
        if self._asking and with_model and messages:
            try:
                return await self._asking.steps(messages, open_)
            except ExtractionFailure as failure:
                counts["model_failed"] += 1  # the run says so, and the rules read it in its place
                _log.warning("The chat model did not tell what goes on in a channel: %s", failure.message)
        earlier = await self._core.driver.read(_before, messages[0]) if messages else []
        found = await self._hearing.steps(messages, earlier, open_)
        return generate(messages, open_) if found is None else found


def _before(tx: Tx, message: Message) -> list[Message]:
    """The last messages of its channel before one."""
    first, last = max(message.position - 2 * AGAIN, 0), message.position - 1
    near = stored.window(tx, message.space_id, message.session_id, first, last)
    return [one for one in near if (one.platform, one.channel) == (message.platform, message.channel)][
        -AGAIN:
    ]


def _by_channel(messages: Sequence[Message]) -> dict[Channel, list[Message]]:
    found: dict[Channel, list[Message]] = defaultdict(list)
    for message in messages:
        found[message.platform, message.channel or ""].append(message)
    return found


def _standing(tx: Tx, space: Space) -> tuple[list[Insight], frozenset[str]]:
    """What is open, and every message that some insight is from."""
    every = insights.chosen(tx, space.id)
    open_ = [one for one in every if one.status is InsightStatus.OPEN]
    return open_, frozenset(id_ for one in every for id_ in one.provenance)


def _apply(
    tx: Tx, space: Space, steps: Sequence[Step], last: Message, style: Style, at: datetime
) -> Counter[str]:
    """Carry out what was made of some messages, of which this is the last one."""
    counts: Counter[str] = Counter()
    for step in steps:
        if isinstance(step, Closing):
            counts["closed"] += _close(tx, space, step, style, at)
        else:
            counts[changes.add(tx, space, step, style, at, ACTOR).status.value] += 1
    insights.mark_read(tx, space.id, last.session_id, last.position)
    return counts


def _close(tx: Tx, space: Space, step: Closing, style: Style, at: datetime) -> bool:
    insight = insights.by_key(tx, space.id, step.bot_id, step.dedupe_key)
    if insight is None or insight.closed_at is not None:
        return False
    message = step.message
    line = said(message.sent_at, masked(message.content), message.name, message.id)
    changes.close(
        tx,
        space,
        insight,
        step.because,
        style,
        at,
        ACTOR,
        at=message.sent_at,
        message_id=message.id,
        said=line,
    )
    return True


def _close_past(tx: Tx, space: Space, style: Style, at: datetime) -> int:
    """Close the meetings that are over; how many."""
    late = insights.chosen(tx, space.id, status=InsightStatus.OPEN, due_before=at - MEETING_LASTS)
    over = [one for one in late if one.kind is InsightKind.MEETING]
    for one in over:
        changes.close(tx, space, one, "past", style, at, ACTOR, at=one.due_at)
    return len(over)
