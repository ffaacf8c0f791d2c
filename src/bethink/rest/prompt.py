"""/api/prompt: the memory part of a prompt."""

from __future__ import annotations

from fastapi import APIRouter, Request

from bethink.prompt.render import guidelines
from bethink.records import Record
from bethink.rest.admission import in_turn
from bethink.rest.callers import ReadSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.prompts import Prompt, PromptRequest

router = APIRouter(prefix="/api/prompt", tags=["prompt"], route_class=KeyRoute)


class Guidelines(Record):
    """Text for a system prompt."""

    text: str


@router.post(
    "",
    summary="Build the memory part of a prompt",
    response_description="Both halves, as data and as text; with `shape`, also as a provider's request.",
    responses=problems(404, body=True),
)
async def build_prompt(request: PromptRequest, space: ReadSpace, http: Request) -> Prompt:
    """A stable half (soul, facts, household, narrative) that changes only when a fact does, so that provider
    caches keep it; and a volatile half for this turn (the time, who speaks, relevant memories).
    """
    return await in_turn(http, lambda: space.prompt(**request.model_dump(exclude_unset=True)))


@router.get(
    "/guidelines",
    summary="Get the memory usage guidelines",
    response_description="The text.",
    responses=problems(),
)
async def get_guidelines(_: ReadSpace) -> Guidelines:
    """Text that tells a model when to search, save and forget memories."""
    return Guidelines(text=guidelines())
