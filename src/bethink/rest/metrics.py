"""/metrics: how the server is doing, in numbers, in the format of Prometheus. None tells of a content."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from bethink.memory import AsyncBethink
from bethink.records import Role
from bethink.rest.problems import METHODS, documented
from bethink.rest.routes import READING, caller_of

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
