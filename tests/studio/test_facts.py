"""Facts have versions and the journal undoes: both through the pages that show them."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.rest.serving import Running, new_space
from tests.studio.conftest import visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_fact_is_set_changed_and_restored_and_the_journal_undoes_it(
    browser: Browser, server: Running
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space())
        await visitor.go("/studio/facts")
        for value in ("tea", "coffee"):
            await page.get_by_role("button", name="Set a fact").click()
            await page.get_by_label("Category").fill("preferences")
            await page.get_by_label("Name").fill("drink")
            await page.get_by_label("Value").fill(value)
            await page.get_by_role("button", name="Save").click()
            await page.get_by_role("region", name="preferences").get_by_text(value).wait_for()
        await page.get_by_role("button", name="History").click()
        await page.get_by_text("superseded by coffee").wait_for()
        await page.get_by_role("button", name="Restore").click()
        await expect(page.get_by_role("dialog").locator("b")).to_have_text("tea")
        await visitor.go("/studio/journal")
        await page.get_by_role("button", name="Undo").first.click()
        await page.get_by_text("Undone", exact=True).first.wait_for()
        await visitor.go("/studio/facts")
        await page.get_by_role("region", name="preferences").get_by_text("coffee").wait_for()
