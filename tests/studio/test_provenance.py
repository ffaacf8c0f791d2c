"""Why it is remembered: from a fact, a memory or an insight to the words that it was made from."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.studio.conftest import one_database, visiting
from tests.studio.story import HOSTILE, tell

pytestmark = pytest.mark.asyncio(loop_scope="package")
SAID = "We decided to replace the roof before winter."


async def test_what_was_made_of_a_conversation_leads_back_to_it(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        said = [{"role": "user", "content": f"Good morning, day {number}."} for number in range(120)]
        client.post("/api/sessions/long/messages", json={"messages": said}).raise_for_status()
        told = {"messages": [{"role": "user", "content": "My name is Anna. I am allergic to peanuts."}]}
        client.post("/api/sessions/long/messages", json=told).raise_for_status()
        client.post("/api/upkeep/extract").raise_for_status()
        listed = client.get("/api/memory").json()["items"]
        assert [one for one in listed if "peanuts" in one["content"]]
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/facts")
        await page.get_by_role("button", name="History: identity / name").click()
        drawer = page.get_by_role("dialog")
        await drawer.get_by_text("My name is Anna. I am allergic to peanuts.").wait_for()
        await drawer.get_by_role("link", name="In its conversation").click()
        sought = page.locator("li.message[aria-current]")
        await expect(sought).to_contain_text("My name is Anna.")
        await expect(page.get_by_text("Good morning, day 119.")).to_be_visible()
        await expect(page.get_by_text("Good morning, day 3.", exact=True)).to_have_count(0)
        await page.get_by_role("link", name="From the beginning").click()
        await page.get_by_text("Good morning, day 3.", exact=True).wait_for()
        await visitor.go("/studio/memories")
        await page.get_by_role("button", name="peanuts").first.click()
        await drawer.get_by_role("link", name="In its conversation").first.wait_for()


@one_database
async def test_a_fact_without_sources_says_so(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for key, sources in (("drink", []), ("city", ["a message that is gone"])):
            fact = {"category": "home", "key": key, "value": "Porto", "provenance": sources}
            client.put("/api/facts", json=fact).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/facts")
        await page.get_by_role("button", name="History: home / drink").click()
        await page.get_by_role("dialog").get_by_text("It was set directly").wait_for()
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="History: home / city").click()
        await page.get_by_role("dialog").get_by_text("is no longer there").wait_for()


async def test_an_insight_is_read_favoured_weighed_closed_and_deleted(
    browser: Browser, server: Running
) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        tell(client)
        draft = {
            "kind": "task",
            "title": HOSTILE,
            "dedupeKey": "hostile",
            "people": [HOSTILE],
        }
        client.post("/api/insights", json=draft).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/insights")
        decided = page.get_by_role("listitem").filter(has_text=SAID.removesuffix("."))
        await decided.get_by_role("button").click()
        drawer = page.get_by_role("dialog")
        await drawer.get_by_role("heading", name="What was said of it").wait_for()
        await drawer.get_by_role("blockquote").get_by_text(SAID, exact=True).wait_for()
        await drawer.get_by_text("First said").wait_for()
        await drawer.get_by_text("slack · #roof").wait_for()
        await drawer.get_by_role("button", name="Favourite", exact=True).click()
        await drawer.get_by_role("button", name="No favourite").wait_for()
        await drawer.get_by_role("slider", name="Weight").press("ArrowRight")
        await expect(drawer.get_by_role("slider", name="Weight")).to_have_attribute("aria-valuenow", "1.1")
        await drawer.get_by_role("button", name="Close", exact=True).last.click()
        await drawer.get_by_role("button", name="Reopen").wait_for()
        await page.keyboard.press("Escape")
        await expect(decided).to_contain_text("★")
        await expect(decided).to_contain_text("closed")
        await page.get_by_role("switch", name="Favourites only").click()
        await expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(1)
        await decided.get_by_role("button").click()
        await drawer.get_by_role("button", name="Delete").click()
        await page.get_by_text("No insights yet").wait_for()
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_role("switch", name="Favourites only").click()
        await decided.wait_for()
        assert await page.evaluate("window.broken") is None


@one_database
async def test_what_insights_are_made_of_is_set_where_they_are(browser: Browser, server: Running) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space(), Role.ADMIN)
        await visitor.go("/studio/insights")
        await page.get_by_role("button", name="Settings").click()
        drawer = page.get_by_role("dialog")
        muted = drawer.get_by_label("Muted channels")
        await muted.fill("#random")
        await muted.press("Enter")
        await expect(drawer.get_by_label("Retention days")).to_have_count(0)
        await drawer.get_by_role("button", name="Save").click()
        await expect(drawer).to_have_count(0)
        await page.get_by_role("button", name="Settings").click()
        await drawer.get_by_text("#random").wait_for()
