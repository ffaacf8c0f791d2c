"""What asks other servers: a chat model that fails and works again, a vector store that does not answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from bethink.records import Role
from tests.models.chat_server import Turn, broken_down, chat_server, good
from tests.rest.serving import new_space, running
from tests.studio.conftest import visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")
ANSWER = {
    "facts": [{"category": "food", "key": "coffee", "value": "Oat milk latte", "turns": [1]}],
    "notes": [],
}
TALK = [
    {"role": "user", "content": "My usual is an oat milk latte."},
    *({"role": "user", "content": f"The weather on day {day} was grey."} for day in range(4)),
]


async def test_a_reading_that_failed_is_tried_again_and_a_store_that_is_down_is_seen(
    browser: Browser, tmp_path: Path
) -> None:
    works = False

    def script(_: dict[str, object]) -> Turn:
        return good(ANSWER) if works else broken_down()

    with chat_server(script) as host:
        chat = {"base_url": host.url, "small": False, "max_retries": 0}
        with running(str(tmp_path / "memory.db"), server={"studio": True}, chat=chat) as server:
            space = new_space()
            with server.client(server.key(space)) as client:
                client.put("/api/settings/memory", json={"extractors": ["facts"]}).raise_for_status()
                client.post("/api/sessions/talk/messages", json={"messages": TALK}).raise_for_status()
                client.post("/api/upkeep/extract").raise_for_status()
                assert client.get("/api/extractions", params={"status": "failed"}).json()["items"]
            async with visiting(browser, server) as visitor:
                page = visitor.page
                await visitor.enter(space, Role.ADMIN)
                await visitor.go("/studio/engine")
                failed = page.get_by_role("region", name="Readings that failed")
                await failed.get_by_text("talk").wait_for()
                works = True
                await failed.get_by_role("button", name="Try again").click()
                await expect(failed).to_have_count(0)
                await page.get_by_role("button", name="Test: Chat model").click()
                await page.get_by_text("It answers").wait_for()
                store = page.get_by_role("region", name="Vector store beside the database")
                await store.get_by_role("switch", name="Search in another store").click()
                await store.get_by_label("Host", exact=True).fill("127.0.0.1")
                await store.get_by_label("Port", exact=True).fill("9")
                await store.get_by_role("button", name="Save").click()
                await store.get_by_text("Vectors are searched in qdrant").wait_for()
                await store.get_by_role("button", name="Does it answer?").click()
                await expect(store.get_by_role("status").first).to_contain_text(re.compile("127.0.0.1:9"))
                await store.get_by_role("switch", name="Search in another store").click()
                await store.get_by_role("button", name="Save").click()
                await store.get_by_text("Vectors are searched in the database").wait_for()
                await visitor.go("/studio/memories")
                await page.get_by_role("button", name="coffee: Oat milk latte", exact=True).wait_for()
