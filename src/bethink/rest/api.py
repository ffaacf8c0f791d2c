"""The application that carries the REST surface."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException

from bethink import __version__
from bethink.contracts import Surface
from bethink.errors import BethinkError
from bethink.memory import AsyncBethink
from bethink.rest import (
    archive,
    audit,
    contexts,
    devices,
    docs,
    documents,
    engine,
    erase,
    extractions,
    facts,
    health,
    home,
    household,
    ingest,
    insights,
    journal,
    keys,
    memories,
    messages,
    notes,
    observers,
    options,
    people,
    prompt,
    search,
    session,
    sessions,
    soul,
    spaces,
    summaries,
    upkeep,
    vectors,
)
from bethink.rest.admission import Rates, Turns
from bethink.rest.observers import Observer
from bethink.rest.problems import Problem, answer_error, answer_http_error, answer_invalid
from bethink.rest.traces import open_traces
from bethink.rest.wrong_keys import WrongKeys

DESCRIPTION = (
    "Long-term memory for AI assistants. Every request under `/api` carries a key, as"
    " `Authorization: Bearer <key>` or `x-api-key: <key>`. A key opens its own space; an admin key opens any,"
    " named by `?space=` or the header `x-bethink-space`. A browser that is"
    " signed in sends a cookie instead. Every error is a problem document (RFC 9457) that"
    " says what happened and what to do."
)

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


class RestApi(FastAPI):
    """FastAPI with our routes, our errors, and no page that needs a network."""

    def __init__(self, memory: AsyncBethink, lifespan: Lifespan, surfaces: Sequence[Surface] = ()) -> None:
        super().__init__(
            title="Bethink",
            version=__version__,
            description=DESCRIPTION,
            lifespan=lifespan,
            docs_url=None,
            redoc_url=None,
            redirect_slashes=False,
            generate_unique_id_function=_operation_id,
        )
        self.state.memory, self.state.stopping = memory, asyncio.Event()
        self.surfaces = surfaces
        for part in (
            engine,  # before the memories, one of which might be called "health"
            memories,
            search,
            sessions,
            ingest,
            messages,
            summaries,
            facts,
            insights,
            household,
            people,
            devices,
            prompt,
            soul,
            options,
            vectors,
            journal,
        ):
            self.include_router(part.router)
        for part in (
            audit,
            contexts,
            documents,
            notes,
            extractions,
            upkeep,
            archive,
            erase,
            keys,
            spaces,
            session,
            health,
            observers,
            home,
            docs,
        ):
            self.include_router(part.router)
        self.include_router(insights.digests)
        self.include_router(session.pages)
        self.add_exception_handler(BethinkError, answer_error)
        self.add_exception_handler(HTTPException, answer_http_error)
        self.add_exception_handler(RequestValidationError, answer_invalid)
        server = memory.settings.server
        self.state.observer = Observer(open_traces(server.traces_endpoint))
        self.state.rates = Rates(server.requests_per_minute, server.request_burst)
        self.state.wrong_keys = WrongKeys(server.wrong_keys_per_minute)
        self.state.turns = Turns(server.recalls_at_once, server.recalls_waiting)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, with the problem document that every route refers to, and other surfaces."""
        if self.openapi_schema is None:
            schema = super().openapi()
            shapes = Problem.model_json_schema(
                mode="serialization", ref_template="#/components/schemas/{model}"
            )
            schema["components"]["schemas"] |= {**shapes.pop("$defs"), "Problem": shapes}
            for surface in self.surfaces:
                schema["paths"] |= surface.paths
                schema["components"]["schemas"] |= surface.shapes
                schema["components"]["securitySchemes"] |= surface.security
        return super().openapi()


def _operation_id(route: APIRoute) -> str:
    return to_camel(route.name)
