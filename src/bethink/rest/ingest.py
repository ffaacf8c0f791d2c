"""/api/ingest/{platform}: what other programs post of messages, in shapes of their own."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Response

from bethink.rest.callers import WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name, checked
from bethink.shapes.ingest import Ingested, IngestRequest

router = APIRouter(prefix="/api/ingest", tags=["sessions"], route_class=KeyRoute)


@router.post(
    "/{platform}",
    status_code=201,
    summary="Take in what another program posts",
    response_description="What became of the messages; at least one is new.",
    responses=problems(409, body=True)
    | {200: {"model": Ingested, "description": "None was new, or it was a dry run."}},
)
async def ingest(
    platform: Annotated[Name, Path(description="What the program is called; messages carry it.")],
    body: Annotated[
        Any,
        Body(
            description="The program's own body; or an object of `mapping` and `payload`, which is the body.",
            examples=[
                {"id": "17", "session": "support", "sender": "Ana", "content": "The door sticks again."}
            ],
        ),
    ],
    space: WriteSpace,
    response: Response,
    dry_run: Annotated[bool, Query(alias="dryRun", description="Only say what would be observed.")] = False,
) -> Ingested:
    """Take in messages in a program's own shape, for n8n, Zapier and bots.

    The option `ingest` of the space says for each platform where in the body what is. A message is taken in
    once under its id, so a program may send again what it is not sure of.
    """
    if isinstance(body, dict) and body.keys() == {"mapping", "payload"}:
        given = checked(IngestRequest, body)
        done = await space.ingest(platform, given.payload, mapping=given.mapping, dry_run=dry_run)
    else:
        done = await space.ingest(platform, body, dry_run=dry_run)
    if not done.stored or dry_run:
        response.status_code = 200
    return done
