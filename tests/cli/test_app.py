"""What holds for every command: options, help, errors, endings."""

from __future__ import annotations

import json
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import get_args

import pytest

from bethink import Settings
from bethink.cli import choices
from bethink.records import Layer, MemoryType, MessageTier, Mode, Role, SummaryTier
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.weaving import SHAPES
from tests.cli.running import Cli, run_program, start_program

COMMANDS = (
    *("remember", "recall", "observe", "list", "forget", "facts"),
    *("prompt", "guidelines", "household", "people", "devices", "soul", "narrative", "files"),
    *("stats", "reindex", "migrate", "version", "doctor", "serve", "keys"),
)


def test_every_command_is_in_the_help_and_has_help(cli: Cli) -> None:
    shown = cli.ok("--help").out
    for command in COMMANDS:
        assert f"│ {command} " in shown
        assert "--json" in cli.ok(command, "--help").out


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (choices.LayerName, Layer),
        (choices.TypeName, MemoryType),
        (choices.MessageTierName, MessageTier),
        (choices.SummaryTierName, SummaryTier),
        (choices.RoleName, Role),
        (choices.ModeName, Mode),
    ],
)
def test_the_words_of_options_are_those_of_the_records(words: type[StrEnum], meant: type[StrEnum]) -> None:
    assert list(words) == list(meant)


def test_the_shapes_are_those_of_a_prompt() -> None:
    assert tuple(choices.ShapeName) == SHAPES


def test_the_strategies_are_those_of_a_request() -> None:
    allowed = get_args(get_args(RecallRequest.model_fields["strategy"].annotation)[0])
    assert tuple(choices.StrategyName) == allowed


@pytest.mark.parametrize(
    "arguments", [["--json", "facts", "list"], ["facts", "--json", "list"], ["facts", "list", "--json"]]
)
def test_json_may_stand_anywhere(cli: Cli, arguments: list[str]) -> None:
    assert cli.ok(*arguments).json == []


def test_the_later_of_two_options_counts(cli: Cli) -> None:
    cli.ok("--space", "one", "remember", "x", "--space", "two")
    assert cli.json("list", "--space", "one") == []
    assert len(cli.json("--space", "two", "list")) == 1


def test_home_database_and_config_choose_the_memory(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "chosen"
    cli.ok("remember", "x", "--home", str(home))
    assert (home / "memory.db").is_file()
    cli.ok("remember", "x", "--database", str(tmp_path / "other.db"))
    assert (tmp_path / "other.db").is_file()
    (tmp_path / "own.toml").write_text(f"url = '{tmp_path / 'third.db'}'\nspace = 'mine'\n")
    cli.ok("remember", "x", "--config", str(tmp_path / "own.toml"))
    assert cli.json("stats", "--config", str(tmp_path / "own.toml"))["space"] == "mine"
    assert (tmp_path / "third.db").is_file()
    assert not (tmp_path / "home").exists()


def test_one_space_does_not_see_another(cli: Cli) -> None:
    memory_id = cli.json("remember", "a secret", "--space", "mine")["id"]
    assert cli.json("recall", "secret", "--space", "yours")["hits"] == []
    assert cli("forget", memory_id, "--yes", "--space", "yours").code == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["recal", "x"], "Did you mean 'recall'?"),
        (["recall", "x", "--limmit", "3"], "--limit"),
        (["recall"], "Missing argument 'QUERY'"),
        (["recall", "x", "--limit", "many"], "--limit"),
        (["facts", "nonsense"], "See 'bethink facts --help'"),
    ],
)
def test_a_mistake_in_usage_is_one_line_and_code_2(cli: Cli, arguments: list[str], reason: str) -> None:
    ended = cli(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert reason in ended.err
    assert len(ended.err.splitlines()) == 1
    problem = cli(*arguments, "--json")
    assert problem.code == 2
    assert problem.problem["type"] == "urn:bethink:problem:usage"


def test_without_a_command_the_help_is_shown(cli: Cli) -> None:
    ended = cli()
    assert ended.code == 2
    assert "remember" in ended.out + ended.err


def test_a_failure_is_one_line_or_a_problem(cli: Cli) -> None:
    ended = cli("list", "--config", "missing.toml")
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (1, "", 1)
    assert ended.err.startswith("error: The settings file missing.toml cannot be read")
    problem = cli("list", "--config", "missing.toml", "--json").problem
    assert problem["type"] == "urn:bethink:problem:settings-error"
    assert problem["field"] == "config"


@pytest.mark.parametrize(
    "arguments", [["--database", "mysql://x"], ["--database", "/dev/null/x.db"], ["--space", "x" * 600]]
)
def test_what_the_memory_cannot_do_is_never_a_traceback(arguments: list[str]) -> None:
    ended = run_program("list", *arguments, BETHINK_EMBED_SOURCE="none")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: ")
    assert len(ended.err.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(cli: Cli) -> None:
    for number in range(3):
        cli.ok("remember", f"note {number}")
    for command in (["list"], ["remember", "one more"]):
        process = start_program(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 141
    assert len(cli.json("list")) == 4


def test_results_in_another_encoding_are_still_json(cli: Cli) -> None:
    cli.ok("remember", "naïve 你好")
    ended = run_program("list", "--json", PYTHONIOENCODING="latin-1", BETHINK_EMBED_SOURCE="none")
    assert json.loads(ended.out)[0]["content"] == "naïve 你好"
    plain = run_program("list", PYTHONIOENCODING="latin-1", BETHINK_EMBED_SOURCE="none")
    assert (plain.code, plain.out.strip().endswith("ve ??")) == (0, True)


def test_serve_runs_the_server_with_its_options(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Settings] = []
    monkeypatch.setattr("bethink.serve.app.run", served.append)
    cli.ok("serve", "--host", "0.0.0.0", "--port", "9000", "--space", "mine")
    cli.ok("serve")
    assert [(each.server.host, each.server.port, each.space) for each in served] == [
        ("0.0.0.0", 9000, "mine"),
        ("127.0.0.1", 8420, "default"),
    ]
    assert cli("serve", "--port", "99999999").code == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_complete_commands_and_words(shell: str) -> None:
    words = {
        "bash": "bethink recall --layer ",
        "zsh": "bethink recall --layer ",
        "fish": "bethink recall --layer ",
    }
    environ = {
        "_BETHINK_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words[shell],
        "COMP_CWORD": "3",
        "_TYPER_COMPLETE_ARGS": words[shell],
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    shown = run_program(**environ).out
    for word in ("fact", "memory", "message"):
        assert word in shown


def test_help_loads_neither_the_engine_nor_a_model() -> None:
    script = (
        "import sys; sys.argv = ['bethink', '--help']\n"
        "from bethink.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('pydantic', 'numpy', 'asyncio', 'onnxruntime', 'fastapi', 'apsw')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_python_runs_it_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bethink", "version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("bethink ")
