"""What is seen of requests: a line in the log, numbers (/metrics), spans. Never a content or an address."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response
from starlette.types import Scope
from structlog.contextvars import bound_contextvars

from bethink.memory import AsyncBethink
from bethink.records import Role
from bethink.rest.problems import METHODS, documented
from bethink.rest.routes import READING, caller_of
from bethink.rest.traces import Traces
from bethink.stages import watched_by

UNKNOWN = "unknown"  # the route of an address that leads nowhere
_log = logging.getLogger("bethink.requests")


@dataclass
class Seen:
    """What became of a request."""

    status: int = 500


class Observer:
    """Watches the requests of one application."""

    def __init__(self, traces: Traces | None = None) -> None:
        self.metrics, self._traces = Metrics(), traces

    @contextmanager
    def request(
        self, scope: Scope, headers: Mapping[str, str], request_id: str, surface: str | None = None
    ) -> Iterator[Seen]:
        """Watch a request until it is answered; `surface` stands for a route that it does not tell."""
        seen, started, method = Seen(), time.perf_counter(), str(scope["method"])
        with ExitStack() as around:
            around.enter_context(bound_contextvars(request_id=request_id))
            around.enter_context(watched_by(self._stage))
            span = around.enter_context(self._traces.request(method, headers)) if self._traces else None
            try:
                yield seen
            finally:
                route, seconds = route_of(scope, surface), time.perf_counter() - started
                self.metrics.count_request(method, route, seen.status, seconds)
                if span is not None:
                    span.update_name(f"{method} {route}")
                    span.set_attribute("http.route", route)
                    span.set_attribute("http.response.status_code", seen.status)
                    span.set_attribute("bethink.request_id", request_id)
                details = {
                    "method": method,
                    "route": route,
                    "status": seen.status,
                    "ms": round(seconds * 1000, 1),
                    "key": _key_of(scope),
                }
                _log.info("request", extra=details)

    def _stage(self, name: str) -> AbstractContextManager[None]:
        counted = _Counted(self.metrics, name)
        return _both(counted, self._traces.stage(name)) if self._traces else counted

    def close(self) -> None:
        """Send what is waiting to be sent."""
        if self._traces:
            self._traces.close()


class _Counted:
    """A stage under way. Every request has a dozen, so it is no generator, which would take longer."""

    __slots__ = ("_metrics", "_name", "_started")

    def __init__(self, metrics: Metrics, name: str) -> None:
        self._metrics, self._name, self._started = metrics, name, 0.0

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._metrics.count_stage(self._name, time.perf_counter() - self._started)


@contextmanager
def _both(outer: AbstractContextManager[None], inner: AbstractContextManager[None]) -> Iterator[None]:
    with outer, inner:
        yield


def route_of(scope: Scope, surface: str | None = None) -> str:
    """The pattern of the route that answered, such as /api/memory/{id}."""
    told = scope.get("state", {}).get("route")  # by a surface of its own
    return str(getattr(scope.get("route"), "path_format", None) or told or surface or UNKNOWN)


def _key_of(scope: Scope) -> str | None:
    principal = scope.get("state", {}).get("principal")
    return f"…{principal.key.hint}" if principal else None


_REQUESTS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_STAGES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)

router = APIRouter(tags=["health"])


class Metrics:
    """The numbers of one application."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "bethink_requests", "Requests answered.", ("method", "route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "bethink_request_seconds", "How long requests took.", ("method", "route"),
            buckets=_REQUESTS, registry=registry,
        )  # fmt: skip
        self._stages = Histogram(
            "bethink_stage_seconds", "How long stages of recall and background sweeps took.", ("stage",),
            buckets=_STAGES, registry=registry,
        )  # fmt: skip
        self._gauges = {
            name: Gauge(f"bethink_{name}", meaning, registry=registry) for name, meaning in _GAUGES.items()
        }

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note a request that was answered; `route` is the route's pattern, never the address."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def count_stage(self, name: str, seconds: float) -> None:
        """Note a stage of work that was done."""
        self._stages.labels(name).observe(seconds)

    async def text(self, memory: AsyncBethink) -> bytes:
        """All numbers as they are now."""
        vitals = await memory.vitals()
        for name, gauge in self._gauges.items():
            gauge.set(getattr(vitals, name))
        return generate_latest(self._registry)


_GAUGES = {
    "spaces": "Spaces there are.",
    "entries": "Records that can be recalled.",
    "entries_awaiting_vectors": "Records whose vector is missing or of another model: the embedding queue.",
    "sweeps_running": "Background sweeps under way in this process.",
    "extractions_failed": "Readings of conversations that failed and can be tried again.",
    "degraded": "1 while something does not work as it should; /readyz says what.",
}


@router.get(
    "/metrics",
    summary="How is the server doing, in numbers?",
    response_class=Response,
    response_description="The numbers, in the text format of Prometheus.",
    responses=documented(*READING)
    | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "The numbers."}},
    openapi_extra={"security": [{"bearer": []}, {"apiKey": []}, {"session": []}]},
)
async def get_metrics(request: Request) -> Response:
    """Requests, their times, stages of recall, sweeps, and what waits for a vector. For admins, unless the
    setting `server.open_metrics` opens it.
    """
    memory: AsyncBethink = request.app.state.memory
    if not memory.settings.server.open_metrics:
        (await caller_of(request)).require(Role.ADMIN)
    metrics: Metrics = request.app.state.observer.metrics
    return Response(await metrics.text(memory), media_type=CONTENT_TYPE_PLAIN_0_0_4)
