"""Where memory comes from: files, messages and their tiers, and the map of it all."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.rest.serving import Running, new_space
from tests.studio.conftest import one_database, visiting
from tests.studio.story import HOSTILE, tell

pytestmark = pytest.mark.asyncio(loop_scope="package")
HANDBOOK = b"# Handbook\n\n## Gate\n\nThe code of the gate changes on the first Monday of each month.\n"


async def test_a_file_is_dropped_read_searched_and_removed(browser: Browser, server: Running) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space())
        await visitor.go("/studio/documents")
        await page.get_by_text("No documents yet").wait_for()
        name = "<img src=x onerror='window.broken=1'>.md"
        await page.evaluate(
            """([name, text]) => {
              const held = new DataTransfer();
              held.items.add(new File([text], name));
              const zone = document.querySelector(".dropzone");
              zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: held, bubbles: true }));
              zone.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true }));
            }""",
            [name, HANDBOOK.decode()],
        )
        await page.get_by_role("button", name=name).wait_for()
        await page.get_by_text("ready", exact=True).wait_for()
        await page.locator("input[type=file]").set_input_files(
            {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 no more"}
        )
        await page.get_by_text("failed", exact=True).wait_for()
        await page.get_by_label("Search in the documents").fill("when does the gate code change?")
        found = page.get_by_role("region", name="Passages that answer")
        await expect(found.locator("mark").first).to_be_visible()
        await found.get_by_role("button").first.click()
        opened = page.get_by_role("dialog")
        await expect(opened.locator("mark").first).to_contain_text("first Monday")
        await opened.get_by_role("button", name="Remove").click()
        await opened.get_by_role("button", name="Remove it with all its passages").click()
        await page.get_by_text("Nothing matches").wait_for()
        assert await page.evaluate("window.broken") is None


async def test_messages_are_seen_by_tier_and_corrected_and_summaries_open(
    browser: Browser, server: Running
) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        tell(client)
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/conversations?show=summaries")
        await page.get_by_role("button", name="Open its 5 messages").click()
        await page.get_by_text("Who has the key to the attic?", exact=True).wait_for()
        await page.get_by_role("tab", name="Timeline").click()
        await page.get_by_text("Archived", exact=True).click()
        await page.get_by_text("kept word for word").wait_for()
        await expect(page.get_by_text("I love apricot cake")).to_have_count(0)
        await page.get_by_text("Recent", exact=True).click()
        mine = page.locator("li.message").filter(has_text="I love apricot cake")
        await mine.get_by_role("button", name="Actions").click()
        await page.get_by_role("menuitem", name="Ben").click()
        await expect(mine.locator("b")).to_have_text("Ben")
        await page.get_by_role("button", name="Undo").last.click()
        await expect(mine.locator("b")).to_have_text("Anna")
        await mine.get_by_role("button", name="Actions").click()
        await page.get_by_role("menuitem", name="Archive").click()
        await expect(mine).to_have_count(0)


async def test_the_map_is_walked_by_keyboard_and_opens_what_is_chosen(
    browser: Browser, server: Running, told: str
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told)
        await visitor.go("/studio/map")
        points = page.locator("circle[data-point]")
        await points.first.wait_for()
        all_points = await points.count()
        await page.get_by_role("application").focus()
        await page.keyboard.press("ArrowRight")
        chosen = page.get_by_role("region", name="Chosen record")
        await chosen.locator("p.pre").wait_for()
        before = await page.get_by_role("application").get_attribute("viewBox")
        await page.keyboard.press("+")
        assert await page.get_by_role("application").get_attribute("viewBox") != before
        await page.get_by_role("button", name="Zoom out").click()
        await page.get_by_role("button", name="Facts", exact=True).click()
        await expect(points).not_to_have_count(all_points)
        await page.get_by_text("Person", exact=True).click()
        await page.get_by_role("button", name="Anna", exact=True).wait_for()
        await page.locator("circle[data-point^=memory]").first.click()
        await chosen.get_by_role("link", name="Open").click()
        await page.get_by_role("dialog").wait_for()
        assert await page.evaluate("window.broken") is None, HOSTILE


@one_database
async def test_a_memory_that_was_superseded_shows_what_took_its_place(
    browser: Browser, server: Running
) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for session, content in (
            ("a", "My mum is in a care home in Leeds since June."),
            ("b", "We moved mum to a care home in York, the other one closed."),
        ):
            said = {"messages": [{"role": "user", "content": content}]}
            client.post(f"/api/sessions/{session}/messages", json=said).raise_for_status()
            client.post("/api/upkeep/extract").raise_for_status()
    async with visiting(browser, server) as visitor:
        await visitor.enter(space)
        await visitor.go("/studio/memories")
        old = visitor.page.get_by_role("listitem").filter(has_text="Leeds")
        await expect(old).to_contain_text("superseded by: We moved mum to a care home in York")
        await expect(visitor.page.get_by_text("superseded by")).to_have_count(1)
