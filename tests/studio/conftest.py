"""A real browser, and servers with the Studio on each database."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from bethink import studio
from bethink.access import make_link
from bethink.records import Role
from tests.databases import new_database
from tests.rest.serving import Running, new_space, running
from tests.studio.story import tell


@pytest.fixture(scope="package", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that shows the Studio, once on each kind of database."""
    assert studio.is_built(), "build the Studio first: make studio"
    if request.param == "sqlite":
        with running(str(tmp_path_factory.mktemp("studio") / "memory.db"), server={"studio": True}) as server:
            yield server
        return
    given = (str(request.getfixturevalue(name)) for name in ("postgres_server", "postgres_schema"))
    with new_database(*given) as url, running(url, server={"studio": True}) as server:
        yield server


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium."""
    found = shutil.which("chromium")
    assert found, "the Studio is tested in Chromium: apt-get install chromium"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture(scope="package")
def told(server: Running) -> str:
    """A space with something on every page."""
    name = new_space()
    with server.client(server.key(name)) as client:
        tell(client)
    return name


class Visitor:
    """Somebody at a browser: what they see, and what their browser complained about."""

    def __init__(self, server: Running, context: BrowserContext, page: Page) -> None:
        self.server, self.context, self.page = server, context, page
        self.complaints: list[str] = []
        expect.set_options(timeout=60_000)
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "Failed to load resource" not in text:
            self.complaints.append(text)

    async def enter(self, space: str, role: Role = Role.MEMBER) -> None:
        """Sign in by a one-time link."""
        server = self.server
        key = server.call(server.memory.keys.create("studio", space=space, role=role))
        await self.page.goto(f"{server.url}/enter/{server.call(make_link(server.memory, key.id))}")
        await self.page.get_by_role("heading", name="Home").wait_for()

    async def go(self, path: str) -> None:
        """Open a page of the Studio."""
        await self.page.goto(self.server.url + path)


@asynccontextmanager
async def visiting(
    browser: Browser, server: Running, scheme: str = "light", width: int = 1280
) -> AsyncIterator[Visitor]:
    """A visitor with a new browser profile. Whatever the browser complained of fails the test."""
    context = await browser.new_context(
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": width, "height": 860},
        locale="en-GB",
        reduced_motion="reduce",
    )
    visitor = Visitor(server, context, await context.new_page())
    visitor.page.set_default_timeout(60_000)  # a slow machine is no failure
    yield visitor
    await context.close()
    assert not visitor.complaints


one_database = pytest.mark.parametrize("server", ["sqlite"], indirect=True, scope="package")
other_database = pytest.mark.parametrize("server", ["postgres"], indirect=True, scope="package")
SCREENSHOTS = Path(__file__).parent / "screenshots"
