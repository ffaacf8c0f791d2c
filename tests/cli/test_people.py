from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import Cli


def test_a_household_is_shown_and_changed(cli: Cli, tmp_path: Path) -> None:
    title, header, row = cli.ok("household", "show").out.splitlines()
    assert title == "default  single, UTC, en-US"
    assert header.split() == ["Id", "Name", "Role", "Born", "Also", "called"]
    assert row.split()[1:] == ["You", "primary"]
    cli.ok("household", "set", "--name", "The Smiths", "--mode", "multi", "--timezone", "Asia/Kathmandu")
    assert cli.ok("household", "show").out.startswith("The Smiths  multi, Asia/Kathmandu, en-US\n")
    file = tmp_path / "household.json"
    file.write_text(json.dumps({"locale": "ne_np", "persons": [{"displayName": "Tom"}]}))
    changed = cli.json("household", "set", "--file", str(file))
    assert (changed["locale"], [person["displayName"] for person in changed["persons"]]) == ("ne-NP", ["Tom"])
    assert [person["displayName"] for person in changed["removed"]] == ["You"]


def test_a_bad_change_of_the_household_says_what_to_do(cli: Cli, tmp_path: Path) -> None:
    assert "give an option" in cli("household", "set").err
    assert "must be a timezone" in cli("household", "set", "--timezone", "Mars").err
    assert "cannot be read" in cli("household", "set", "--file", "nowhere.json").err
    file = tmp_path / "household.json"
    for text, message in (("[]", "must hold a JSON object"), ("{", "is not valid JSON")):
        file.write_text(text)
        assert message in cli("household", "set", "--file", str(file)).err


def test_people_come_change_and_go(cli: Cli) -> None:
    cli.ok("household", "set", "--mode", "multi")
    added = cli.ok(
        "people", "add", "Sarah", "Müller", "--role", "spouse", "--alias", "mom", "--born", "1985-03-02"
    )
    assert added.out.startswith("added Sarah Müller ")
    cli.ok("people", "change", "You", "--name", "Tom", "--pronouns", "he/him")
    assert [person["displayName"] for person in cli.json("people", "list")] == ["Tom", "Sarah Müller"]
    row = cli.ok("people", "list").out.splitlines()[2]
    assert row.split()[1:] == ["Sarah", "Müller", "spouse", "1985-03-02", "mom"]
    assert cli.ok("people", "resolve", "my wife").out.startswith("Sarah Müller\t")
    assert (
        cli.ok("people", "speaker", "my", "wife", "is", "cooking").out
        == "Tom (by words, medium confidence)\n"
    )
    assert cli.ok("people", "speaker").out == "nobody can be told (by none, low confidence)\n"
    cli.ok("facts", "set", "likes", "drink", "tea", "--person", "sarah muller")
    gone = cli.ok("people", "remove", "mom", "--yes")
    assert gone.out == "left Sarah Müller\n"
    assert "1 fact about who left ended" in gone.err


def test_someone_who_is_nobody_or_several_is_an_error(cli: Cli) -> None:
    cli.ok("household", "set", "--mode", "multi")
    for name in ("Leo", "Mia"):
        cli.ok("people", "add", name, "--role", "child")
    assert "Nobody here is called 'Bob'" in cli("people", "resolve", "Bob").err
    several = cli("people", "change", "kids", "--notes", "x")
    assert several.code == 1
    assert "'kids' could be any of Leo (" in several.err
    found = cli.json("people", "resolve", "kids")
    assert (found["person"], len(found["candidates"])) == (None, 2)
    assert "give an option" in cli("people", "change", "Leo").err


def test_devices_come_and_go(cli: Cli) -> None:
    assert "There are no devices yet" in cli.ok("devices", "list").err
    cli.ok("household", "set", "--mode", "multi")
    cli.ok("people", "add", "Ana")
    assert cli.ok("devices", "set", "tv", "Big", "TV", "--person", "ana").out == "set tv = Big TV (Ana)\n"
    assert cli.ok("devices", "list").out.splitlines()[1].split() == ["tv", "Ana", "Big", "TV"]
    assert cli.json("people", "speaker", "--device", "tv")["displayName"] == "Ana"
    assert cli.ok("devices", "remove", "tv").out == "removed tv = Big TV\n"
    assert cli("devices", "remove", "tv").code == 1
