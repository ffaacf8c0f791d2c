"""What people come to a page for, and what they see when something is in the way."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.studio.conftest import one_database, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_memory_is_added_corrected_deleted_and_brought_back(
    browser: Browser, server: Running
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space())
        await visitor.go("/studio/memories?add=1")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_label("What to remember")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("What to remember").fill("Anna is allergic to peanuts")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_role("button", name="Anna is allergic to peanuts", exact=True).click()
        await page.get_by_role("button", name="Edit", exact=True).click()
        await page.get_by_label("What to remember").fill("Anna is allergic to peanuts and to cashews")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("and to cashews").first).to_be_visible()
        await page.get_by_role("button", name="Pin", exact=True).click()
        await page.get_by_role("button", name="Unpin").wait_for()
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_text("No memories yet").wait_for()
        await page.get_by_text("Deleted: 1").locator("..").get_by_role("button", name="Undo").click()
        text = "Anna is allergic to peanuts and to cashews"
        await page.get_by_role("button", name=f"Edit in place: {text}").click()
        row = page.get_by_role("list", name="Memories")
        await row.get_by_label("What to remember").fill("Anna may not eat nuts")
        await row.get_by_label("What to remember").press("Enter")
        await page.get_by_role("button", name="Anna may not eat nuts", exact=True).wait_for()
        await page.get_by_role("button", name="Undo").last.click()
        await page.get_by_role("button", name=text, exact=True).wait_for()


async def test_many_memories_are_found_and_changed_at_once(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for content in ("The boiler is blue", "The boat is green", "Trains leave at noon"):
            client.post("/api/memory", json={"content": content}).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/memories")
        await page.get_by_role("status").get_by_text("3 memories").wait_for()
        await page.get_by_label("Search memories").fill("boiler")
        await expect(page.get_by_role("listitem").first).to_contain_text("The boiler is blue")
        await page.get_by_label("Search memories").fill("")
        await page.get_by_role("status").get_by_text("3 memories").wait_for()
        await page.get_by_label("Select: The boat").check()
        await page.get_by_label("Select: Trains").check()
        await page.get_by_label("Add a tag").fill("travel")
        await page.get_by_label("Add a tag").press("Enter")
        await expect(page.get_by_text("#travel")).to_have_count(2)
        await page.get_by_label("Tag", exact=True).fill("travel")
        await page.get_by_role("status").get_by_text("2 memories").wait_for()
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_text("Nothing matches").wait_for()
        await page.get_by_label("Tag", exact=True).fill("")
        await page.get_by_label("Select all 3 shown").check()
        await page.get_by_label("Select: The boat").uncheck()
        await page.get_by_role("button", name="Pin", exact=True).click()
        await expect(page.get_by_role("img", name="Pinned")).to_have_count(2)
        await page.get_by_role("button", name="Undo").last.click()
        await expect(page.get_by_role("img", name="Pinned")).to_have_count(0)


async def test_the_playground_shows_scores_and_the_prompt(
    browser: Browser, server: Running, told: str
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told)
        await visitor.go("/studio/playground")
        await page.get_by_label("Ask something").fill("What must Anna not eat?")
        await page.get_by_label("Compare two settings").check()
        await page.get_by_role("button", name="Recall").click()
        first = page.get_by_role("region", name=re.compile("Settings A"))
        await first.get_by_text("allergic to peanuts").wait_for()
        await expect(first.get_by_role("img", name=re.compile("Words .*, Meaning"))).not_to_have_count(0)
        await first.get_by_text("(cosine").first.wait_for()
        await (
            page.get_by_role("region", name=re.compile("Settings B"))
            .get_by_text("Answered by recent")
            .wait_for()
        )
        recent = page.get_by_role("region", name="The prompt · Settings B")
        await recent.get_by_text("A prompt is made as the space has it").wait_for()
        prompt = page.get_by_role("region", name="The prompt · Settings A")
        await expect(prompt.get_by_text("A prompt is made as the space has it")).to_have_count(0)
        await prompt.get_by_text("You are calm and brief.").wait_for()
        await prompt.get_by_text("Provider caches keep everything above this line").wait_for()
        await prompt.get_by_text("Recalled, but not in the prompt").wait_for()
        reasons = "not near enough|says it already|another line says|took its place|worth telling"
        await expect(prompt.locator("details li").first).to_contain_text(re.compile(reasons))


async def test_a_lost_server_is_noticed_and_found_again(browser: Browser, server: Running, told: str) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told)
        await visitor.go("/studio/memories")
        await page.get_by_role("listitem").first.wait_for()
        await visitor.context.set_offline(True)
        await page.get_by_label("Search memories").fill("boiler")
        await page.get_by_text("The server cannot be reached. Trying again").wait_for()
        await visitor.context.set_offline(False)
        await expect(page.get_by_text("The server cannot be reached")).to_have_count(0)
        await expect(page.get_by_role("listitem").first).to_contain_text("boiler")


async def test_an_ended_session_asks_for_a_key_and_goes_on(
    browser: Browser, server: Running, told: str
) -> None:
    key = server.key(told, Role.READER)
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told, Role.READER)
        await visitor.go("/studio/memories")
        await page.get_by_role("listitem").first.wait_for()
        await visitor.context.clear_cookies()
        await page.get_by_label("Search memories").fill("boiler")
        await page.get_by_text("Your session has ended").wait_for()
        await page.get_by_label("Or paste a key").fill("bk_wrong")
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_text("This key is unknown or was revoked").wait_for()
        await page.get_by_label("Or paste a key").fill(key)
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("heading", name="Memories").wait_for()
        await expect(page.get_by_role("button", name="Add a memory")).to_have_count(0)


@one_database
async def test_the_keyboard_alone_is_enough(browser: Browser, server: Running, told: str) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told)
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        link = page.get_by_role("link", name="Memories", exact=True)
        for _ in range(10):
            await page.keyboard.press("Tab")
            if await link.evaluate("node => node === document.activeElement"):
                break
        await page.keyboard.press("Enter")
        row = page.get_by_role("listitem").first.get_by_role("button").first
        await row.focus()
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog").get_by_role("button", name="Edit").wait_for()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)


@one_database
async def test_the_language_and_the_colours_are_kept(browser: Browser, server: Running, told: str) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told)
        await page.get_by_label("Account").click()
        await page.get_by_role("menuitem", name="Dark").click()
        await page.get_by_label("Account").click()
        await page.get_by_role("menuitem", name="中文").click()
        await page.get_by_role("heading", name="首页").wait_for()
        await page.reload()
        await page.get_by_role("heading", name="首页").wait_for()
        assert await page.locator("html").get_attribute("lang") == "zh"
        assert await page.locator("html").get_attribute("data-mantine-color-scheme") == "dark"
