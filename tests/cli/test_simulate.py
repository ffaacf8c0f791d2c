from __future__ import annotations

from pathlib import Path

from tests.cli.running import Cli


def test_the_command_prints_a_table_and_draws(cli: Cli, tmp_path: Path) -> None:
    ended = cli.ok("simulate", "--years", "0.1", "--per-day", "3", "--svg", str(tmp_path / "years.svg"))
    assert "times fewer entries than messages were said" in ended.out
    assert "<svg" in (tmp_path / "years.svg").read_text()
    assert not (tmp_path / "home").exists(), "the own memory is not touched"
    assert cli.json("simulate", "--years", "0.1", "--per-day", "3")["snapshots"][0]["observed"] > 0
