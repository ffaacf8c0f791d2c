"""The pages and the document that describe the API: whole, true, and without a network."""

from __future__ import annotations

import re
import shlex
from html import unescape
from html.parser import HTMLParser
from typing import Any

import httpx2
import pytest

from bethink.records import Role
from bethink.rest.home import KEY_FILE
from tests.rest.serving import Running, new_space

ATTRIBUTES = ("href", "src", "action", "data", "srcset", "poster")


class Page(HTMLParser):
    """What a browser would see of a page: its links, ids and commands."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.commands = [unescape(part) for part in re.findall(r"<pre[^>]*><code>(.*?)</code>", text, re.S)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ATTRIBUTES and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.append(value)


@pytest.fixture
def document(sqlite_server: Running) -> dict[str, Any]:
    with sqlite_server.client() as client:
        found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, verb, found) for path, verbs in document["paths"].items() for verb, found in verbs.items()]


def test_the_first_screen_says_where_the_key_is(member: httpx2.Client) -> None:
    text = " ".join(member.get("/").text.split())
    assert "showed it at the terminal" in text
    assert f"in the file <code>{KEY_FILE}</code>" in text


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_needs_nothing_from_elsewhere(member: httpx2.Client, path: str) -> None:
    response = member.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    page = Page(response.text)
    assert "script" not in page.tags
    known = {"data:,", "docs", "openapi.json", "readyz", "./"}
    assert {link for link in page.links if link[0] != "#"} <= known
    assert "url(" not in response.text
    assert "@import" not in response.text
    assert "'unsafe" not in response.headers["content-security-policy"]
    for link in page.links:
        if link[0] == "#":
            assert link[1:] in page.ids
        elif link != "data:,":
            assert member.get(link).status_code == 200
    assert len(page.ids) == len(set(page.ids))


def test_the_docs_show_every_route_and_every_shape(member: httpx2.Client, document: dict[str, Any]) -> None:
    page = Page(member.get("/docs").text)
    assert {operation["operationId"] for _, _, operation in operations(document)} <= set(page.ids)
    assert {f"shape-{name}" for name in document["components"]["schemas"]} <= set(page.ids)


def test_the_commands_of_the_first_screen_work(sqlite_server: Running) -> None:
    with sqlite_server.client() as client:
        _, remember, recall = Page(client.get("/").text).commands
    secret = sqlite_server.key(new_space())
    assert send(remember, secret).json()["status"] == "stored"
    assert "peanuts" in send(recall, secret).json()["items"][0]["content"]


def test_the_commands_of_the_docs_are_understood(sqlite_server: Running) -> None:
    """They may find nothing, or contradict what is there, but none is refused for its form."""
    with sqlite_server.client() as client:
        commands = Page(client.get("/docs").text).commands
    secret = sqlite_server.key(new_space(), Role.ADMIN)
    for command in commands:
        # No provider is behind this gateway, and no other store of vectors beside this server.
        absent = {502} if "/v1/" in command else {503} if "/api/settings/vectors/" in command else set()
        assert send(command, secret).status_code in {200, 201, 202, 404, 409} | absent, command
    with sqlite_server.client(secret) as client:
        assert client.put("/api/settings/vectors", json={"enabled": False}).status_code == 200


def test_every_route_documents_its_problems_and_its_keys(document: dict[str, Any]) -> None:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, verb, operation in operations(document):
        answers = operation["responses"]
        statuses = set(answers)
        assert operation["summary"]
        assert operation["description"]
        if path.startswith("/v1"):  # speaks as its clients' own API does
            assert operation["security"] == [{"bearer": []}, {"apiKey": []}, {"gatewayKey": []}]
            assert {"401", "429", "502", "504", "default"} <= statuses, (path, verb)
            continue
        if path.startswith("/api"):
            assert operation["security"] == [{"bearer": []}, {"apiKey": []}, {"session": []}]
            assert {"401", "403", "413", "421", "422", "429", "500", "503"} <= statuses, (path, verb)
        if "requestBody" in operation:
            assert {"400", "415"} <= statuses, (path, verb)
        for status in statuses - {"200", "201", "202"}:
            if path != "/readyz" or status != "503":
                assert answers[status]["content"] == problem, (path, verb, status)
    assert set(document["components"]["securitySchemes"]) == {"bearer", "apiKey", "session", "gatewayKey"}


def test_every_reference_leads_somewhere_and_names_are_camel_case(document: dict[str, Any]) -> None:
    shapes = document["components"]["schemas"]
    for name in re.findall(r'#/components/schemas/([^"\']+)', str(document)):
        assert name in shapes
    for name, shape in shapes.items():
        for field in shape.get("properties", {}):
            assert "_" not in field, (name, field)
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))


def send(command: str, secret: str) -> httpx2.Response:
    """Do what a curl command says."""
    words = shlex.split(command.replace("\\\n", " ").replace("$BETHINK_KEY", secret))
    assert words.pop(0) == "curl"
    method, url, headers, body = None, "", {}, None
    while words:
        match word := words.pop(0):
            case "-X":
                method = words.pop(0)
            case "-H":
                name, _, headers_value = words.pop(0).partition(": ")
                headers[name] = headers_value
            case "-d" | "--data-binary":
                body = words.pop(0).encode()
            case _:
                url = word.replace("{sha256}", "0" * 64)  # which a reader fills in
    with httpx2.Client(timeout=60, trust_env=False, verify=False) as client:
        return client.request(method or ("POST" if body else "GET"), url, headers=headers, content=body)
