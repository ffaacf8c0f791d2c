from __future__ import annotations

import json

from tests.cli.running import Cli


def test_what_is_observed_is_remembered(cli: Cli) -> None:
    said = {"role": "user", "content": "I'm allergic to peanuts."}
    cli.ok("observe", "--session", "s", stdin=json.dumps(said))
    (kept,) = cli.json("list")
    assert kept["content"] == "I'm allergic to peanuts"
    assert cli.ok("upkeep", "extract").out == "0 conversations read: 0 stored, 0 merged, 0 known\n"
    (read,) = cli.json("upkeep", "extractions")
    assert (read["extractor"], read["status"]) == ("patterns", "ok")
    assert "patterns" in cli.ok("upkeep", "extractions").out
    assert cli.json("upkeep", "extractions", "--failed") == []


def test_an_extractor_without_a_model_says_what_it_needs(cli: Cli) -> None:
    cli.ok("options", "set", 'extractors=["facts"]')
    cli.ok("observe", "--session", "s", stdin=json.dumps({"role": "user", "content": "I live in Lisbon."}))
    ended = cli.ok("upkeep", "extract", "--retry")
    assert "needs a chat model" in ended.err
    assert cli.json("list") == []


def test_contexts_from_the_command_line(cli: Cli) -> None:
    assert "no contexts yet" in cli.ok("contexts", "list").err
    made = cli.json("contexts", "add", "CV", "-", stdin="A nurse in Porto")
    assert cli.ok("contexts", "show", made["id"]).out == "A nurse in Porto\n"
    assert cli.ok("contexts", "give", "chat", made["id"]).out == "'chat' has 1 context\n"
    assert "CV" in cli.ok("contexts", "list").out
    cli.ok("contexts", "remove", made["id"])
    assert cli.json("contexts", "list") == []
