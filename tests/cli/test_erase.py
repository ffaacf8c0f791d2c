from __future__ import annotations

from pathlib import Path

from tests.cli.running import Cli

TEXT = "The zebra cipher opens the vault at midnight"


def test_a_memory_is_erased_after_a_yes(cli: Cli, tmp_path: Path) -> None:
    memory_id = cli.json("remember", TEXT)["id"]
    cli.ok("remember", "The giraffe likes marmalade")
    refused = cli("forget", "--erase", memory_id, stdin="n\n")
    assert refused.code == 1
    assert "Erase 1 memory, 1 line of the journal for good?" in refused.err
    done = cli.ok("forget", "--erase", memory_id, stdin="y\n")
    assert "none of it is left" in done.out
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"zebra" in data for data in files)
    assert any(b"giraffe" in data for data in files)


def test_a_dry_run_lists_what_would_go(cli: Cli) -> None:
    memory_id = cli.json("remember", TEXT)["id"]
    shown = cli.ok("forget", "--erase", "--query", "zebra", "--dry-run")
    assert shown.out == f"memory\t{memory_id}\n"
    assert "Nothing was changed" in shown.err
    receipt = cli.json("forget", "--erase", "--query", "zebra", "--yes")
    assert (receipt["complete"], receipt["erased"]["memories"]) == (True, 1)


def test_the_same_said_elsewhere_is_pointed_out(cli: Cli) -> None:
    memory_id = cli.json("remember", TEXT)["id"]
    other = cli.json("remember", f"Listen: {TEXT}")["id"]
    assert f"the same is said in memory {other} (content)" in cli.ok("forget", "--erase", memory_id, "-y").err


def test_what_is_meant_has_to_be_clear(cli: Cli) -> None:
    assert "add --erase" in cli("forget", "--query", "x").err
    assert "Name the memories" in cli("forget").err
    assert "Name one thing" in cli("forget", "--erase").err
    assert "Name one thing" in cli("forget", "--erase", "x", "--everything").err
