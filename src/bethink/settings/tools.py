"""Sections of the settings about what models may call, and MCP."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from bethink.settings.sections import HostUrl, Section, listed


class ToolSettings(Section):
    """The tools that models call: over MCP, through the gateway, from programs."""

    form: Literal["many", "one"] = Field(
        "many",
        description="`many` tools, one for each thing to do; or `one` tool `memory` with an `action`, for"
        " small models.",
    )
    max_tokens: int = Field(4000, ge=100, le=100_000, description="Most tokens of one answer of a tool.")


class McpSettings(Section):
    """The MCP server under /mcp."""

    enabled: bool = Field(True, description="Whether there is one.")
    max_body_bytes: int = Field(4_000_000, ge=1024, description="Largest request body under /mcp.")
    url: HostUrl | None = Field(
        None, description="Its public address, where that is not the one that a request names."
    )
    authorization_servers: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=list,
        description="Servers that hand out keys of Bethink by OAuth, such as `https://login.example.com`: a"
        " list, or text with commas. Clients find them by the metadata of the protected resource.",
    )
