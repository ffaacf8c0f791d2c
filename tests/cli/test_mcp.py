"""bethink mcp install: the change is shown, asked for, written, and taken back."""

from __future__ import annotations

import json
import stat
import sys
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


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep settings elsewhere")
def test_every_client_has_its_file_and_its_words(
    cli: Cli, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = config.parents[1]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "settings"))
    files = {
        "claude-desktop": ("settings/Claude/claude_desktop_config.json", "mcpServers", False),
        "claude-code": (".claude.json", "mcpServers", True),
        "vscode": ("settings/Code/User/mcp.json", "servers", True),
        "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers", False),
    }
    for name, (file, servers, typed) in files.items():
        cli.ok("mcp", "install", "--client", name, "--yes")
        entry = json.loads((home / file).read_text())[servers]["bethink"]
        assert entry["args"][-1] == "mcp"
        assert entry.get("type") == ("stdio" if typed else None)
        cli.ok("mcp", "uninstall", "--client", name, "--yes")
        assert json.loads((home / file).read_text()) == {}


def test_other_clients_are_told_what_to_do(cli: Cli, config: Path) -> None:
    assert "known are claude-desktop" in cli("mcp", "install", "--client", "emacs").err
    assert "LibreChat connects to a server" in cli("mcp", "install", "--client", "librechat").err
    assert "say which" in cli("mcp", "uninstall").err
    assert not config.exists()
