from __future__ import annotations

from pathlib import Path

import pytest

from bethink.text.fence import BOUNDARY
from tests.cli.running import Cli


def test_a_prompt_is_printed_whole_by_halves_and_as_a_request(cli: Cli) -> None:
    cli.ok("soul", "set", "You", "are", "Genie.")
    cli.ok("facts", "set", "home", "city", "Cork")
    cli.ok("remember", "Anna is allergic to peanuts")
    whole = cli.ok("prompt", "what may Anna eat?").out
    stable, volatile = whole.split(f"\n\n{BOUNDARY}\n\n")
    assert stable.startswith("You are Genie.\n\n<bethink-memory>\n")
    assert "Anna is allergic to peanuts" in volatile
    assert cli.ok("prompt", "--half", "stable", "x").out == stable + "\n"
    body = cli.ok("prompt", "--shape", "openai", "what may Anna eat?").json
    assert [message["role"] for message in body["messages"]] == ["system", "system", "user"]
    data = cli.json("prompt", "-", "--limit", "1", "--max-tokens", "500", stdin="what may Anna eat?\n")
    assert (data["tokens"]["budget"], len(data["memories"])) == (500, 1)
    assert "## Using long-term memory" in cli.ok("prompt", "--guidelines", "x").out


def test_it_says_why_something_recalled_is_not_in_it(cli: Cli) -> None:
    cli.ok("remember", "Anna is allergic to peanuts")
    cli.ok("remember", "Ben likes cashews")
    told = cli.ok("prompt", "peanuts", "--limit", "1", "--explain")
    assert "Not in it, limit: Ben likes cashews" in told.err
    assert "Not in it" not in cli.ok("prompt", "peanuts", "--limit", "1").err


def test_switched_off_it_is_empty_and_says_why(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("remember", "Anna is allergic to peanuts")
    monkeypatch.setenv("BETHINK_PROMPT_ENABLED", "0")
    off = cli.ok("prompt", "Anna")
    assert off.out.strip() == ""
    assert "prompt.enabled" in off.err


def test_who_is_speaking_can_be_said(cli: Cli) -> None:
    cli.ok("household", "set", "--mode", "multi")
    cli.ok("people", "add", "Ana")
    assert "- Ana (as the caller says, high confidence)" in cli.ok("prompt", "x", "--person", "ana").out
    assert cli("prompt", "x", "--person", "Bob").code == 1


def test_the_guidelines(cli: Cli) -> None:
    assert "Do not search by reflex" in cli.ok("guidelines").out
    assert "Do not search by reflex" in cli.json("guidelines")["text"]


def test_soul_and_narrative_are_set_and_shown(cli: Cli, tmp_path: Path) -> None:
    assert "There is no soul yet" in cli.ok("soul", "show").err
    assert cli.ok("soul", "set", "-", stdin="Be kind.\nBe brief.\n").out == "set soul, 18 characters\n"
    assert cli.ok("soul", "show").out == "Be kind.\nBe brief.\n"
    (tmp_path / "home" / "spaces" / "default" / "SOUL.md").write_text("Be bold.\n")
    assert cli.json("soul", "show") == {"content": "Be bold.\n"}
    assert "Nobody has written" in cli.ok("narrative", "show").err
    cli.ok("narrative", "set", "They", "keep", "bees.")
    assert cli.ok("narrative", "show").out == "They keep bees.\n"


def test_the_files_are_shown_and_their_edits_taken_in(cli: Cli, tmp_path: Path) -> None:
    shown = cli.ok("files", "show")
    assert "MEMORY.md is empty" in shown.err
    assert str(tmp_path / "home" / "spaces" / "default") in shown.err
    cli.ok("facts", "set", "home", "city", "Cork", "--promote")
    assert cli.ok("files", "show").out.endswith("## home\n\n- city: Cork\n")
    path = tmp_path / "home" / "spaces" / "default" / "MEMORY.md"
    path.write_text(path.read_text().replace("Cork", "Galway") + "what else?\n")
    synced = cli.ok("files", "sync")
    assert synced.out == "1 fact set, MEMORY.md written\n"
    assert "line 8 is not '- key: value'" in synced.err
    assert "is kept in MEMORY.conflict-" in synced.err
    assert cli.ok("facts", "get", "home", "city").out == "Galway\n"
    assert cli.ok("files", "sync").out == "nothing has changed\n"
    assert cli.json("files", "show")["memory"] == path.read_text()
    elsewhere = cli.ok("files", "show", "--database", str(tmp_path / "other.db"))
    assert "not kept as files" in elsewhere.err
