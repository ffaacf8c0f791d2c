from __future__ import annotations

from tests.cli.running import Cli


def test_options_are_set_shown_and_taken_back(cli: Cli) -> None:
    assert "enabled" in cli.ok("options", "show").out
    changed = cli.json("options", "set", "enabled=true", "strategy=recent", 'extractors=["patterns","stale"]')
    assert (changed["enabled"], changed["strategy"]) == (True, "recent")
    assert changed["extractors"] == ["patterns", "stale"]
    assert cli.json("options", "show", "--space", "other")["enabled"] is False
    cli.ok("options", "set", "--server", "enabled=true")
    assert cli.json("options", "show", "--space", "other")["chosen"] == {"enabled": "server"}
    assert cli.json("options", "reset", "strategy")["strategy"] == "hybrid"


def test_a_bad_option_is_explained(cli: Cli) -> None:
    refused = cli("options", "set", "enabled")
    assert refused.code != 0
    assert "NAME=VALUE" in refused.err
    assert "max_tokens" in cli("options", "set", "max_tokens=99999").err
    assert "no such option" in cli("options", "reset", "colour").err


def test_a_list_may_be_written_with_commas(cli: Cli) -> None:
    assert cli.json("options", "set", "extractors=patterns,stale")["extractors"] == ["patterns", "stale"]
    assert cli.json("options", "set", "extractors=patterns")["extractors"] == ["patterns"]
    assert "is not known here" in cli("options", "set", "colour=red").err
