"""The running server keeps to its OpenAPI document, whatever it is sent: no 5xx, no undocumented answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from bethink.records import Role
from bethink.serve.app import create_app
from bethink.settings import Settings
from tests.databases import new_database
from tests.gateway.upstream import Answer, converse, provider
from tests.rest.serving import Running, new_space, running

# How much is sent for each operation, of each kind. More finds more: BETHINK_TEST_EXAMPLES=100 pytest …
EXAMPLES = int(os.environ.get("BETHINK_TEST_EXAMPLES", "4"))
TIMEOUT_SECONDS = 60
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
DOCUMENT: dict[str, Any] = create_app(Settings.load(environ={}, url=":memory:")).openapi()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)}


TAKES_NOTHING = {("GET /healthz", GenerationMode.NEGATIVE), ("GET /readyz", GenerationMode.NEGATIVE)}


class Target:
    """A server of its own, because what is sent may change its options; an admin; and records to change."""

    def __init__(self, server: Running, session: requests.Session) -> None:
        self.server, self.session = server, session
        session.trust_env = False
        session.headers["authorization"] = f"Bearer {server.key(new_space(), Role.ADMIN)}"
        fact = {"category": "music", "key": "instrument", "value": "lute"}
        self.ids = {
            "memory": self._made("memory", {"content": "Anna plays the lute"}),
            "people": self._made("people", {"displayName": "Ben", "role": "guest"}),
            "contexts": self._made("contexts", {"name": "house", "content": "The house is white."}),
            "insights": self._made("insights", {"title": "The house is sold."}),
            "documents": self._added(),
            "keys": self._made("keys", {"name": "spare"}),
            "facts": str(self._send("PUT", "facts", fact)["id"]),
        }
        journal = session.get(f"{server.url}/api/journal", timeout=TIMEOUT_SECONDS).json()
        self.ids["journal"] = journal["items"][0]["id"]

    def _made(self, noun: str, draft: dict[str, Any]) -> str:
        if noun == "people":
            self._send("PUT", "household", {"mode": "multi"})
        return str(self._send("POST", noun, draft)["id"])

    def _added(self) -> str:
        url = f"{self.server.url}/api/documents"
        response = self.session.post(url, params={"name": "a.md"}, data=b"text", timeout=TIMEOUT_SECONDS)
        return str(response.json()["document"]["id"])

    def _send(self, verb: str, noun: str, body: dict[str, Any]) -> dict[str, Any]:
        url = f"{self.server.url}/api/{noun}"
        response = self.session.request(verb, url, json=body, timeout=TIMEOUT_SECONDS)
        assert response.ok, response.text
        found: dict[str, Any] = response.json()
        return found

    def send(self, case: Case[Any]) -> Response:
        """Send a case; where it is meant to be right, about a record and in a space that are there."""
        if case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
            case.query.pop("space", None)
            case.headers.pop("x-bethink-space", None)
            noun = case.path.split("/")[2] if case.path.startswith("/api/") else ""
            if "id" in case.path_parameters and noun in self.ids:
                case.path_parameters["id"] = self.ids[noun]
        headers = dict(self.session.headers)
        return case.call(self.server.url, self.session, headers=headers, timeout=TIMEOUT_SECONDS)


@pytest.fixture(scope="module")
def gateway() -> Iterator[dict[str, Any]]:
    """Settings of a gateway with a provider behind it, which has an answer to everything."""
    with provider() as upstream:
        upstream.script = lambda asked: converse(asked) if asked.path.endswith("/models") else Answer()
        yield {"base_url": upstream.url}


@pytest.fixture(scope="module")
def targets(
    postgres_server: str,
    postgres_schema: str,
    gateway: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[list[Target]]:
    """A target on each kind of database."""
    with ExitStack() as opened:
        on_postgres = opened.enter_context(new_database(postgres_server, postgres_schema))
        urls = (str(tmp_path_factory.mktemp("schema") / "memory.db"), on_postgres)
        servers = [opened.enter_context(running(url, gateway=gateway)) for url in urls]
        yield [Target(server, opened.enter_context(requests.Session())) for server in servers]


# Hypothesis takes a random number drawn by a server's thread for one drawn by the strategy.
@pytest.mark.filterwarnings("ignore:Do not use the `random`:hypothesis.errors.HypothesisDeprecationWarning")
@pytest.mark.parametrize(
    ("label", "mode"),
    [(label, mode) for label in OPERATIONS for mode in GenerationMode if (label, mode) not in TAKES_NOTHING],
)
def test_every_answer_is_as_documented(targets: list[Target], label: str, mode: GenerationMode) -> None:
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(OPERATIONS[label].as_strategy(mode))
    def send(case: Case[Any]) -> None:
        # To think of a case takes most of the time, so both databases are sent the same ones.
        for target in targets:
            case.validate_response(target.send(case), checks=CHECKS)

    send()
