"""Nothing of one space reaches another, on any route, and each role does what it may and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from bethink.records import Role
from tests.rest.serving import Running, new_space

SECRET = "xylophone"
FACT = {"category": "music", "key": "instrument"}
Call = Callable[[httpx2.Client, str], httpx2.Response]

FACT_OF: dict[str, str] = {}  # the fact of a filled space, likewise
PERSON_OF: dict[str, str] = {}  # who lives in a filled space, by the id of its memory
CONTEXT_OF: dict[str, str] = {}  # and a context in it
DOCUMENT_OF: dict[str, str] = {}  # and a document
MESSAGE_OF: dict[str, str] = {}  # and what was said in it
SUMMARY_OF: dict[str, str] = {}  # and what older messages came to
INSIGHT_OF: dict[str, str] = {}  # and an insight
OWN_THINGS = ("audit", "household", "people", "devices", "prompt", "soul", "narrative", "raw", "export")
NO_RECORDS = ("keys", "session", "settings", "spaces")  # see test_roles.py for these
SEARCHES_IN_SETTINGS = {"POST /api/settings/vectors/search"}  # which finds records all the same

READS: dict[str, Call] = {
    "GET /api/memory": lambda client, _: client.get("/api/memory"),
    "GET /api/memory?q": lambda client, _: client.get("/api/memory", params={"q": SECRET}),
    "POST /api/memory/search": lambda client, _: client.post("/api/memory/search", json={"query": SECRET}),
    "GET /api/memory/{id}": lambda client, id_: client.get(f"/api/memory/{id_}"),
    "POST /api/search": lambda client, _: client.post("/api/search", json={"query": SECRET}),
    "POST /api/search recent": lambda client, _: client.post(
        "/api/search", json={"query": SECRET, "strategy": "recent", "fallback": True}
    ),
    "GET /api/memory/engine-status": lambda client, _: client.get("/api/memory/engine-status"),
    "GET /api/memory/embedding-providers": lambda client, _: client.get("/api/memory/embedding-providers"),
    "POST /api/memory/retrieve-preview": lambda client, _: client.post(
        "/api/memory/retrieve-preview", json={"query": SECRET}
    ),
    "GET /api/memory/health": lambda client, _: client.get("/api/memory/health"),
    "POST /api/settings/vectors/search": lambda client, _: client.post(
        "/api/settings/vectors/search", json={"query": SECRET}
    ),
    "GET /api/memory/reindex": lambda client, _: client.get("/api/memory/reindex"),
    "GET /api/memory/reindex/events": lambda client, _: client.get("/api/memory/reindex/events"),
    "GET /api/sessions": lambda client, _: client.get("/api/sessions"),
    "GET /api/sessions/{id}/messages": lambda client, _: client.get("/api/sessions/secret/messages"),
    "GET /api/messages": lambda client, _: client.get("/api/messages"),
    "GET /api/messages/{id}": lambda client, id_: client.get(f"/api/messages/{MESSAGE_OF[id_]}"),
    "GET /api/summaries": lambda client, _: client.get("/api/summaries"),
    "GET /api/summaries/{id}": lambda client, id_: client.get(f"/api/summaries/{SUMMARY_OF[id_]}"),
    "GET /api/summaries/{id}/messages": lambda client, id_: client.get(
        f"/api/summaries/{SUMMARY_OF[id_]}/messages"
    ),
    "GET /api/facts": lambda client, _: client.get("/api/facts"),
    "GET /api/facts/current": lambda client, _: client.get("/api/facts/current", params=FACT),
    "GET /api/facts/doubts": lambda client, _: client.get("/api/facts/doubts"),
    "GET /api/facts/history": lambda client, _: client.get("/api/facts/history", params=FACT),
    "GET /api/journal": lambda client, _: client.get("/api/journal", params={"noun": "fact"}),
    "GET /api/export": lambda client, _: client.get("/api/export"),
    "GET /api/stats": lambda client, _: client.get("/api/stats"),
    "GET /api/stats/growth": lambda client, _: client.get("/api/stats/growth"),
    "GET /api/map": lambda client, _: client.get("/api/map"),
    "GET /api/household": lambda client, _: client.get("/api/household"),
    "GET /api/people": lambda client, _: client.get("/api/people"),
    "GET /api/people/{id}": lambda client, id_: client.get(f"/api/people/{PERSON_OF[id_]}"),
    "GET /api/people/resolve": lambda client, _: client.get("/api/people/resolve", params={"ref": "anna"}),
    "POST /api/people/speaker": lambda client, _: client.post(
        "/api/people/speaker", json={"text": "This is Anna.", "device": "tv/1"}
    ),
    "GET /api/audit": lambda client, _: client.get("/api/audit"),
    "GET /api/contexts": lambda client, _: client.get("/api/contexts"),
    "GET /api/contexts/{id}": lambda client, id_: client.get(f"/api/contexts/{CONTEXT_OF[id_]}"),
    "GET /api/documents": lambda client, _: client.get("/api/documents"),
    "POST /api/documents/search": lambda client, _: client.post(
        "/api/documents/search", json={"query": SECRET}
    ),
    "GET /api/notes": lambda client, _: client.get("/api/notes"),
    "GET /api/notes/search": lambda client, _: client.get("/api/notes/search", params={"q": SECRET}),
    "GET /api/notes/content": lambda client, _: client.get(
        "/api/notes/content", params={"file": f"people/{SECRET}.md"}
    ),
    "POST /api/messages/search": lambda client, _: client.post(
        "/api/messages/search", json={"query": SECRET}
    ),
    "GET /api/documents/{id}": lambda client, id_: client.get(f"/api/documents/{DOCUMENT_OF[id_]}"),
    "GET /api/documents/{id}/content": lambda client, id_: client.get(
        f"/api/documents/{DOCUMENT_OF[id_]}/content"
    ),
    "GET /api/documents/{id}/events": lambda client, id_: client.get(
        f"/api/documents/{DOCUMENT_OF[id_]}/events"
    ),
    "GET /api/insights": lambda client, _: client.get("/api/insights"),
    "GET /api/digest": lambda client, _: client.get("/api/digest"),
    "GET /api/insights/usage": lambda client, _: client.get("/api/insights/usage"),
    "GET /api/insights/{id}": lambda client, id_: client.get(f"/api/insights/{INSIGHT_OF[id_]}"),
    "GET /api/extractions": lambda client, _: client.get("/api/extractions"),
    "GET /api/devices": lambda client, _: client.get("/api/devices"),
    "GET /api/devices/{id}": lambda client, _: client.get("/api/devices/tv/1"),
    "POST /api/prompt": lambda client, _: client.post("/api/prompt", json={"query": "what does Anna play?"}),
    "GET /api/prompt/guidelines": lambda client, _: client.get("/api/prompt/guidelines"),
    "GET /api/soul": lambda client, _: client.get("/api/soul"),
    "GET /api/narrative": lambda client, _: client.get("/api/narrative"),
    "GET /api/raw": lambda client, _: client.get("/api/raw"),
    "GET /api/upkeep": lambda client, _: client.get("/api/upkeep"),
    "GET /api/upkeep/history": lambda client, _: client.get("/api/upkeep/history"),
}
# What answers a stranger too, with what is in their own space.
PEOPLE_AND_PROMPT = (
    {route for route in READS if route.split("/")[2].split("?")[0] in OWN_THINGS}
    | {"GET /api/insights/usage", "GET /api/digest", "GET /api/stats/growth"}
    | {f"GET /api/memory/{name}" for name in ("embedding-providers", "health", "reindex", "reindex/events")}
    | {"GET /api/upkeep"}
)
WRITES: dict[str, Call] = {
    "POST /api/memory": lambda client, _: client.post("/api/memory", json={"content": "Mine"}),
    "PATCH /api/memory/{id}": lambda client, id_: client.patch(f"/api/memory/{id_}", json={"pinned": True}),
    "PUT /api/memory/{id}": lambda client, id_: client.put(f"/api/memory/{id_}", json={"content": "Mine"}),
    "POST /api/memory/summarize": lambda client, _: client.post(
        "/api/memory/summarize", json={"olderThanDays": 0}
    ),
    "POST /api/memory/{id}/pin": lambda client, id_: client.post(f"/api/memory/{id_}/pin"),
    "DELETE /api/memory/{id}/pin": lambda client, id_: client.delete(f"/api/memory/{id_}/pin"),
    "DELETE /api/memory": lambda client, _: client.delete("/api/memory", params={"since": "2000-01-01"}),
    "DELETE /api/memory/{id}": lambda client, id_: client.delete(f"/api/memory/{id_}"),
    "POST /api/sessions/{id}/messages": lambda client, _: client.post(
        "/api/sessions/secret/messages", json={"messages": [{"content": "Mine"}]}
    ),
    "PATCH /api/messages/{id}": lambda client, id_: client.patch(
        f"/api/messages/{MESSAGE_OF[id_]}", json={"name": "Eve"}
    ),
    "POST /api/messages/{id}/pin": lambda client, id_: client.post(f"/api/messages/{MESSAGE_OF[id_]}/pin"),
    "DELETE /api/messages/{id}/pin": lambda client, id_: client.delete(
        f"/api/messages/{MESSAGE_OF[id_]}/pin"
    ),
    "POST /api/messages/{id}/archive": lambda client, id_: client.post(
        f"/api/messages/{MESSAGE_OF[id_]}/archive"
    ),
    "DELETE /api/messages/{id}/archive": lambda client, id_: client.delete(
        f"/api/messages/{MESSAGE_OF[id_]}/archive"
    ),
    "DELETE /api/messages/{id}": lambda client, id_: client.delete(f"/api/messages/{MESSAGE_OF[id_]}"),
    "POST /api/memory/reindex": lambda client, _: client.post("/api/memory/reindex"),
    "POST /api/import": lambda client, _: client.post("/api/import", content=b'["Mine"]'),
    "POST /api/erase": lambda client, id_: client.post("/api/erase", json={"memoryIds": [id_]}),
    "POST /api/journal/{id}/undo": lambda client, id_: client.post(f"/api/journal/{id_}/undo"),
    "DELETE /api/facts": lambda client, _: client.delete("/api/facts", params=FACT),
    "POST /api/facts/{id}/restore": lambda client, id_: client.post(f"/api/facts/{FACT_OF[id_]}/restore"),
    "PUT /api/facts": lambda client, _: client.put("/api/facts", json={**FACT, "value": "mine"}),
    "PUT /api/household": lambda client, _: client.put("/api/household", json={"mode": "multi"}),
    "POST /api/people": lambda client, _: client.post("/api/people", json={"displayName": "Eve"}),
    "PATCH /api/people/{id}": lambda client, id_: client.patch(
        f"/api/people/{PERSON_OF[id_]}", json={"notes": "mine"}
    ),
    "DELETE /api/people/{id}": lambda client, id_: client.delete(f"/api/people/{PERSON_OF[id_]}"),
    "POST /api/insights": lambda client, _: client.post("/api/insights", json={"title": "Mine"}),
    "PATCH /api/insights/{id}": lambda client, id_: client.patch(
        f"/api/insights/{INSIGHT_OF[id_]}", json={"title": "mine"}
    ),
    "POST /api/insights/generate": lambda client, _: client.post("/api/insights/generate"),
    "POST /api/insights/{id}/view": lambda client, id_: client.post(f"/api/insights/{INSIGHT_OF[id_]}/view"),
    "POST /api/insights/{id}/favourite": lambda client, id_: client.post(
        f"/api/insights/{INSIGHT_OF[id_]}/favourite"
    ),
    "DELETE /api/insights/{id}/favourite": lambda client, id_: client.delete(
        f"/api/insights/{INSIGHT_OF[id_]}/favourite"
    ),
    "PUT /api/insights/{id}/weight": lambda client, id_: client.put(
        f"/api/insights/{INSIGHT_OF[id_]}/weight", json={"multiplier": 2}
    ),
    "POST /api/insights/{id}/resolve": lambda client, id_: client.post(
        f"/api/insights/{INSIGHT_OF[id_]}/resolve", json={}
    ),
    "POST /api/insights/{id}/reopen": lambda client, id_: client.post(
        f"/api/insights/{INSIGHT_OF[id_]}/reopen"
    ),
    "POST /api/insights/{id}/merge": lambda client, id_: client.post(
        f"/api/insights/{INSIGHT_OF[id_]}/merge", json={"others": ["x"]}
    ),
    "DELETE /api/insights/{id}": lambda client, id_: client.delete(f"/api/insights/{INSIGHT_OF[id_]}"),
    "POST /api/contexts": lambda client, _: client.post(
        "/api/contexts", json={"name": "Mine", "content": "Mine"}
    ),
    "PATCH /api/contexts/{id}": lambda client, id_: client.patch(
        f"/api/contexts/{CONTEXT_OF[id_]}", json={"content": "mine"}
    ),
    "DELETE /api/contexts/{id}": lambda client, id_: client.delete(f"/api/contexts/{CONTEXT_OF[id_]}"),
    "POST /api/documents": lambda client, _: client.post(
        "/api/documents", params={"name": "mine.md"}, content=b"Mine"
    ),
    "GET /api/documents/uploads/{sha256}": lambda client, _: client.get(f"/api/documents/uploads/{'0' * 64}"),
    "PUT /api/documents/uploads/{sha256}": lambda client, _: client.put(
        f"/api/documents/uploads/{'0' * 64}", params={"name": "mine.md", "size": 9}, content=b"Mine"
    ),
    "PUT /api/documents/{id}/content": lambda client, id_: client.put(
        f"/api/documents/{DOCUMENT_OF[id_]}/content", content=b"Mine"
    ),
    "GET /api/documents/{id}/original": lambda client, id_: client.get(
        f"/api/documents/{DOCUMENT_OF[id_]}/original"
    ),
    "POST /api/documents/{id}/retry": lambda client, id_: client.post(
        f"/api/documents/{DOCUMENT_OF[id_]}/retry"
    ),
    "DELETE /api/documents/{id}": lambda client, id_: client.delete(f"/api/documents/{DOCUMENT_OF[id_]}"),
    "POST /api/sessions": lambda client, _: client.post("/api/sessions", json={"id": "secret"}),
    "POST /api/memory/chat-check": lambda client, _: client.post("/api/memory/chat-check"),
    "POST /api/ingest/{platform}": lambda client, _: client.post(
        "/api/ingest/bot", json={"id": "1", "session": "secret", "content": "Mine"}
    ),
    "POST /api/audit/fix": lambda client, _: client.post("/api/audit/fix", json={"kinds": []}),
    "POST /api/upkeep/extract": lambda client, _: client.post("/api/upkeep/extract"),
    "POST /api/upkeep/{name}/run": lambda client, _: client.post("/api/upkeep/vectors/run"),
    "DELETE /api/devices/{id}": lambda client, _: client.delete("/api/devices/tv/1"),
    "PUT /api/devices/{id}": lambda client, _: client.put("/api/devices/tv/1", json={"name": "Mine"}),
    "PUT /api/soul": lambda client, _: client.put("/api/soul", json={"content": "Mine"}),
    "PUT /api/narrative": lambda client, _: client.put("/api/narrative", json={"content": "Mine"}),
    "PUT /api/raw": lambda client, _: client.put("/api/raw", json={"memory": "- city: Cork"}),
    "POST /api/raw/sync": lambda client, _: client.post("/api/raw/sync"),
    "POST /api/notes/sync": lambda client, _: client.post("/api/notes/sync"),
}
ONE_THING = ("GET /api/facts/current", "GET /api/notes/content")  # named by what it is, not by an id
CREATES = (
    "POST /api/memory", "POST /api/sessions/{id}/messages", "PUT /api/facts", "POST /api/people",
    "POST /api/contexts", "POST /api/insights", "POST /api/sessions", "POST /api/documents",
    "POST /api/ingest/{platform}",
)  # fmt: skip
CHANGES = (
    "POST /api/memory/chat-check",
    "POST /api/memory/summarize",
    "POST /api/audit/fix",
    "POST /api/insights/generate",
    "POST /api/upkeep/extract",
    "POST /api/upkeep/{name}/run",
    "DELETE /api/memory",
    "PUT /api/household",
    "POST /api/import",
    "PUT /api/devices/{id}",
    "PUT /api/soul",
    "PUT /api/narrative",
    "PUT /api/raw",
    "POST /api/raw/sync",
    "POST /api/notes/sync",
    "GET /api/documents/uploads/{sha256}",
    "PUT /api/documents/uploads/{sha256}",
)


class Filled:
    """A space with something in every layer, and clients for it."""

    def __init__(self, server: Running) -> None:
        self.server, self.name = server, new_space()
        with server.client(server.key(self.name)) as owner:
            stored = owner.post("/api/memory", json={"content": f"Anna plays the {SECRET}"})
            self.id = str(stored.json()["id"])
            fact = owner.put("/api/facts", json={**FACT, "value": SECRET, "promoted": True})
            FACT_OF[self.id] = str(fact.json()["id"])
            persons = [{"displayName": f"Anna {SECRET}"}]
            household = owner.put("/api/household", json={"displayName": SECRET, "persons": persons})
            person = PERSON_OF[self.id] = household.json()["persons"][0]["id"]
            context = owner.post("/api/contexts", json={"name": SECRET, "content": SECRET})
            CONTEXT_OF[self.id] = str(context.json()["id"])
            text = f"# {SECRET}\n\nThe {SECRET} of Anna.".encode()
            added = owner.post("/api/documents", params={"name": "music.md"}, content=text).json()
            DOCUMENT_OF[self.id] = added["document"]["id"]
            owner.get(f"/api/documents/{DOCUMENT_OF[self.id]}/events")  # until it is ready
            folder = self.server.call(self.server.memory.space(self.name).notes.folder())
            assert folder is not None
            people = folder / "people"
            people.mkdir(parents=True)
            (people / f"{SECRET}.md").write_text(f"# Anna\n\nThe {SECRET} is in the attic.")
            note = owner.get("/api/notes").json()["items"][0]["documentId"]
            owner.get(f"/api/documents/{note}/events")
            insight = owner.post("/api/insights", json={"title": SECRET, "kind": "decision"})
            INSIGHT_OF[self.id] = str(insight.json()["id"])
            owner.put("/api/devices/tv/1", json={"name": SECRET, "primaryPersonId": person})
            owner.put("/api/soul", json={"content": f"You play the {SECRET}"})
            owner.put("/api/narrative", json={"content": f"Anna loves the {SECRET}"})
            messages = [{"id": "m1", "name": "Anna", "content": f"I play the {SECRET}"}]
            said = owner.post("/api/sessions/secret/messages", json={"messages": messages})
            MESSAGE_OF[self.id] = str(said.json()["outcomes"][0]["id"])
            at = "2020-01-01T12:00:00Z"
            old = [{"role": "assistant", "content": f"{SECRET} {n}", "sentAt": at} for n in range(3)]
            owner.post("/api/sessions/secret/messages", json={"messages": old})
            owner.post("/api/upkeep/tiers/run")
            SUMMARY_OF[self.id] = str(owner.get("/api/summaries").json()["items"][0]["id"])

    def client(self, role: Role, space: str | None = None) -> httpx2.Client:
        return self.server.client(self.server.key(space or self.name, role))

    def contents(self) -> list[Any]:
        """Everything the space holds, as its owner reads it."""
        with self.client(Role.MEMBER) as owner:
            paths = (
                "memory",
                "sessions/secret/messages",
                "facts",
                "people",
                "devices",
                "contexts",
                "documents",
                "notes",
            )
            items = [item for path in paths for item in owner.get(f"/api/{path}").json()["items"]]
            items += [owner.get(f"/api/{path}").json() for path in ("household", "raw", "narrative")]
            insights = [one["insight"] for one in owner.get("/api/insights").json()["items"]]
            items += sorted(insights, key=lambda one: str(one["id"]))  # whatever each counts
        # Reading is counted a moment later, and is no change.
        counted = ("accessCount", "lastAccessAt")
        return [{name: value for name, value in item.items() if name not in counted} for item in items]


@pytest.fixture(scope="module")
def filled(server: Running) -> Filled:
    return Filled(server)


def test_every_route_is_tried(server: Running) -> None:
    with server.client() as client:
        paths = client.get("/openapi.json").json()["paths"]
    holding = [path for path in paths if path.startswith("/api") and path.split("/")[2] not in NO_RECORDS]
    routes = {f"{verb.upper()} {path}" for path in holding for verb in paths[path]} | SEARCHES_IN_SETTINGS
    tried = {" ".join(name.split("?")[0].split(" ")[:2]) for name in (*READS, *WRITES)}
    assert tried == routes


@pytest.mark.parametrize("role", Role)
def test_another_space_reads_nothing_of_it(filled: Filled, role: Role) -> None:
    with filled.client(role, new_space()) as stranger:
        for route, call in READS.items():
            response = call(stranger, filled.id)
            if "{id}" in route.replace("sessions/{id}", "") or route in ONE_THING:
                assert response.status_code == 404, route
                continue
            assert response.status_code == 200, route
            if route in PEOPLE_AND_PROMPT:
                assert SECRET not in response.text, route
                continue
            body = response.json()
            found = (body.get("items"), body.get("hits"), body.get("layers"), body.get("points"))
            assert [] in found or {} in found, route
            assert filled.id not in response.text, route


@pytest.mark.parametrize("role", Role)
def test_its_own_keys_read_it(filled: Filled, role: Role) -> None:
    with filled.client(role) as owner:
        assert_reads_all(owner, filled)


def test_another_space_changes_nothing_of_it(filled: Filled) -> None:
    before = filled.contents()
    with filled.client(Role.MEMBER, new_space()) as stranger:
        for route, call in WRITES.items():
            status = call(stranger, filled.id).status_code
            started = 202 if route == "POST /api/memory/reindex" else 404
            assert status == (201 if route in CREATES else 200 if route in CHANGES else started), route
    assert filled.contents() == before


def test_a_reader_changes_nothing(filled: Filled) -> None:
    before = filled.contents()
    with filled.client(Role.READER) as reader:
        for route, call in WRITES.items():
            assert call(reader, filled.id).status_code == 403, route
    assert filled.contents() == before


@pytest.mark.parametrize("role", [Role.MEMBER, Role.READER])
@pytest.mark.parametrize("by", ["query", "header"])
def test_only_an_admin_may_name_another_space(filled: Filled, role: Role, by: str) -> None:
    before = filled.contents()
    with filled.client(role, new_space()) as stranger:
        name_space(stranger, filled.name, by)
        for route, call in (READS | WRITES).items():
            response = call(stranger, filled.id)
            assert response.status_code == 403, route
            assert SECRET not in response.text, route
    assert filled.contents() == before


@pytest.mark.parametrize("by", ["query", "header"])
def test_an_admin_reads_the_space_it_names(filled: Filled, by: str) -> None:
    with filled.client(Role.ADMIN, new_space()) as admin:
        name_space(admin, filled.name, by)
        assert_reads_all(admin, filled)


def test_without_a_key_nothing_is_read_or_changed(filled: Filled) -> None:
    before = filled.contents()
    with filled.server.client() as nobody:
        for route, call in (READS | WRITES).items():
            assert call(nobody, filled.id).status_code == 401, route
    assert filled.contents() == before


def test_a_member_may_name_its_own_space(filled: Filled) -> None:
    with filled.client(Role.MEMBER) as owner:
        assert owner.get("/api/stats", params={"space": filled.name}).status_code == 200


def test_a_space_may_have_any_name(server: Running) -> None:
    name = f"família/{new_space()}"
    with server.client(server.key(new_space(), Role.ADMIN)) as admin:
        assert admin.post("/api/memory", params={"space": name}, json={"content": "x"}).status_code == 201
        assert admin.get("/api/stats", params={"space": name}).json()["space"] == name
        headers = [(b"x-bethink-space", name.encode())]
        assert admin.get("/api/stats", headers=headers).json()["space"] == name
        for bad in (b"\xff\xfe", b"x" * 501):
            assert admin.get("/api/stats", headers=[(b"x-bethink-space", bad)]).status_code == 422


def test_only_a_write_makes_a_space(server: Running) -> None:
    """A misspelt name is no space, and asking for it makes none."""
    name = new_space()
    with server.client(server.key(new_space(), Role.ADMIN)) as admin:
        for route, call in READS.items():
            name_space(admin, name, "query")
            looked_up = any(
                f"{noun}/{{id}}" in route
                for noun in ("people", "contexts", "documents", "insights", "/messages", "summaries")
            )
            response = admin.get("/api/people/x") if looked_up else call(admin, "x")
            assert response.status_code == 404, route
        assert admin.delete("/api/memory/x").status_code == 404
        assert admin.patch("/api/memory/x", json={"pinned": True}).status_code == 404
        admin.params = httpx2.QueryParams()
        assert name not in [space["name"] for space in admin.get("/api/spaces").json()["items"]]
        assert admin.put("/api/soul", params={"space": name}, json={"content": "x"}).status_code == 200
        assert name in [space["name"] for space in admin.get("/api/spaces").json()["items"]]


def test_one_external_id_may_be_in_two_spaces(filled: Filled) -> None:
    messages = [{"id": "m1", "content": "Another m1"}]
    with filled.client(Role.MEMBER, new_space()) as stranger:
        response = stranger.post("/api/sessions/other/messages", json={"messages": messages})
    assert response.json()["outcomes"][0]["status"] == "stored"


def name_space(client: httpx2.Client, name: str, by: str) -> None:
    """Let every request of a client name a space."""
    if by == "header":
        client.headers["x-bethink-space"] = name
    else:
        client.params = client.params.set("space", name)


def assert_reads_all(client: httpx2.Client, filled: Filled) -> None:
    """Every read brings something of the space."""
    marks = {"GET /api/stats": '"total":1', "GET /api/sessions": '"id":"secret"'}
    marks["GET /api/insights/usage"] = '"total":1'
    marks["GET /api/journal"] = '"action":"stored"'
    marks["GET /api/facts/doubts"] = '"items"'
    marks["GET /api/audit"] = '"memories":1'
    marks["GET /api/extractions"] = marks["GET /api/upkeep/history"] = '"items"'
    marks["GET /api/upkeep"] = '"name":"vectors"'
    marks["GET /api/documents"] = marks["GET /api/documents/{id}"] = "music.md"
    marks["GET /api/documents/{id}/events"] = '"status":"ready"'
    marks["GET /api/prompt/guidelines"] = "long-term memory"
    marks["GET /api/memory/engine-status"] = '"memory":{"total":1'
    marks["GET /api/memory/embedding-providers"] = '"source":"local"'
    marks["GET /api/memory/health"] = '"working":'
    marks["GET /api/stats/growth"] = '"memory":1'
    marks |= {f"GET /api/memory/{name}": '"pending":' for name in ("reindex", "reindex/events")}
    for route, call in READS.items():
        response = call(client, filled.id)
        assert response.status_code == 200, route
        assert marks.get(route, SECRET) in response.text, route
