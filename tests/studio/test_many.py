"""A hundred thousand memories: the list begins at once, draws what is in view, and has an end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from bethink.core import Core
from bethink.memory import AsyncBethink
from bethink.records import Memory, Space
from bethink.store import Tx, rows, spaces
from tests.rest.serving import Running, new_space
from tests.studio.conftest import one_database, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")
COUNT = 100_000
BEGIN = datetime(2020, 1, 1, tzinfo=UTC)


def fill(tx: Tx, space_id: str) -> None:
    one = Memory(id="m", space_id=space_id, content="", observed_at=BEGIN, created_at=BEGIN, updated_at=BEGIN)
    same = rows.table_of(Memory).columns(one)
    for start in range(0, COUNT, 10_000):
        numbers = range(start, start + 10_000)
        tx.many(
            "rows.insert",
            [{**same, **different(number)} for number in numbers],
            table="memories",
            columns=", ".join(same),
            values=", ".join(f":{name}" for name in same),
        )


def different(number: int) -> dict[str, Any]:
    at = rows.micros(BEGIN + timedelta(minutes=number))
    return {"id": f"m{number:06}", "content": f"Note number {number}", "observed_at": at, "created_at": at}


async def opened(memory: AsyncBethink) -> Core:
    return await memory.inside.opened()


@one_database
async def test_a_list_of_a_hundred_thousand(browser: Browser, server: Running) -> None:
    name = new_space()
    key = server.key(name)
    core = server.call(opened(server.memory))
    space: Space = next(one for one in server.call(core.driver.read(spaces.list_all)) if one.name == name)
    server.call(core.driver.write(fill, space.id))
    assert key
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(name)
        await visitor.go("/studio/memories")
        await expect(page.get_by_role("listitem").first).to_contain_text(f"Note number {COUNT - 1}")
        await page.get_by_role("status").get_by_text("100,000 memories").wait_for()
        assert await page.get_by_role("listitem").count() < 60
        await page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        await page.get_by_text("Note number 0", exact=True).wait_for()
        assert await page.get_by_role("listitem").count() < 60
