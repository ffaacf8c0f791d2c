from __future__ import annotations

import json

from tests.cli.running import Cli


def test_sweeps_from_the_command_line(cli: Cli) -> None:
    assert "No sweep has done anything" in cli.ok("upkeep", "history").err
    cli.ok("options", "set", "extractors=[]")
    said = {"role": "user", "content": "I'm allergic to peanuts."}
    cli.ok("observe", "--session", "s", stdin=json.dumps(said))
    cli.ok("options", "reset")
    sweeps = {one["name"]: one for one in cli.json("upkeep", "list")}
    assert (sweeps["extract:patterns"]["due"], sweeps["vectors"]["enabled"]) == (1, False)
    assert "never" in cli.ok("upkeep", "list").out
    ended = cli.ok("upkeep", "run", "extract:patterns", "--dry-run")
    assert ended.out == "extract:patterns: done (dry run); 1 sessions\n"
    assert cli.json("list") == []
    assert cli.json("upkeep", "run", "extract:patterns")["counts"]["stored"] > 0
    (kept,) = cli.json("list")
    assert kept["content"] == "I'm allergic to peanuts"
    runs = cli.json("upkeep", "history", "extract:patterns")
    assert [(run["status"], run["dryRun"]) for run in runs] == [("done", False), ("done", True)]
    assert "extract:patterns" in cli.ok("upkeep", "history").out


def test_an_unknown_sweep_is_an_error_that_names_those_there_are(cli: Cli) -> None:
    ended = cli("upkeep", "run", "dust", "--json")
    assert ended.code != 0
    assert {"vectors", "extract:patterns"} <= set(
        ended.problem["detail"].rstrip(".").split(": ")[1].split(", ")
    )
