"""Keys, audits, texts, devices, imports and exports: each main job, done once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from bethink.records import Role
from tests.rest.serving import Running, new_space
from tests.studio.conftest import one_database, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_key_is_switched_renewed_and_revoked(browser: Browser, server: Running) -> None:
    space = new_space()
    old = server.key(space)
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space, Role.ADMIN)
        await visitor.go("/studio/keys")
        row = page.get_by_role("listitem").filter(has_text=space).filter(has_text="test")
        await row.get_by_label("Memory in the gateway").click()
        await page.get_by_role("option", name="Memory: off").click()
        await page.get_by_text("Saved").first.wait_for()
        await page.reload()
        await expect(row.get_by_role("combobox")).to_have_value("Memory: off")
        await row.get_by_role("button", name="New secret").click()
        secret = await page.get_by_role("dialog").locator("code").inner_text()
        await page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).last.click()
        for key, status in ((old, 401), (secret, 200)):
            with server.client(key) as client:
                assert client.get("/api/stats").status_code == status
        await row.get_by_role("button", name="Revoke").click()
        await row.get_by_text("revoked").wait_for()
        with server.client(secret) as client:
            assert client.get("/api/stats").status_code == 401


async def test_what_an_audit_finds_is_mended_by_one_click(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        for key in ("a", "b"):
            body = {"content": "The spare key is under the blue pot by the back door", "key": key}
            client.post("/api/memory", json=body).raise_for_status()
        client.post(
            "/api/memory", json={"content": "My card number is 4111 1111 1111 1111"}
        ).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/audit")
        await page.get_by_role("button", name="Merge").first.click()
        await page.get_by_text("Mended: 1").wait_for()
        await expect(page.get_by_role("button", name="Merge")).to_have_count(0)
        await page.get_by_role("button", name="Erase for good").click()
        await page.get_by_text("Nothing to mend").wait_for()
        await visitor.go("/studio/memories")
        await page.get_by_role("status").get_by_text("1 memory").wait_for()


async def test_all_goes_out_as_one_file_and_comes_in_elsewhere(
    browser: Browser, server: Running, tmp_path: Path
) -> None:
    space, elsewhere = new_space(), new_space()
    with server.client(server.key(space)) as client:
        client.post("/api/memory", json={"content": "The boiler is blue"}).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/transfer")
        async with page.expect_download() as waited:
            await page.get_by_role("button", name="Export").click()
        await (await waited.value).save_as(tmp_path / "bethink.jsonl")
    (tmp_path / "nothing.bin").write_bytes(bytes(range(256)) * 8)
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(elsewhere)
        await visitor.go("/studio/transfer")
        field, imports = page.locator("input[type=file]"), page.get_by_role("button", name="Import")
        await field.set_input_files(tmp_path / "nothing.bin")
        await imports.click()
        await page.get_by_role("alert").wait_for()
        await field.set_input_files(tmp_path / "bethink.jsonl")
        await imports.click()
        await page.get_by_text("Imported as").wait_for()
        await visitor.go("/studio/memories")
        await page.get_by_role("button", name="The boiler is blue", exact=True).wait_for()


async def test_contexts_and_the_narrative_are_written_and_seen_as_a_model_gets_them(
    browser: Browser, server: Running
) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space())
        await visitor.go("/studio/texts")
        await page.get_by_role("tab", name="Narrative").click()
        await page.get_by_role("textbox", name="Narrative").fill("Anna moved to Porto in May.")
        await page.get_by_role("button", name="Save").click()
        preview = page.get_by_role("region", name="In a prompt")
        await preview.get_by_text("Anna moved to Porto in May.").wait_for()
        await page.get_by_role("tab", name="Contexts").click()
        await page.get_by_role("button", name="Add a context").first.click()
        await page.get_by_label("Name").fill("House rules")
        await page.get_by_role("textbox", name="Text").fill("Shoes off at the door.")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_role("button", name="Edit: House rules").click()
        await page.get_by_role("textbox", name="Text").fill("Shoes on at the door.")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("Shoes on at the door.").wait_for()
        await page.get_by_role("button", name="Edit: House rules").click()
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_text("No contexts yet").wait_for()
        await page.get_by_role("tab", name="Files").click()
        file = page.get_by_label("MEMORY.md")
        await file.fill("## home\n\n- city: Porto\n- no fact\n")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("line 4 is not '- key: value'").wait_for()
        await file.fill("## home\n\n- city: Porto\n- boat: Gaivota\n")
        await page.get_by_role("button", name="Save").click()
        await expect(file).to_have_value(re.compile("- boat: Gaivota\n- city: Porto"))
        await visitor.go("/studio/facts")
        await page.get_by_role("region", name="home").get_by_text("Gaivota").wait_for()


@one_database
async def test_a_device_is_given_to_a_person(browser: Browser, server: Running) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        household = {"mode": "multi", "persons": [{"displayName": "Ines"}, {"displayName": "Ben"}]}
        client.put("/api/household", json=household).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space)
        await visitor.go("/studio/people")
        await page.get_by_role("button", name="Add a device").click()
        device = page.get_by_role("dialog")
        await device.get_by_label("Id, as requests name it").fill("kitchen")
        await device.get_by_role("textbox", name="Name", exact=True).fill("Kitchen tablet")
        await device.get_by_label("Usually used by").click()
        await page.get_by_role("option", name="Ines").click()
        await device.get_by_role("button", name="Save").click()
        devices = page.get_by_role("region", name="Devices")
        await expect(devices.get_by_role("listitem")).to_contain_text("Ines")


@one_database
async def test_vectors_are_made_anew_and_a_stores_key_is_taken_away(
    browser: Browser, server: Running
) -> None:
    space = new_space()
    with server.client(server.key(space)) as client:
        client.post("/api/memory", json={"content": "The boiler is blue"}).raise_for_status()
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(space, Role.ADMIN)
        await visitor.go("/studio/engine")
        await page.get_by_role("button", name="Make all anew").click()
        await page.get_by_text("0 records await a vector.").wait_for()
        with server.client(server.key(space, Role.ADMIN)) as admin:
            admin.put("/api/settings/vectors", json={"apiKey": "a key of a store"}).raise_for_status()
            store = page.get_by_role("region", name="Vector store beside the database")
            await page.reload()
            await store.get_by_role("button", name="Take the key away").click()
            await expect(store.get_by_role("button", name="Take the key away")).to_have_count(0)
            assert admin.get("/api/settings/vectors").json()["hasApiKey"] is False


@one_database
async def test_a_memory_is_added_by_keyboard_alone(browser: Browser, server: Running) -> None:
    async with visiting(browser, server) as visitor:
        page = visitor.page
        await visitor.enter(new_space())
        await visitor.go("/studio/memories")
        await page.get_by_text("No memories yet").wait_for()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")  # skips the menu
        for _ in range(20):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.textContent") == "Add a memory":
                break
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("What to remember")).to_be_focused()
        await page.keyboard.type("Anna is allergic to peanuts")
        for _ in range(20):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.textContent") == "Save":
                break
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Anna is allergic to peanuts", exact=True).wait_for()
        await expect(page.get_by_role("dialog")).to_have_count(0)
