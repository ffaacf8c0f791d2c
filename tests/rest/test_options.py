from __future__ import annotations

import httpx2
import pytest

from bethink.records import Role
from tests.rest.serving import Running, new_space

PATH = "/api/settings/memory"


def test_options_are_read_changed_and_taken_back(client: httpx2.Client) -> None:
    found = client.get(PATH).json()
    assert (found["enabled"], found["maxTokens"], found["strategy"]) == (False, 2000, "hybrid")
    changed = client.put(PATH, json={"enabled": True, "maxTokens": 300})
    assert (changed.status_code, changed.json()["chosen"]) == (
        200,
        {"enabled": "space", "maxTokens": "space"},
    )
    assert client.get(PATH).json()["maxTokens"] == 300
    back = client.delete(PATH, params={"name": "maxTokens"}).json()
    assert (back["maxTokens"], back["enabled"]) == (2000, True)
    assert client.delete(PATH).json()["chosen"] == {}


@pytest.mark.parametrize(
    "bad", [{"maxTokens": 16001}, {"retentionDays": 366}, {"strategy": "exact"}, {"x": 1}]
)
def test_a_bad_option_names_its_field(member: httpx2.Client, bad: dict[str, object]) -> None:
    refused = member.put(PATH, json=bad)
    assert refused.status_code == 422
    assert next(iter(bad)) in refused.text


def test_what_is_the_servers_needs_an_admin(sqlite_server: Running) -> None:
    space = new_space()
    with sqlite_server.client(sqlite_server.key(space)) as member:
        assert member.put(PATH, json={"embeddingSource": "none"}).status_code == 403
        assert member.put(PATH, params={"scope": "server"}, json={"strategy": "recent"}).status_code == 403
        assert member.delete(PATH, params={"name": "embeddingSource"}).status_code == 403
    with sqlite_server.client(sqlite_server.key(space, Role.READER)) as reader:
        assert reader.get(PATH).status_code == 200
        assert reader.put(PATH, json={"enabled": True}).status_code == 403
    with sqlite_server.client(sqlite_server.key(space, Role.ADMIN)) as admin:
        there = admin.put(PATH, params={"scope": "server"}, json={"retentionDays": 99}).json()
        assert (there["retentionDays"], there["chosen"]["retentionDays"]) == (99, "server")
        gone = admin.delete(PATH, params={"scope": "server", "name": "retentionDays"}).json()
        assert gone["retentionDays"] is None


def test_the_schema_tells_a_form_what_to_ask(member: httpx2.Client) -> None:
    fields = member.get(f"{PATH}/schema").json()["properties"]
    assert {"enabled", "maxTokens", "retentionDays", "embeddingSource"} <= set(fields)
    assert all(field["description"] for field in fields.values())
    assert fields["maxTokens"]["maximum"] == 16_000


def test_an_option_that_cannot_work_is_named_as_it_was_sent(sqlite_server: Running) -> None:
    bad = {"vectorStore": "pgvector", "embeddingSource": "openai", "rerankProviderModel": "rerank-v3.5"}
    with sqlite_server.client(sqlite_server.key(new_space(), Role.ADMIN)) as admin:
        for name, value in bad.items():
            problem = admin.put(PATH, json={name: value}).json()
            assert (problem["status"], problem["field"]) == (422, name)
            assert problem["detail"].startswith(f"{name}: ")


def test_a_form_finds_readable_titles(member: httpx2.Client) -> None:
    fields = member.get(f"{PATH}/schema").json()["properties"]
    assert (fields["maxTokens"]["title"], fields["enabled"]["title"]) == ("Max tokens", "Enabled")
