"""/api/settings/vectors: the vector store beside the database."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field

from bethink.records import Record, Role
from bethink.rest.admission import in_turn
from bethink.rest.callers import Asking, ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.status import EmbeddingSources
from bethink.shapes.vectors import (
    StoreHealth,
    VectorPlace,
    VectorPlaceChange,
    VectorsCleaned,
    VectorSearch,
    VectorsFound,
)

router = APIRouter(prefix="/api/settings/vectors", tags=["settings"], route_class=KeyRoute)


class CleanupRequest(Record):
    """What to clean up."""

    dry_run: bool = Field(False, description="Only count.")


@router.get(
    "",
    summary="Get the vector store",
    response_description="Which it is, and where.",
    responses=problems(),
)
async def get_vectors(space: ReadSpace) -> VectorPlace:
    """Which store vectors are searched in, and where it is. Its key is never shown."""
    return await space.vectors.get()


@router.put(
    "",
    summary="Change the vector store",
    response_description="Which it is now, and where.",
    responses=problems(body=True),
)
async def put_vectors(change: VectorPlaceChange, space: WriteSpace, asking: Asking) -> VectorPlace:
    """Change what is sent; the rest stays. An empty `apiKey` takes the key away. Needs an admin key.

    The new store is filled in the background, and the one before answers until then.
    """
    asking.require(Role.ADMIN)
    return await space.vectors.update(**change.model_dump(exclude_unset=True))


@router.get(
    "/health",
    summary="Does the vector store answer?",
    response_description="Whether it does, and how quickly.",
    responses=problems(),
)
async def check_vectors(space: ReadSpace) -> StoreHealth:
    """Ask it for an answer, as Qdrant's `/readyz`."""
    return await space.vectors.check()


@router.post(
    "/search",
    summary="Search the vector store alone",
    response_description="What it found, best first.",
    responses=problems(body=True),
)
async def search_vectors(wanted: VectorSearch, space: ReadSpace, http: Request) -> VectorsFound:
    """The records whose vectors are nearest to a text, without words, weights or floors."""
    return await in_turn(http, lambda: space.vectors.search(wanted.query, top_k=wanted.top_k))


@router.post(
    "/cleanup",
    summary="Clean the vector store up",
    response_description="What it held that it need not, and what was done.",
    responses=problems(body=True),
)
async def clean_vectors(space: WriteSpace, wanted: CleanupRequest | None = None) -> VectorsCleaned:
    """Count first, then compare the store with the database both ways and mend what differs."""
    return await space.vectors.cleanup(dry_run=wanted.dry_run if wanted else False)


@router.get(
    "/embedding-models",
    summary="Which models make vectors",
    response_description="Every embedding source with its model.",
    responses=problems(),
)
async def list_embedding_models(space: ReadSpace) -> EmbeddingSources:
    """Every embedding source that could fill the store: its model, its dimensions, and why not."""
    return EmbeddingSources(items=await space.index.sources())
