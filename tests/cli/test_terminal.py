"""What a person sees: the installed program in a terminal."""

from __future__ import annotations

import re

from tests.cli.running import Cli, run_in_terminal

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
LONG = "Anna is allergic to peanuts and to most other nuts, which her doctor found out when she was seven."


def test_text_wraps_and_ids_do_not(cli: Cli) -> None:
    memory_id = cli.json("remember", LONG)["id"]
    code, shown = run_in_terminal("list", columns=60)
    assert code == 0
    lines = ESCAPE.sub("", shown).splitlines()
    assert any(memory_id in line for line in lines)
    text = [line for line in lines if line.startswith("  ") and memory_id not in line]
    assert len(text) == 2
    assert " ".join(" ".join(text).split()) == LONG


def test_recall_shows_place_text_and_origin(cli: Cli) -> None:
    memory_id = cli.json("remember", "Anna is allergic to peanuts")["id"]
    code, shown = run_in_terminal("recall", "peanuts", "--explain")
    lines = ESCAPE.sub("", shown).splitlines()
    assert code == 0
    assert lines[0].strip() == "1. Anna is allergic to peanuts"
    assert lines[1].split()[:3] == [memory_id, "1.000", "memory"]
    assert "1.000 = fused 1.000" in lines[2]
    assert "1 hit" in shown


def test_tables_keep_ids_whole_however_narrow_the_terminal(cli: Cli) -> None:
    cli.ok("keys", "create", "a key with quite a long name")
    (key,) = cli.json("keys", "list")
    _, shown = run_in_terminal("keys", "list", columns=70)
    assert key["id"] in ESCAPE.sub("", shown)


def test_colour_is_left_out_when_it_is_not_wanted(cli: Cli) -> None:
    cli.ok("remember", "Anna is allergic to peanuts")
    _, coloured = run_in_terminal("doctor")
    assert "\x1b[32m" in coloured
    _, plain = run_in_terminal("doctor", environ={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain)
    assert "Everything works." in plain


def test_forget_asks_in_the_terminal(cli: Cli) -> None:
    memory_id = cli.json("remember", "Anna is allergic to peanuts")["id"]
    code, shown = run_in_terminal("forget", memory_id, answer="n\n")
    assert code == 1
    assert "Forget 1 memory? [y/N]" in shown
    assert "Nothing was done." in shown
    code, shown = run_in_terminal("forget", memory_id, answer="y\n")
    assert (code, f"forgotten {memory_id}" in ESCAPE.sub("", shown)) == (0, True)
    assert cli.json("list") == []


def test_markup_in_a_memory_is_only_text(cli: Cli) -> None:
    cli.ok("remember", "the tag [bold]stays[/bold] and :smile: too")
    _, shown = run_in_terminal("list")
    assert "the tag [bold]stays[/bold] and :smile: too" in shown


def test_ctrl_c_at_the_question_ends_cleanly(cli: Cli) -> None:
    memory_id = cli.json("remember", "x")["id"]
    code, shown = run_in_terminal("forget", memory_id, answer="\x03")
    assert "Traceback" not in shown
    assert code == 130
    assert len(cli.json("list")) == 1
