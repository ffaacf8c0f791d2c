"""What is seen of a request: a line in the log, numbers, and spans. Never its content, nor its address."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from starlette.types import Scope
from structlog.contextvars import bound_contextvars

from bethink.rest.metrics import Metrics
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
