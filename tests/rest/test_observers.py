"""What is seen of requests: ids, log lines, numbers and spans, and nothing of what they hold."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bethink.errors import SettingsError
from bethink.records import Role
from bethink.rest.observers import Observer
from bethink.rest.traces import Traces, open_traces
from tests.rest.serving import Running, new_space, running
from tests.rest.test_problems import problem
from tests.waiting import eventually

SECRET = "xylophone"


@pytest.fixture
def admin(server: Running) -> Iterator[httpx2.Client]:
    with server.client(server.key(new_space(), Role.ADMIN)) as client:
        yield client


def numbers(client: httpx2.Client) -> dict[str, float]:
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    lines = [line.rpartition(" ") for line in response.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_a_request_keeps_the_id_it_came_with(admin: httpx2.Client) -> None:
    given = admin.get("/api/memory/none", headers={"x-request-id": "trace-7.a_B"})
    assert given.headers["x-request-id"] == problem(given, 404).request_id == "trace-7.a_B"
    for odd in ("", "a b", "x" * 101, "a\tb", "é".encode(), 'a"b'):
        value = odd if isinstance(odd, bytes) else odd.encode()
        made = admin.get("/healthz", headers=[(b"x-request-id", value)])
        assert len(made.headers["x-request-id"]) == 36


def request_lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [vars(record) for record in caplog.records if record.name == "bethink.requests"]


def test_the_log_says_who_asked_what_and_nothing_of_it(
    admin: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="bethink"):
        stored = admin.post("/api/memory", json={"content": f"Anna plays the {SECRET}"})
        admin.get("/api/memory", params={"q": SECRET})
        admin.post(f"/api/sessions/{SECRET}/messages", json={"messages": [{"content": SECRET}]})
        admin.get(f"/{SECRET}")
        admin.post("/api/memory", content=f"{{{SECRET}", headers={"content-type": "application/json"})
        eventually(lambda: len(request_lines(caplog)) == 5)  # a line is written just after the answer is sent
        lines = request_lines(caplog)
    told = [(line["method"], line["route"], line["status"]) for line in lines]
    assert told == [
        ("POST", "/api/memory", 201),
        ("GET", "/api/memory", 200),
        ("POST", "/api/sessions/{id}/messages", 201),
        ("GET", "unknown", 404),
        ("POST", "/api/memory", 400),
    ]
    assert str(lines[0]["key"]).startswith("…")
    assert SECRET not in repr([record.__dict__ for record in caplog.records])
    assert stored.json()["id"] not in repr(lines)


def test_the_numbers_follow_what_happens(admin: httpx2.Client) -> None:
    before = numbers(admin)
    admin.post("/api/memory", json={"content": f"Anna plays the {SECRET}"})
    admin.post("/api/search", json={"query": SECRET})
    admin.get("/api/memory/none")
    after = numbers(admin)

    def more(name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    assert more('bethink_requests_total{method="POST",route="/api/memory",status="201"}') == 1
    assert more('bethink_requests_total{method="GET",route="/api/memory/{id}",status="404"}') == 1
    assert more('bethink_request_seconds_count{method="POST",route="/api/search"}') == 1
    assert more('bethink_stage_seconds_count{stage="recall.search"}') == 1
    assert more("bethink_entries") >= 1  # and what is read meanwhile of what others said
    assert after["bethink_degraded"] == 0
    assert after["bethink_spaces"] >= 1
    for gauge in ("entries_awaiting_vectors", "sweeps_running", "extractions_failed"):
        assert f"bethink_{gauge}" in after
    assert SECRET not in admin.get("/metrics").text


def test_an_odd_method_makes_no_series_of_its_own(admin: httpx2.Client) -> None:
    admin.request("BREW", "/api/memory")
    assert "BREW" not in admin.get("/metrics").text


def test_the_numbers_can_be_opened_to_all(tmp_path: Path) -> None:
    with running(str(tmp_path / "memory.db"), embedder=None, embed={"source": "none"},
                 server={"open_metrics": True}) as server, server.client() as nobody:  # fmt: skip
        found = numbers(nobody)
        assert found["bethink_degraded"] == 1
        assert found["bethink_entries_awaiting_vectors"] == 0


async def test_spans_tell_of_a_request_and_its_stages() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observer = Observer(Traces(provider))
    caller = "0af7651916cd43dd8448eb211c80319c"
    headers = {"traceparent": f"00-{caller}-b7ad6b7169203331-01"}
    with observer.request({"method": "GET", "path": f"/{SECRET}"}, headers, "r1") as seen:
        with observer._stage("recall.search"):
            pass
        seen.status = 404
    stage, request = exporter.get_finished_spans()
    assert (stage.name, request.name) == ("recall.search", "GET unknown")
    assert stage.parent is not None
    assert stage.parent.span_id == request.context.span_id
    assert f"{request.context.trace_id:032x}" == caller
    assert dict(request.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "unknown",
        "http.response.status_code": 404,
        "bethink.request_id": "r1",
    }
    observer.close()


def test_no_traces_without_an_endpoint() -> None:
    assert open_traces(None) is None


def test_traces_without_the_extra_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match=r"bethink\[otel\]") as caught:
        open_traces("http://localhost:4318/v1/traces")
    assert caught.value.field == "server.traces_endpoint"


def test_a_client_that_leaves_in_the_middle_is_no_failure_of_the_server(
    admin: httpx2.Client, server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    head = (
        "POST /api/import HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900\r\n"
        f"authorization: {admin.headers['authorization']}\r\n\r\n["
    )
    name = 'bethink_requests_total{method="POST",route="/api/import",status="499"}'
    before = numbers(admin).get(name, 0.0)
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as half:
        half.sendall(head.encode())
    eventually(lambda: numbers(admin).get(name, 0.0) > before)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
