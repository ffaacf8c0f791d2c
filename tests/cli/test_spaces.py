from __future__ import annotations

from tests.cli.running import Cli


def names(cli: Cli) -> list[str]:
    return [space["name"] for space in cli.json("spaces", "list")]


def test_a_space_is_made_listed_renamed_and_deleted(cli: Cli) -> None:
    cli.ok("spaces", "create", "work", "--display-name", "Das Büro")
    cli.ok("remember", "The door is crimson", "--space", "work")
    (work,) = [space for space in cli.json("spaces", "list") if space["name"] == "work"]
    assert (work["displayName"], work["counts"]["memories"]) == ("Das Büro", 1)
    assert "Das Büro" in cli.ok("spaces", "list").out
    cli.ok("spaces", "rename", "work", "office")
    cli.ok("spaces", "rename", "office", "--display-name", "Office")
    assert names(cli) == ["default", "office"]
    assert "proof" in cli.ok("spaces", "delete", "office", "--confirm", "office").out
    assert names(cli) == ["default"]


def test_deleting_asks_first(cli: Cli) -> None:
    cli.ok("remember", "The door is crimson", "--space", "work")
    asked = cli("spaces", "delete", "work", stdin="n\n")
    assert asked.code == 1
    assert "1 memory" in asked.err
    assert cli("spaces", "delete", "work", "--confirm", "other").code == 1
    assert "work" in names(cli)
    cli.ok("spaces", "delete", "work", stdin="y\n")
    assert "work" not in names(cli)


def test_mistakes_are_told(cli: Cli) -> None:
    assert cli("spaces", "delete", "nowhere", "--confirm", "nowhere").code == 1
    assert cli("spaces", "rename", "default").code == 2
    assert cli("spaces", "create", "default").code == 1
    assert cli("spaces", "delete", "default", "--confirm", "default").code == 1
