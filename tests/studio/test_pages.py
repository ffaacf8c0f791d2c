"""Every page: it shows what there is, nobody is shut out of it, and nothing that is remembered runs in it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.studio.conftest import SCREENSHOTS, one_database, other_database, visiting
from tests.studio.pages import AXE, PATHS, name_of

pytestmark = pytest.mark.asyncio(loop_scope="package")
MOST_SHIFT = 0.1  # of the page and of what is seen of it, beyond which people notice
LOOKS = [("light", 1280), ("dark", 1280), ("phone", 390)]


async def settled(page: Page) -> None:
    """Wait until a page has drawn all that it asked for."""
    await page.get_by_role("heading", level=1).wait_for()
    await expect(page.locator(".waiting")).to_have_count(0)


async def faults(page: Page) -> list[str]:
    """What axe finds wrong with a page."""
    await page.evaluate(AXE.read_text())
    found: dict[str, Any] = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{fault['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


async def shifted(page: Page) -> float:
    """How much of what stood on a page moved while it was drawn, as browsers measure it."""
    moved: float = await page.evaluate(
        """() => new Promise(done => {
          let sum = 0;
          new PerformanceObserver(list => {
            for (const one of list.getEntries()) sum += one.value;
          }).observe({ type: "layout-shift", buffered: true });
          setTimeout(() => done(sum), 50);
        })"""
    )
    return moved


@one_database
@pytest.mark.parametrize(("look", "width"), LOOKS)
async def test_every_page_is_whole_accessible_and_runs_nothing_it_shows(
    browser: Browser, server: Running, told: str, look: str, width: int
) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    async with visiting(browser, server, look, width) as visitor:
        page = visitor.page
        await visitor.enter(told, Role.ADMIN)
        moved: dict[str, float] = {}
        for path in PATHS:
            await visitor.go(path)
            await settled(page)
            moved[path] = await shifted(page)  # before the picture, for which the browser's window grows
            await page.screenshot(path=SCREENSHOTS / f"{name_of(path)}-{look}.png", full_page=True)
            assert await faults(page) == [], path
            assert await page.evaluate("window.broken") is None, path
            assert await page.evaluate("document.body.scrollWidth <= window.innerWidth"), (
                f"{path} is too wide"
            )
        assert {path: share for path, share in moved.items() if share > MOST_SHIFT} == {}


@other_database
async def test_every_page_shows_what_there_is_on_the_other_database(
    browser: Browser, server: Running, told: str
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told, Role.ADMIN)
        for path in PATHS:
            await visitor.go(path)
            await settled(page)
            await expect(page.get_by_role("alert")).to_have_count(0)
        await visitor.go("/studio/memories")
        await page.get_by_role("button", name="Anna is allergic to peanuts").first.wait_for()


@one_database
async def test_pages_of_an_empty_space_say_what_belongs_there(browser: Browser, server: Running) -> None:
    async with visiting(browser, server) as visitor:
        await visitor.enter(new_space())
        SCREENSHOTS.mkdir(exist_ok=True)
        for path in PATHS:
            await visitor.go(path)
            await settled(visitor.page)
            await visitor.page.screenshot(path=SCREENSHOTS / f"{name_of(path)}-empty.png", full_page=True)
        await visitor.go("/studio/memories")
        await visitor.page.get_by_text("Add one, or let a conversation be observed").wait_for()


@one_database
async def test_the_policy_stops_scripts_that_get_into_a_page(
    browser: Browser, server: Running, told: str
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(told)
        await page.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "window.broken = 1";
              document.body.append(script);
              document.body.insertAdjacentHTML("beforeend", '<img src="/x" onerror="window.broken = 1">');
              document.body.insertAdjacentHTML("beforeend", "<style>body { display: none }</style>");
            }"""
        )
        await page.wait_for_load_state("networkidle")
        assert await page.evaluate("window.broken") is None
        assert await page.get_by_role("heading", name="Home").is_visible()
        assert len(visitor.complaints) >= 3
        assert all("Content Security Policy" in complaint for complaint in visitor.complaints)
        visitor.complaints.clear()
