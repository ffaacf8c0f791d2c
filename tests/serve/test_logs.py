from __future__ import annotations

import json
import logging
import sys

from structlog.contextvars import bound_contextvars

from bethink.serve.logs import formatter


def line(message: str, *, as_json: bool, fails: bool = False, **extra: object) -> str:
    record = logging.LogRecord("bethink.requests", logging.INFO, __file__, 1, message, (), None)
    record.__dict__.update(extra)
    if fails:
        try:
            secret = "".join(["a local", " value"])
            _ = len(secret) / 0
        except ZeroDivisionError:
            record.exc_info = sys.exc_info()
    with bound_contextvars(request_id="r1"):
        return formatter(as_json=as_json).format(record)


def test_a_line_for_programs_is_json() -> None:
    found = json.loads(line("request", as_json=True, route="/api/memory/{id}", status=200, key=None))
    at = found.pop("timestamp")
    assert at.endswith("Z")
    assert found == {
        "event": "request", "level": "info", "logger": "bethink.requests", "request_id": "r1",
        "route": "/api/memory/{id}", "status": 200,
    }  # fmt: skip


def test_a_line_for_people_says_the_same() -> None:
    text = line("request", as_json=False, route="/api/memory/{id}", status=200)
    for part in ("request", "r1", "/api/memory/{id}", "200"):
        assert part in text


def test_an_exception_is_told_without_the_values_at_hand() -> None:
    for as_json in (True, False):
        text = line("failed", as_json=as_json, fails=True)
        assert "ZeroDivisionError" in text
        assert "a local value" not in text


def test_secrets_in_what_is_logged_are_masked() -> None:
    for as_json in (True, False):
        text = line("failed at 'my password is Tulip!77x'", as_json=as_json, detail=["pin: 4471"])
        assert "[password]" in text
        assert "[PIN]" in text
        assert "Tulip" not in text
