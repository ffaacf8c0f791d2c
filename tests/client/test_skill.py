"""The token's file, the command line over HTTP, and the skill: by its convention, and against a server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bethink.client import read_token, write_token
from bethink.errors import SettingsError
from bethink.records import Role
from tests.cli.running import Cli
from tests.rest.serving import Running, new_space, running

SKILL = Path(__file__).parents[2] / "skills" / "bethink-memory"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("skill")
    with running(str(folder / "memory.db"), files={"folder": str(folder / "files")}) as found:
        yield found


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    return tmp_path / "own" / "bethink" / "token"


def test_a_token_is_kept_for_its_owner_only_and_refused_when_others_can_read_it(config: Path) -> None:
    assert read_token() is None
    assert write_token("bk_secret\n") == config
    assert config.stat().st_mode & 0o777 == 0o600
    assert read_token() == "bk_secret"
    for mode in (0o640, 0o604, 0o620):
        config.chmod(mode)
        with pytest.raises(SettingsError, match="chmod 600"):
            read_token()


def test_the_command_line_works_on_a_server(server: Running, config: Path) -> None:
    cli, remote = Cli(), ("--server", server.url)
    wrong = cli("login", *remote, stdin="nonsense\n")
    assert (wrong.code, config.exists()) == (1, False)
    name = new_space()
    kept = cli.ok("login", *remote, stdin=f"{server.key(name)}\n")
    assert kept.out.startswith(f"kept {config} (space '{name}'")
    assert cli.ok("remember", "Ben likes tea", *remote).out.startswith("stored ")
    assert "Ben likes tea" in cli.ok("recall", "tea", *remote).out
    cli.ok("facts", "set", "home", "city", "Rome", *remote)
    assert cli.ok("facts", "get", "home", "city", *remote).out == "Rome\n"
    id_ = cli.json("insights", "add", "Renew the lease", "--kind", "task", *remote)["id"]
    assert cli.json("insights", "resolve", id_, *remote)["status"] == "closed"
    assert cli.ok("digest", *remote).out.startswith("# The last 7 days")
    for command in (["doctor"], ["migrate"]):
        refused = cli(*command, *remote)
        told = refused.out + refused.err
        assert (refused.code, "does not work with --server" in told) == (1, True), command
    config.chmod(0o644)
    assert "chmod 600" in cli("recall", "tea", *remote).err


def test_the_command_line_looks_after_a_server(server: Running, config: Path, tmp_path: Path) -> None:
    cli, remote = Cli(), ("--server", server.url)
    assert write_token(server.key(new_space(), Role.ADMIN)) == config
    cli.ok("household", "set", "--mode", "multi", *remote)
    assert "Anna" in cli.ok("people", "add", "Anna", *remote).out
    assert "Anna" in cli.ok("household", "show", *remote).out
    cli.ok("devices", "set", "tv", "Television", *remote)
    assert "Television" in cli.ok("devices", "list", *remote).out
    cli.ok("--server", server.url, "options", "set", "insights=rules")
    cli.ok("soul", "set", "Be brief.", *remote)
    assert cli.ok("soul", "show", *remote).out == "Be brief.\n"
    assert cli.ok("upkeep", "run", "insights", *remote).out.startswith("insights: done")
    made = cli.json("keys", "create", "phone", *remote)
    assert "phone" in cli.ok("keys", "list", *remote).out
    assert cli.json("spaces", "list", *remote)
    cli.ok("audit", *remote)
    cli.ok("upkeep", "extract", *remote)
    assert cli.json("export", str(tmp_path / "all.jsonl"), *remote)["counts"]["device"] == 1
    assert cli.ok("import", str(tmp_path / "all.jsonl"), *remote).out.startswith("imported")
    assert made["secret"]


def front_matter() -> dict[str, Any]:
    """The head of SKILL.md: plain `name: value` lines, and one level below `metadata`."""
    head = (SKILL / "SKILL.md").read_text("utf-8").split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines() if re.match(r"[a-z-]+: ", line))


def test_the_skill_keeps_to_the_convention() -> None:
    head = front_matter()
    assert head.keys() <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert head["name"] == SKILL.name
    assert re.fullmatch(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", head["name"])
    assert 0 < len(head["description"]) <= 1024
    assert len(head["compatibility"]) <= 500
    text = (SKILL / "SKILL.md").read_text("utf-8")
    assert text.startswith("---\n")
    assert len(text.splitlines()) < 500
    named = set(re.findall(r"(?:scripts|references)/[\w.-]+", text))
    there = {f"{path.parent.name}/{path.name}" for path in SKILL.glob("*/*")}
    assert named == there - {"scripts/common.sh"}
    assert all(os.access(SKILL / name, os.X_OK) for name in named if name.startswith("scripts/"))


def run(name: str, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(SKILL / "scripts" / name), *args],
        capture_output=True, text=True, check=False, env={**os.environ, "PATH": path, **environ},
    )  # fmt: skip


def test_the_scripts_work_against_a_running_server(server: Running, config: Path, tmp_path: Path) -> None:
    name = new_space()
    write_token(server.key(name))
    here = {"BETHINK_SERVER": server.url}
    made = json.loads(run("remember.sh", "Anna is allergic to peanuts", "health", **here).stdout)
    assert (made["status"], made["memory"]["tags"]) == ("stored", ["health"])
    found = json.loads(run("search.sh", "what is Anna allergic to?", "3", **here).stdout)
    assert found["hits"][0]["text"] == "Anna is allergic to peanuts"
    assert json.loads(run("facts.sh", **here).stdout) == []
    assert json.loads(run("insights.sh", "task", **here).stdout) == {"items": [], "total": 0}
    assert "markdown" in json.loads(run("digest.sh", "3", **here).stdout)
    (tmp_path / "boiler.md").write_text("# Boiler\nThe pressure must stay at 1.5 bar.\n")
    assert Cli()("docs", "add", str(tmp_path / "boiler.md"), "--server", server.url).code == 0
    hits = json.loads(run("knowledge.sh", "what pressure does the boiler need?", **here).stdout)["hits"]
    assert (hits[0]["documentName"], "1.5 bar" in hits[0]["text"]) == ("boiler.md", True)
    (listed,) = json.loads(run("knowledge.sh", **here).stdout)["items"]
    assert listed["name"] == "boiler.md"
    folder = server.call(server.memory.space(name).notes.folder())
    assert folder is not None
    (folder / "people").mkdir(parents=True)
    (folder / "people" / "anna.md").write_text("# Anna\nShe has the BOILER key.\n")
    (line,) = json.loads(run("notes.sh", "boiler key", "people", **here).stdout)["items"]
    assert (line["file"], line["line"]) == ("people/anna.md", 2)
    (note,) = json.loads(run("notes.sh", **here).stdout)["items"]
    assert note["file"] == "people/anna.md"
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "MEMORY.md").write_text("# Memory\n- Likes TEA\n")
    lines = run("files.sh", "tea", BETHINK_FILES=str(tmp_path / "files"))
    assert lines.stdout.endswith("MEMORY.md:2:- Likes TEA\n")
    assert run("search.sh", **here).returncode == 2
    assert "chmod 600" not in run("facts.sh", **here).stderr
    config.chmod(0o604)
    assert "chmod 600" in run("facts.sh", **here).stderr
