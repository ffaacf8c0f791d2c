"""Clients that start MCP servers themselves: where each keeps its settings, and the entry that is ours."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bethink.errors import InvalidInput

NAME = "bethink"


@dataclass(frozen=True)
class Client:
    """A program that reads a JSON file with the servers it is to start."""

    title: str
    file: Callable[[], Path]
    servers: str = "mcpServers"  # the object that holds them
    typed: bool = False  # an entry says that it speaks stdio


def _of_applications(*parts: str) -> Path:
    """Where programs with windows keep their settings."""
    if sys.platform == "darwin":
        return Path.home().joinpath("Library", "Application Support", *parts)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming")).joinpath(*parts)
    return Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config")).joinpath(*parts)


CLIENTS: Mapping[str, Client] = {
    "claude-desktop": Client(
        "Claude Desktop", lambda: _of_applications("Claude", "claude_desktop_config.json")
    ),
    "claude-code": Client("Claude Code", lambda: Path.home() / ".claude.json", typed=True),
    "cursor": Client("Cursor", lambda: Path.home() / ".cursor" / "mcp.json"),
    "vscode": Client(
        "VS Code", lambda: _of_applications("Code", "User", "mcp.json"), servers="servers", typed=True
    ),
    "windsurf": Client("Windsurf", lambda: Path.home() / ".codeium" / "windsurf" / "mcp_config.json"),
}
BY_HAND = {"open-webui": "Open WebUI", "librechat": "LibreChat", "n8n": "n8n"}  # which connect to a server


def client_called(name: str) -> Client:
    """The client of this name."""
    if name in BY_HAND:
        raise InvalidInput(
            f"client: {BY_HAND[name]} connects to a server (`bethink serve`) and keeps its settings there;"
            " docs/mcp.md says what to enter.",
            field="client",
        )
    if name not in CLIENTS:
        raise InvalidInput(f"client: {name!r} is not known; known are {', '.join(CLIENTS)}.", field="client")
    return CLIENTS[name]


def with_us(client: Client, path: Path, text: str, command: list[str]) -> str:
    """The client's settings with our entry."""
    values = _parsed(path, text)
    entry = {"type": "stdio"} if client.typed else {}
    servers = {**_servers(client, path, values), NAME: {**entry, "command": command[0], "args": command[1:]}}
    return _written({**values, client.servers: servers})


def without_us(client: Client, path: Path, text: str) -> str:
    """The client's settings without our entry; as they are where there is none."""
    values = _parsed(path, text)
    servers = _servers(client, path, values)
    if NAME not in servers:
        return text
    left = {name: entry for name, entry in servers.items() if name != NAME}
    rest = {name: value for name, value in values.items() if name != client.servers}
    return _written({**values, client.servers: left} if left else rest)


def difference(path: Path, before: str, after: str) -> str:
    """What changes in a file, line by line."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{path} (now)", f"{path} (then)", lineterm=""
    )
    return "\n".join(lines)


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        values = json.loads(text) if text.strip() else {}
    except ValueError as error:
        problem = f"{path} is not plain JSON ({error}), so it is left alone"
        raise InvalidInput(f"{problem}; docs/mcp.md shows what to write into it.", field="file") from None
    if not isinstance(values, dict):
        raise InvalidInput(f"{path} holds no JSON object, so it is left alone.", field="file")
    return values


def _servers(client: Client, path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    servers = values.get(client.servers, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{path}: {client.servers} is no object, so it is left alone.", field="file")
    return servers


def _written(values: Mapping[str, Any]) -> str:
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"
