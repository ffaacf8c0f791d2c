"""Traces by OpenTelemetry, where the extra is installed and an endpoint is set: a span for each request and
each stage of its recall. No span holds a content or an address with ids in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bethink import __version__
from bethink.errors import SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

SERVICE = "bethink"


class Traces:
    """Spans, and where they go."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer(SERVICE, __version__)

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[Span]:
        """The span of a request, below that of the caller if its headers name one."""
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        caller = TraceContextTextMapPropagator().extract(headers)
        with self._tracer.start_as_current_span(
            method, caller, SpanKind.SERVER, {"http.request.method": method}, record_exception=False
        ) as span:
            yield span

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """The span of a stage."""
        with self._tracer.start_as_current_span(name, record_exception=False):
            yield

    def close(self) -> None:
        """Send what is waiting."""
        self._provider.shutdown()


def open_traces(endpoint: str | None) -> Traces | None:
    """Traces sent to an OTLP endpoint; None when none is set."""
    if endpoint is None:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SettingsError(
            "server.traces_endpoint: traces need the extra: pip install 'bethink[otel]'.",
            field="server.traces_endpoint",
        ) from error
    about: dict[str, Any] = {"service.name": SERVICE, "service.version": __version__}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return Traces(provider)
