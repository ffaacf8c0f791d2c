"""Recall as the façade has it: the request checked, with the options of its space."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bethink.clock import now
from bethink.core import Core
from bethink.recall.plan import plan
from bethink.recall.recall import Recall
from bethink.recall.unite import unite
from bethink.records import Space
from bethink.shapes.accounts import GLOBAL_SPACE
from bethink.shapes.inputs import RecallRequest, checked
from bethink.shapes.limits import check_query, numbers_of
from bethink.shapes.options import SpaceOptions, filled
from bethink.shapes.outcomes import RecallResult
from bethink.store.vectors import Vector


async def recall_for(
    core: Core,
    space: Space,
    request: RecallRequest,
    options: SpaceOptions,
    moment: datetime,
    vector: Vector | None = None,
) -> RecallResult:
    """Recall in a space, and in the global one too where the request or the space's options say so."""
    recall, wanted = core.part(Recall), filled(request, options, moment)
    included = options.include_global if request.include_global is None else request.include_global
    shared = await core.spaces.known(GLOBAL_SPACE) if included and space.name != GLOBAL_SPACE else None
    if shared is None:
        return await recall(space, wanted, moment, vector)
    own, theirs = await asyncio.gather(
        recall(space, wanted, moment, vector),
        recall(shared, wanted.model_copy(update={"fallback": False}), moment, vector),
    )
    planned = plan(wanted, core.settings.recall, moment)
    return unite(own, theirs, planned.limit, planned.budget)


async def find(
    engine: Core, space: Space, asked: Mapping[str, Any], vector: Sequence[float] | None = None
) -> RecallResult:
    """The records that answer, best first. Nothing is counted as used."""
    request = checked(RecallRequest, asked)
    check_query(engine.settings.limits, request.query)
    given = None if vector is None else numbers_of(vector)
    return await recall_for(engine, space, request, await engine.options.of(space), now(), given)
