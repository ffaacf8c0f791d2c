"""bethink mcp install: the change is shown, asked for, written, and taken back."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cli.running import Cli

FOR_CURSOR = ("--client", "cursor")


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where Cursor keeps its servers, in a home of our own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".cursor" / "mcp.json"


def test_installed_once_and_taken_back(cli: Cli, config: Path, tmp_path: Path) -> None:
    shown = cli("mcp", "install", *FOR_CURSOR, "--database", "notes.db", stdin="n\n")
    assert (shown.code, config.exists()) == (1, False)
    assert '+    "bethink": {' in shown.err
    cli.ok("mcp", "install", *FOR_CURSOR, "--database", "notes.db", stdin="y\n")
    entry = json.loads(config.read_text())["mcpServers"]["bethink"]
    assert Path(entry["command"]).name.startswith(("bethink", "python"))
    assert entry["args"][-3:] == ["mcp", "--database", str(tmp_path / "elsewhere" / "notes.db")]
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert "nothing was done" in cli.ok("mcp", "install", *FOR_CURSOR, "--database", "notes.db").err
    cli.ok("mcp", "uninstall", *FOR_CURSOR, "--yes")
    assert json.loads(config.read_text()) == {}
    assert "nothing was done" in cli.ok("mcp", "uninstall", *FOR_CURSOR, "--yes").err


def test_what_else_is_in_the_file_stays(cli: Cli, config: Path) -> None:
    others = {"theme": "dark", "mcpServers": {"files": {"command": "files"}}}
    config.parent.mkdir()
    config.write_text(json.dumps(others))
    cli.ok("mcp", "install", *FOR_CURSOR, "--yes")
    assert json.loads(config.read_text())["mcpServers"].keys() == {"files", "bethink"}
    cli.ok("mcp", "uninstall", *FOR_CURSOR, "--yes")
    assert json.loads(config.read_text()) == others


def test_a_file_that_is_not_plain_json_is_left_alone(cli: Cli, config: Path) -> None:
    config.parent.mkdir()
    config.write_text("{ // mine\n}")
    refused = cli("mcp", "install", *FOR_CURSOR, "--yes")
    assert refused.code == 1
    assert "left alone" in refused.err
    assert config.read_text() == "{ // mine\n}"


def test_every_client_has_a_place_and_others_are_named(cli: Cli, config: Path) -> None:
    for name in ("claude-desktop", "claude-code", "vscode", "windsurf"):
        cli.ok("mcp", "install", "--client", name, "--yes")
    servers = [json.loads(file.read_text()) for file in config.parents[1].rglob("*.json")]
    assert sum("bethink" in str(one) for one in servers) >= 2  # others are where the system keeps settings
    assert "known are claude-desktop" in cli("mcp", "install", "--client", "emacs").err
    assert "say which" in cli("mcp", "uninstall").err
