"""Recall as the façade has it: the request checked, with the options of its space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bethink.clock import now
from bethink.records import Space
from bethink.shapes.inputs import RecallRequest, checked
from bethink.shapes.limits import check_query, numbers_of
from bethink.shapes.outcomes import RecallResult
from bethink.wiring import Engine


async def find(
    engine: Engine, space: Space, asked: Mapping[str, Any], vector: Sequence[float] | None = None
) -> RecallResult:
    """The records that answer, best first. Nothing is counted as used."""
    request = checked(RecallRequest, asked)
    check_query(engine.settings.limits, request.query)
    given = None if vector is None else numbers_of(vector)
    return await engine.recall_for(space, request, await engine.options.of(space), now(), given)
