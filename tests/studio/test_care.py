"""Setting up, tuning, mending, moving and erasing: what people come to these pages for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.studio.conftest import one_database, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_an_empty_space_is_set_up_step_by_step(browser: Browser, server: Running) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space())
        await page.get_by_role("link", name="Say who is here").click()
        await page.get_by_text("Several persons", exact=True).click()
        await page.get_by_label("Name of the household").fill("The Silvas")
        await page.get_by_role("combobox", name="Timezone").fill("Europe/Lisbon")
        await page.get_by_role("option", name="Europe/Lisbon").click()
        await page.get_by_role("button", name="Save and go on").click()
        first = page.get_by_role("group", name="First person")
        await first.get_by_label("Name").fill("Anna")
        await first.get_by_label("Pronouns").fill("she/her")
        await page.get_by_role("button", name="Add a person").click()
        await page.get_by_role("group", name="Person 2").get_by_label("Name").fill("Ben")
        await page.get_by_role("button", name="Save and go on").click()
        await page.get_by_role("button", name="Test: Meaning").click()
        await page.get_by_text("It answers").wait_for()
        await page.get_by_role("button", name="Test: Chat model").click()
        await page.get_by_text("There is no chat model").wait_for()
        await page.get_by_role("button", name="Save and go on").click()
        await page.get_by_text("that the provider bills").wait_for()
        await page.get_by_role("switch", name="Memory in the gateway").click()
        await expect(page.get_by_role("switch", name="Memory in the gateway")).to_be_checked()
        await page.get_by_text("Saved").first.wait_for()
        await page.get_by_role("button", name="Save and go on").click()
        await page.get_by_text("All set").wait_for()
        await visitor.go("/studio/people")
        await expect(page.get_by_label("Name of the household")).to_have_value("The Silvas")
        await page.get_by_role("region", name="Persons").get_by_text("she/her").wait_for()
        await page.get_by_role("button", name="Edit: Ben").click()
        also = page.get_by_role("combobox", name="Also called")
        await also.fill("Benny")
        await also.press("Enter")
        await page.get_by_role("button", name="Save").last.click()
        await page.get_by_role("region", name="Persons").get_by_text("Benny").wait_for()


@one_database
async def test_memories_go_out_as_json_and_come_in_again(
    browser: Browser, server: Running, tmp_path: Path
) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for source, content in (("studio", "The boiler is blue"), ("note", "Trains leave at noon")):
            client.post("/api/memory", json={"content": content, "source": source}).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/memories")
        await page.get_by_label("Source").fill("note")
        await page.get_by_role("status").get_by_text("1 memory").wait_for()
        async with page.expect_download() as waited:
            await page.get_by_role("button", name="Export JSON").click()
        await (await waited.value).save_as(tmp_path / "out.json")
        listed = json.loads((tmp_path / "out.json").read_text())
        assert [one["content"] for one in listed] == ["Trains leave at noon"]
        (tmp_path / "in.json").write_text(json.dumps([*listed, "<script>window.broken=1</script> tea"]))
        (tmp_path / "bad.json").write_text('{"what": 7}')
        field = page.locator("input[type=file]")
        await field.set_input_files(tmp_path / "bad.json")
        await page.get_by_text("bad.json is no JSON list of memories").wait_for()
        await field.set_input_files(tmp_path / "in.json")
        await page.get_by_text("1 stored, 1 known already").wait_for()
        await page.get_by_label("Source").fill("")
        await page.get_by_role("status").get_by_text("3 memories").wait_for()
        assert await page.evaluate("window.broken") is None


async def test_old_memories_are_compacted_after_a_look_at_what_it_comes_to(
    browser: Browser, server: Running
) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for number in range(12):
            said = (
                f"On day {number} Mr Okafor serviced boiler {number}. It took all morning. We had cold tea."
            )
            body = {"content": said, "observedAt": f"2024-03-{number + 1:02}T00:00:00Z"}
            client.post("/api/memory", json=body).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/memories")
        await page.get_by_role("button", name="Compact").click()
        await page.get_by_role("button", name="See what it would come to").click()
        await page.get_by_text("memories would become").wait_for()
        await page.get_by_role("status").get_by_text("12 memories", exact=True).wait_for()
        await page.get_by_role("button", name="Compact now").click()
        await page.get_by_text("are compacted into").wait_for()
        await expect(page.get_by_role("status").get_by_text("12 memories", exact=True)).to_have_count(0)


async def test_the_engine_is_tuned_and_what_is_wrong_is_refused(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        client.post("/api/memory", json={"content": "The boiler is blue"}).raise_for_status()
    waiting = asyncio.Event()

    async def held(route: Route) -> None:
        await waiting.wait()
        await route.continue_()

    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space, Role.ADMIN)
        await visitor.go("/studio/engine")
        await page.route("**/api/memory/health", held)
        await page.get_by_role("button", name="Test it all").click()
        busy = page.locator("[data-loading] .mantine-Button-inner")
        await expect(busy).to_have_text("Test it all")
        assert float(await busy.evaluate("node => getComputedStyle(node).opacity")) > 0.5, "no bare wheel"
        waiting.set()
        await page.get_by_text("Everything works: written, found").wait_for()
        await page.get_by_role("button", name="Dry run: Vectors", exact=True).click()
        await page.get_by_text("dry run").first.wait_for()
        store = page.get_by_role("region", name="Vector store beside the database")
        await store.get_by_role("button", name="Does it answer?").click()
        await store.get_by_text("It answers").wait_for()
        await store.get_by_placeholder("Search the store alone").fill("boiler")
        await store.get_by_role("button", name="Search", exact=True).click()
        await store.get_by_text("The boiler is blue").wait_for()
        await store.get_by_role("button", name="Count what to clean up").click()
        await store.get_by_text("Expired: 0").wait_for()
        options = page.get_by_role("region", name="Options of this space")
        await options.get_by_label("Retention days").fill("90")
        await options.get_by_label("Insight topics").fill("roof")
        await options.get_by_label("Insight topics").press("Enter")
        await options.get_by_role("button", name="Save").click()
        await page.get_by_text("Saved").first.wait_for()
        await page.reload()
        await expect(options.get_by_label("Retention days")).to_have_value("90")
        await options.get_by_text("roof").wait_for()
        await options.get_by_label("Embedding source").fill("no such source")
        await options.get_by_role("button", name="Save").click()
        await options.get_by_role("alert").wait_for()


async def test_texts_keys_audit_and_erasing(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for key in ("a", "b"):
            body = {"content": "My card number is 4111 1111 1111 1111", "key": key}
            client.post("/api/memory", json=body).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space, Role.ADMIN)
        await visitor.go("/studio/texts")
        await page.get_by_role("textbox", name="Soul").fill("You are calm.")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("Saved").first.wait_for()
        await visitor.go("/studio/keys")
        await page.get_by_role("button", name="New key").click()
        await page.get_by_label("What it is for").fill("Kitchen <b>tablet</b>")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("shown only this once").wait_for()
        await page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).last.click()
        await page.get_by_text("Kitchen <b>tablet</b>").first.wait_for()
        await visitor.go("/studio/audit")
        await page.get_by_role("heading", name="Secrets").wait_for()
        await visitor.go("/studio/erase")
        await page.get_by_label("Text", exact=True).fill("card number")
        await page.get_by_role("button", name="See what would go").click()
        await page.get_by_text("This would go").wait_for()
        await page.get_by_label(f"Type {space} to confirm").fill(space)
        await page.get_by_role("button", name="Erase for good").click()
        await page.get_by_text("Complete: nothing of it was found anywhere.").wait_for()
        await visitor.go("/studio/memories")
        await page.get_by_text("No memories yet").wait_for()
