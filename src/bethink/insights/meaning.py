"""Which new insights say by their meaning what one that is open says: they become evidence of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from bethink.core import Core
from bethink.errors import ModelError
from bethink.extraction.duplicates import differ
from bethink.insights.drafts import Closing, Step
from bethink.models.embed import threshold
from bethink.shapes.insights import Insight, InsightDraft, InsightKind


class _One(NamedTuple):
    kind: InsightKind
    bot_id: str
    key: str
    text: str


async def without_twins(core: Core, steps: Sequence[Step], open_: Sequence[Insight]) -> list[Step]:
    """The steps, those that would open what is open already under its key; by words alone without vectors."""
    known = {(one.bot_id, one.dedupe_key) for one in open_}
    fresh = [one for one in steps if isinstance(one, InsightDraft) and _key(one) not in known]
    if not fresh or not core.resolution.enabled:
        return list(steps)
    kinds = {one.kind for one in fresh}
    old = [_One(one.kind, *_key(one), _text(one)) for one in open_ if one.kind in kinds]
    new = [_One(one.kind, *_key(one), _text(one)) for one in fresh]
    try:
        signature, rows = await core.index.vector_maker.documents([one.text for one in (*old, *new)])
    except ModelError:
        return list(steps)
    least = threshold(signature, "dedupe", core.settings.similarity.dedupe)
    same: dict[tuple[str, str], tuple[str, str]] = {}
    every = [*old, *new]
    for place in range(len(old), len(every)):
        one = every[place]
        for earlier in range(place):
            other = every[earlier]
            near = float(rows[place] @ rows[earlier]) >= least
            target = (other.bot_id, other.key)
            is_other = other.kind is one.kind and target != (one.bot_id, one.key)
            if near and is_other and not differ(one.text, other.text):
                same.setdefault((one.bot_id, one.key), same.get(target, target))
    return [_renamed(step, same) for step in steps]


def _key(one: Insight | InsightDraft) -> tuple[str, str]:
    return one.bot_id, one.dedupe_key or ""


def _text(one: Insight | InsightDraft) -> str:
    return one.description or one.title


def _renamed(step: Step, same: dict[tuple[str, str], tuple[str, str]]) -> Step:
    if (target := same.get((step.bot_id, step.dedupe_key or ""))) is None:
        return step
    if isinstance(step, Closing):
        return replace(step, bot_id=target[0], dedupe_key=target[1])
    return step.model_copy(update={"bot_id": target[0], "dedupe_key": target[1]})
