"""A long, hostile text is read beside the event loop: meanwhile, others are answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from bethink.extraction.extractors import patterns
from bethink.gateway import turns
from bethink.index import describe
from bethink.text.fence import without_woven
from tests.gateway.conftest import Place, on_both_databases

WAIT_SECONDS = 30
TAGS = "<bethink-memory>" * 24_000  # 384 kB
COLONS = ":" * 900_000


class Scan:
    """A scan that has begun and goes on only once somebody else was answered."""

    def __init__(self, scan: Callable[..., Any]) -> None:
        self._scan = scan
        self.begun, self.gone_on, self._answered = (threading.Event() for _ in range(3))
        self.in_time = True

    def __call__(self, text: str) -> Any:
        if len(text) > 100_000:
            self.begun.set()
            self.in_time &= self._answered.wait(WAIT_SECONDS)
            self.gone_on.set()
        return self._scan(text)

    def answered(self) -> None:
        self._answered.set()


def ask_meanwhile(place: Place, scan: Scan, send: Callable[[httpx2.Client], httpx2.Response]) -> int:
    """Send what makes the scan begin, and ask for something else while it lasts; the first one's status."""
    statuses: list[int] = []
    with place.client(**{"x-bethink-session": "long"}) as sender, place.client() as other:
        sending = threading.Thread(target=lambda: statuses.append(send(sender).status_code))
        sending.start()
        assert scan.begun.wait(WAIT_SECONDS)
        assert other.get("/api/memory").status_code == 200
        scan.answered()
        sending.join()
    assert scan.gone_on.wait(WAIT_SECONDS)
    assert scan.in_time
    return statuses[0]


@on_both_databases
@pytest.mark.parametrize("text", [TAGS, COLONS], ids=["tags", "colons"])
def test_a_long_text_through_the_gateway(home: Place, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = Scan(without_woven)
    monkeypatch.setattr(turns, "without_woven", scan)
    body = {"model": "m1", "messages": [{"role": "user", "content": text}]}
    assert ask_meanwhile(home, scan, lambda client: client.post("/v1/chat/completions", json=body)) == 200
    assert home.said("long") == [("user", text), ("assistant", "Hello there.")]


@on_both_databases
@pytest.mark.parametrize(
    ("module", "name"), [(describe, "analyse"), (patterns, "own_words"), (patterns, "why_secret")]
)
def test_a_long_text_that_is_observed(
    home: Place, module: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = Scan(getattr(module, name))
    monkeypatch.setattr(module, name, scan)
    body = {"messages": [{"content": COLONS}]}
    path = "/api/sessions/long/messages"
    assert ask_meanwhile(home, scan, lambda client: client.post(path, json=body)) in (200, 201)
    assert home.said("long") == [("user", COLONS)]
