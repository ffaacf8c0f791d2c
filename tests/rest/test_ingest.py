"""/api/ingest/{platform}: other programs' messages over HTTP, and on the command line alike."""

from __future__ import annotations

from bethink.client import AsyncBethinkClient
from bethink.records import Role
from tests.conversations.test_ingest import MAPPING, UPDATES
from tests.rest.serving import Running, new_space


async def test_a_program_posts_what_it_has(server: Running) -> None:
    space = new_space()
    with server.client(server.key(space, Role.MEMBER)) as client:
        body = {"mapping": MAPPING, "payload": UPDATES}
        seen = client.post("/api/ingest/bot", params={"dryRun": "true"}, json=body)
        assert (seen.status_code, seen.json()["stored"], len(seen.json()["messages"])) == (200, 2, 2)
        assert client.get("/api/sessions").json()["items"] == []
        done = client.post("/api/ingest/bot", json=body)
        assert (done.status_code, done.json()["stored"], done.json()["empty"]) == (201, 2, 1)
        kept = client.put("/api/settings/memory", json={"ingest": {"bot": MAPPING}})
        assert kept.json()["ingest"]["bot"]["id"] == "message.message_id"
        again = client.post("/api/ingest/bot", json=UPDATES)
        assert (again.status_code, again.json()["duplicates"]) == (200, 2)
        wrong = client.post("/api/ingest/bot", json={"result": [{"message": {}}]})
        assert wrong.status_code == 422
        assert wrong.headers["content-type"] == "application/problem+json"
        assert "result[0].content" in wrong.text


async def test_the_client_does_as_the_library_does(server: Running) -> None:
    key = server.key(new_space(), Role.MEMBER)
    async with AsyncBethinkClient(server.url, token=key) as client:
        assert (await client.ingest("bot", UPDATES, mapping=MAPPING, dry_run=True)).stored == 2
        assert (await client.ingest("bot", UPDATES, mapping=MAPPING)).stored == 2
        own = {"id": "1", "session": "a/b", "content": "hi"}
        assert (await client.ingest("a b", own)).platform == "a b"
