from __future__ import annotations

import pytest

from tests.cli.running import Cli


@pytest.fixture
def ids(cli: Cli) -> list[str]:
    made = []
    for number, options in enumerate(
        (["--tag", "a"], ["--category", "home"], ["--pinned", "--session", "s1"])
    ):
        made.append(cli.json("remember", f"memory number {number}", *options)["id"])
    return made


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], [2, 1, 0]),
        (["--tag", "a"], [0]),
        (["--category", "home"], [1]),
        (["--pinned"], [2]),
        (["--not-pinned"], [1, 0]),
        (["--session", "s1"], [2]),
        (["--source", "note"], [2, 1, 0]),
        (["--source", "elsewhere"], []),
        (["--type", "episodic"], []),
        (["--person", "nobody"], []),
        (["--since", "1d"], [2, 1, 0]),
        (["--until", "yesterday"], []),
        (["--limit", "1"], [2]),
        (["--limit", "1", "--offset", "2"], [0]),
    ],
)
def test_list_filters_and_pages(cli: Cli, ids: list[str], arguments: list[str], found: list[int]) -> None:
    assert [memory["id"] for memory in cli.json("list", *arguments)] == [ids[place] for place in found]


def test_in_a_pipe_each_memory_is_one_line(cli: Cli) -> None:
    memory_id = cli.json("remember", "-", "--title", "Notes", stdin="two\nlines\tand a tab")["id"]
    cells = cli.ok("list").out.rstrip("\n").split("\t")
    assert (cells[0], cells[-1]) == (memory_id, "Notes: two lines and a tab")


def test_list_tells_what_to_do_next(cli: Cli) -> None:
    empty = cli.ok("list")
    assert (empty.out, "bethink remember" in empty.err) == ("", True)
    cli.ok("remember", "one")
    cli.ok("remember", "two")
    assert "--offset 1" in cli.ok("list", "--limit", "1").err
    assert "fewer filters" in cli.ok("list", "--tag", "none").err


@pytest.mark.parametrize("arguments", [["--limit", "0"], ["--limit", "100000"], ["--offset", "-1"]])
def test_a_page_that_cannot_be_is_an_error(cli: Cli, arguments: list[str]) -> None:
    ended = cli("list", *arguments)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"error: {arguments[0].removeprefix('--')}: ")


def test_forget_asks_first(cli: Cli, ids: list[str]) -> None:
    refused = cli("forget", ids[0], stdin="n\n")
    assert (refused.code, refused.out) == (1, "")
    assert "memory number 0" in refused.err
    assert len(cli.json("list")) == 3
    assert cli.ok("forget", ids[0], ids[1], stdin="y\n").out == f"forgotten {ids[0]}\nforgotten {ids[1]}\n"
    assert [memory["id"] for memory in cli.json("list")] == [ids[2]]


def test_many_are_forgotten_by_filters_after_a_look(cli: Cli, ids: list[str]) -> None:
    would = cli.ok("forget", "--not-pinned", "--dry-run")
    assert [line.split()[0] for line in would.out.splitlines()] == [ids[1], ids[0]]
    assert "Would forget 2 memories" in would.err
    assert cli("forget", "--tag", "a", stdin="n\n").code == 1
    assert len(cli.json("list")) == 3
    assert cli.json("forget", "--tag", "a", "--yes")["count"] == 1
    assert cli.ok("forget", "--session", "s1", "--pinned", stdin="y\n").out == "forgotten 1 memory\n"
    assert [memory["id"] for memory in cli.json("list")] == [ids[1]]
    assert "not by both" in cli("forget", ids[1], "--tag", "a").err
    assert "No memories match" in cli.ok("forget", "--tag", "none").err
    assert cli.json("forget", ids[1], "--dry-run")["count"] == 1
    assert "--erase takes" in cli("forget", "--erase", "--tag", "a").err


def test_pin_and_unpin(cli: Cli, ids: list[str]) -> None:
    assert cli.ok("pin", ids[0]).out == f"pinned {ids[0]}\n"
    assert cli.ok("pin", "--off", ids[2]).out == f"unpinned {ids[2]}\n"
    assert [memory["id"] for memory in cli.json("list", "--pinned")] == [ids[0]]


def test_without_an_answer_nothing_is_forgotten(cli: Cli, ids: list[str]) -> None:
    ended = cli("forget", ids[0])
    assert ended.code == 1
    assert "--yes" in ended.err
    assert len(cli.json("list")) == 3


def test_forget_takes_ids_from_standard_input(cli: Cli, ids: list[str]) -> None:
    forgotten = cli.json("forget", "-", "--yes", stdin="\n".join(ids[:2]) + "\n")
    assert [memory["id"] for memory in forgotten] == ids[:2]
    assert "no id" in cli.ok("forget", "-", "--yes", stdin="").err


@pytest.mark.parametrize("yes", [["--yes"], []])
def test_one_id_that_is_unknown_and_nothing_is_forgotten(cli: Cli, ids: list[str], yes: list[str]) -> None:
    ended = cli("forget", ids[0], "unknown", *yes, stdin="y\n")
    assert ended.code == 1
    assert "'unknown'" in ended.err
    assert len(cli.json("list")) == 3


def test_compacting_asks_first_and_lists_what_is_archived(cli: Cli) -> None:
    for day in ("Monday", "Tuesday", "Wednesday"):
        cli.ok(
            "remember", f"On {day} it rained. The children stayed in and played cards until the evening came."
        )
    would = cli.ok("compact", "--older-than", "0", "--dry-run")
    assert "Would compact 3 memories" in would.err
    assert cli("compact", "--older-than", "0", stdin="n\n").code == 1
    assert cli.ok("compact", "--older-than", "0", stdin="y\n").out.startswith("compacted 3 memories: ")
    assert len(cli.json("list")) == 1
    assert len(cli.json("list", "--archived")) == 3
    assert cli.json("compact", "--older-than", "0", "--yes")["candidates"] == 0
    assert cli("compact", "--session", "s").code != 0
