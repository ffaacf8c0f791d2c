from __future__ import annotations

from bethink.cli.insights import ImportanceName, KindName, UrgencyName
from bethink.shapes.insights import Importance, InsightKind, Urgency
from tests.cli.running import Cli


def test_the_words_of_options_are_those_of_the_records() -> None:
    for spelled, known in ((KindName, InsightKind), (ImportanceName, Importance), (UrgencyName, Urgency)):
        assert [one.value for one in spelled] == [one.value for one in known]


def test_insights_on_the_command_line(cli: Cli) -> None:
    assert "no insights yet" in cli.ok("insights", "list").err
    given = ("--kind", "task", "--about", "Ana", "--due", "2d")
    id_ = cli.json("insights", "add", "Fix", "the", "login", *given)["id"]
    assert cli.ok("insights", "add", "Fix the login", "--kind", "task").out == f"merged {id_} Fix the login\n"
    assert cli.json("insights", "favourite", id_)["weights"]["favourite"] is True
    assert cli.ok("insights", "weigh", id_, "2").out == f"counts 2 times {id_} Fix the login\n"
    assert "open, medium, medium" in cli.ok("insights", "show", id_).out
    header, row = cli.ok("insights", "list", "--kind", "task", "--open").out.splitlines()
    assert header.split() == ["Id", "Kind", "Counts", "State", "What"]
    assert row.startswith(f"{id_}  task")
    assert cli.ok("insights", "resolve", id_, "--because", "fixed").out == f"closed {id_} Fix the login\n"
    assert cli.json("insights", "list", "--open")["items"] == []
    assert cli.ok("insights", "reopen", id_).out == f"open {id_} Fix the login\n"
    other = cli.json("insights", "add", "Login is broken")["id"]
    assert cli.ok("insights", "merge", id_, other).out == f"merged {id_} Fix the login\n"
    assert cli.ok("insights", "usage").out.startswith("1 insight: 1 open, 0 closed\n1 active, 0 dormant")
    assert cli.ok("insights", "forget", id_, stdin="y\n").out == f"forgotten {id_} Fix the login\n"
    assert cli("insights", "show", id_).code == 1
