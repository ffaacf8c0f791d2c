"""MCP over stdio: a client starts `bethink mcp` itself, on both databases."""

from __future__ import annotations

import os
import sys

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

from bethink import AsyncBethink


async def test_a_client_starts_the_server_and_what_it_kept_is_there_afterwards(database_url: str) -> None:
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "bethink", "mcp", "--database", database_url],
        env={**os.environ, "BETHINK_EMBED_SOURCE": "none"},
    )
    async with Client(started) as mcp:
        kept = await mcp.call_tool("remember", {"content": "Anna is allergic to peanuts"})
        assert isinstance(kept, CallToolResult)
        assert isinstance(kept.structured_content, dict)
        found = await mcp.call_tool("recall", {"query": "peanuts"})
        assert kept.structured_content["id"] in str(found)
    async with AsyncBethink(database_url, embed={"source": "none"}) as memory:
        assert [note.content for note in await memory.list()] == ["Anna is allergic to peanuts"]
        assert {line.actor for line in (await memory.journal()).items} == {"mcp"}
