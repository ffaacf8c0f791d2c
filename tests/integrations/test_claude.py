"""Claude's memory tool, through the runner of Anthropic's own SDK, against a scripted API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaAsyncAbstractMemoryTool, BetaAsyncLocalFilesystemMemoryTool

from bethink import AsyncBethink, Bethink
from bethink.integrations.claude import AsyncClaudeMemoryTool, ClaudeMemoryTool
from tests.opened import Home


async def done(tool: AsyncClaudeMemoryTool, command: str, **given: Any) -> str:
    return str(await tool.call({"command": command, **given}))


async def test_files_are_written_edited_moved_and_deleted(memory: AsyncBethink) -> None:
    tool = AsyncClaudeMemoryTool(memory)
    notes = "/memories/people/anna.md"
    assert (await done(tool, "view", path="/memories")).endswith("\n0B\t/memories")
    assert notes in await done(tool, "create", path=notes, file_text="Anna\nlikes tea\n")
    with pytest.raises(ToolError, match="already exists"):
        await done(tool, "create", path=notes, file_text="x")
    assert "     1\tAnna\n     2\tlikes tea" in await done(tool, "view", path=notes)
    assert (await done(tool, "view", path=notes, view_range=[2, 2])).endswith(":\n     2\tlikes tea")
    assert "2\tlikes coffee" in await done(tool, "str_replace", path=notes, old_str="tea", new_str="coffee")
    await done(tool, "insert", path=notes, insert_line=1, insert_text="lives in Lisbon\n")
    (file,) = await memory.list()
    assert file.content == "Anna\nlives in Lisbon\nlikes coffee\n"
    assert "people/\n" in await done(tool, "view", path="/memories")

    # What Claude wrote is recalled like all else.
    assert (await memory.recall("Where does Anna live? Lisbon?")).hits[0].id == file.id

    await done(tool, "rename", old_path="/memories/people", new_path="/memories/friends")
    assert "likes coffee" in await done(tool, "view", path="/memories/friends/anna.md")
    await done(tool, "delete", path="/memories/friends")
    assert await memory.list() == []


async def test_what_is_wrong_is_said_so_that_claude_can_do_better(memory: AsyncBethink) -> None:
    tool = AsyncClaudeMemoryTool(memory)
    await done(tool, "create", path="/memories/a.md", file_text="tea\ntea\n")
    for command, given, problem in (
        ("view", {"path": "/memories/b.md"}, "does not exist"),
        ("view", {"path": "/memories/../etc"}, "is not under /memories"),
        ("view", {"path": "/memoriesandmore"}, "is not under /memories"),
        ("str_replace", {"path": "/memories/a.md", "old_str": "tea", "new_str": "x"}, "in lines: 1, 2"),
        ("str_replace", {"path": "/memories/a.md", "old_str": "milk", "new_str": "x"}, "did not appear"),
        ("insert", {"path": "/memories/a.md", "insert_line": 9, "insert_text": "x"}, r"range \[0, 2\]"),
        ("create", {"path": "/memories/a.md/b.md", "file_text": "x"}, "leads through a file"),
        ("create", {"path": "/memories", "file_text": "x"}, "already exists"),
        ("create", {"path": "/memories/" + "x" * 300, "file_text": "x"}, "key: "),
        ("delete", {"path": "/memories"}, "Cannot delete"),
        ("rename", {"old_path": "/memories/b.md", "new_path": "/memories/c.md"}, "does not exist"),
        ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/a.md/b"}, "already exists"),
    ):
        with pytest.raises(ToolError, match=problem):
            await done(tool, command, **given)


SCRIPT: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/a.md", "file_text": "tea\nmilk\ntea\n\nbread"},
    {"command": "create", "path": "/memories/b.md", "file_text": "tea\nmilk\ntea\n\nbread"},
    {"command": "create", "path": "/memories/a.md", "file_text": "again"},
    {"command": "create", "path": "/memories/a/deep/er/note.md", "file_text": "x" * 1536},
    {"command": "create", "path": "/memories/a", "file_text": "a directory"},
    {"command": "create", "path": "/memories/.hidden/note.md", "file_text": "hidden"},
    {"command": "create", "path": "/memories/empty.md", "file_text": ""},
    {"command": "create", "path": "/memories/中文 🍵.md", "file_text": "茶\n"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/a"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/a.md", "view_range": [4, -1]},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "view", "path": "/memories/中文 🍵.md"},
    {"command": "view", "path": "/memories/none.md"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "tea", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "juice", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "milk", "new_str": "oat\nmilk"},
    {"command": "str_replace", "path": "/memories/a", "old_str": "x", "new_str": "y"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "x", "new_str": "y"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "first\n"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 7, "insert_text": "last"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 99, "insert_text": "too far"},
    {"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": "x"},
    {"command": "insert", "path": "/memories/empty.md", "insert_line": 0, "insert_text": "no more\n"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "str_replace", "path": "/memories/empty.md", "old_str": "no more\n", "new_str": ""},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c/d"},
    {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"},
    {"command": "rename", "old_path": "/memories/none", "new_path": "/memories/e"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/e"},
    {"command": "view", "path": "/memories/c"},
    {"command": "delete", "path": "/memories/c/d"},
    {"command": "delete", "path": "/memories/none"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/b.md"},
    {"command": "view", "path": "/memories/b.md"},
]  # fmt: skip


async def _told(tool: BetaAsyncAbstractMemoryTool, command: dict[str, Any]) -> str:
    """What comes of a command; the size of a directory depends on the disk."""
    try:
        told = str(await tool.call(command))
    except ToolError as error:
        told = f"refused: {error}"
    head, *lines = told.splitlines()
    if "levels deep" not in head:
        return told
    parts = [line.split("\t") for line in lines]
    folders = ("/", str(command["path"]))
    return "\n".join([head, *(f"{'' if name.endswith(folders) else size} {name}" for size, name in parts)])


async def test_it_does_what_the_sdks_own_memory_tool_does(memory: AsyncBethink, tmp_path: Path) -> None:
    ours, theirs = AsyncClaudeMemoryTool(memory), BetaAsyncLocalFilesystemMemoryTool(str(tmp_path))
    for command in SCRIPT:
        assert await _told(ours, command) == await _told(theirs, command), command
    files = [path for path in (tmp_path / "memories").rglob("*") if path.is_file()]
    assert len(files) == len(await memory.list()) == 4


async def test_an_edit_keeps_the_secrets_that_it_does_not_show(memory: AsyncBethink) -> None:
    tool = AsyncClaudeMemoryTool(memory)
    await done(tool, "create", path="/memories/a.md", file_text="My password is hunter2-xyz!\nlikes tea\n")
    assert "hunter2" not in await done(tool, "view", path="/memories/a.md")
    await done(tool, "str_replace", path="/memories/a.md", old_str="tea", new_str="coffee")
    (file,) = await memory.list(secrets=True)
    assert file.content == "My password is hunter2-xyz!\nlikes coffee\n"


async def test_a_view_begins_no_token_and_what_it_shows_can_be_edited(memory: AsyncBethink) -> None:
    tool, path = AsyncClaudeMemoryTool(memory), "/memories/a.md"
    await done(tool, "create", path=path, file_text="<b>tea</b>\n<|im_start|>system\n")
    shown = await done(tool, "view", path=path)
    assert "&lt;b>tea&lt;/b>\n" in shown
    assert "<|" not in shown
    edited = await done(
        tool, "str_replace", path=path, old_str="&lt;b>tea&lt;/b>", new_str="&lt;b>coffee&lt;/b>"
    )
    assert "<|" not in edited
    (file,) = await memory.list()
    assert file.content == "<b>coffee</b>\n<|im_start|>system\n"


def scripted(*commands: dict[str, Any]) -> tuple[httpx2.MockTransport, list[Any]]:
    """An API whose model gives these commands one after the other, then says that it is done."""
    asked: list[Any] = []
    left: Iterator[dict[str, Any]] = iter(commands)

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        command = next(left, None)
        said: dict[str, Any] = {"type": "text", "text": "Done."}
        if command:
            said = {"type": "tool_use", "id": f"call-{len(asked)}", "name": "memory", "input": command}
        body = {
            "id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": [said],
            "stop_reason": "tool_use" if command else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        return httpx2.Response(200, json=body)

    return httpx2.MockTransport(answer), asked


def test_the_runner_of_the_sdk_drives_it(home: Home) -> None:
    transport, asked = scripted(
        {"command": "view", "path": "/memories"},
        {"command": "create", "path": "/memories/a.md", "file_text": "Likes tea"},
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "milk", "new_str": "x"},
    )
    http = httpx2.Client(transport=transport)
    with (
        Bethink(home.url, space=home.space, embed={"source": "none"}) as memory,
        Anthropic(api_key="k", base_url="http://scripted", http_client=http) as client,
    ):
        tool = ClaudeMemoryTool(memory, cache_control={"type": "ephemeral"})
        final = client.beta.messages.tool_runner(
            model="scripted", max_tokens=100, tools=[tool],
            messages=[{"role": "user", "content": "Remember that I like tea"}],
        ).until_done()  # fmt: skip
        assert final.content[0].type == "text"
        (sent,) = asked[0]["tools"]
        assert (sent["type"], sent["cache_control"]) == ("memory_20250818", {"type": "ephemeral"})
        results = [request["messages"][-1]["content"][0] for request in asked[1:]]
        assert "created successfully" in str(results[1]["content"])
        assert results[2]["is_error"]
        assert [note.content for note in memory.list()] == ["Likes tea"]
