from __future__ import annotations

from tests.cli.running import Cli


def test_a_fact_is_set_read_superseded_and_ended(cli: Cli) -> None:
    assert cli.ok("facts", "set", "food", "allergy", "peanuts").out == "stored food/allergy = peanuts\n"
    assert cli.ok("facts", "get", "food", "allergy").out == "peanuts\n"
    again = cli.ok("facts", "set", "food", "allergy", "peanuts", "and", "soy").out
    assert again == "merged food/allergy = peanuts and soy (the value was 'peanuts')\n"
    versions = cli.json("facts", "history", "food", "allergy")
    assert [fact["value"] for fact in versions] == ["peanuts and soy", "peanuts"]
    assert cli.ok("facts", "forget", "food", "allergy", stdin="y\n").out == "forgotten food/allergy\n"
    gone = cli("facts", "get", "food", "allergy")
    assert gone.code == 1
    assert gone.err.startswith("error: There is no current fact food/allergy")
    assert len(cli.json("facts", "history", "food", "allergy")) == 2


def test_options_of_a_fact_are_kept(cli: Cli) -> None:
    options = ("--source", "chat", "--confidence", "40", "--expires", "2999-01-01T00:00:00Z")
    fact = cli.json("facts", "set", "car", "plate", "-", *options, stdin="AB 123\n")["fact"]
    assert (fact["value"], fact["source"], fact["confidence"]) == ("AB 123", "chat", 40)
    assert fact["expiresAt"] == "2999-01-01T00:00:00Z"
    assert cli("facts", "set", "car", "plate", "x", "--confidence", "400").code == 1
    assert cli("facts", "set", "car", "plate", "x", "--person", "nobody").code == 1


def test_the_list_is_a_table_by_category(cli: Cli) -> None:
    cli.ok("facts", "set", "food", "allergy", "peanuts")
    cli.ok("facts", "set", "car", "plate", "AB 123")
    header, *rows = cli.ok("facts", "list").out.splitlines()
    assert header.split() == ["Category", "Key", "Since", "Value"]
    assert [row.split()[0] for row in rows] == ["car", "food"]
    assert rows[0].endswith("  AB 123")
    assert [fact["key"] for fact in cli.json("facts", "list", "--category", "food")] == ["allergy"]
    assert "No facts match" in cli.ok("facts", "list", "--category", "none").err


def test_the_history_is_a_table_newest_first(cli: Cli) -> None:
    cli.ok("facts", "set", "a", "b", "old")
    cli.ok("facts", "set", "a", "b", "new")
    header, newest, oldest = cli.ok("facts", "history", "a", "b").out.splitlines()
    assert header.split() == ["Id", "From", "To", "Source", "Sure", "Value"]
    assert "  now " in newest
    assert newest.endswith("90%   new")
    assert oldest.endswith("old")


def test_a_version_is_restored_and_facts_are_searched(cli: Cli) -> None:
    cli.ok("facts", "set", "drink", "morning", "green tea")
    cli.ok("facts", "set", "drink", "morning", "coffee", "--promote")
    old = cli.json("facts", "history", "drink", "morning")[1]
    at = old["validFrom"]
    assert cli.ok("facts", "get", "drink", "morning", "--as-of", at).out == "green tea\n"
    assert [fact["value"] for fact in cli.json("facts", "list", "--as-of", at)] == ["green tea"]
    restored = cli.ok("facts", "restore", old["id"]).out
    assert restored == "restored drink/morning = green tea (the value was 'coffee')\n"
    assert [fact["value"] for fact in cli.json("facts", "list", "-q", "GREEN t")] == ["green tea"]
    assert cli.json("facts", "list", "--not-promoted") == []
    assert "No facts match" in cli.ok("facts", "list", "-q", "zebra").err


def test_empty_states_say_what_to_do(cli: Cli) -> None:
    assert "bethink facts set" in cli.ok("facts", "list").err
    assert "There never was" in cli.ok("facts", "history", "a", "b").err
    assert cli("facts", "forget", "a", "b").code == 1


def test_the_list_names_the_people(cli: Cli) -> None:
    cli.ok("household", "set", "--mode", "multi")
    cli.ok("people", "add", "Zoë")
    cli.ok("facts", "set", "food", "allergy", "nuts", "--person", "Zoë")
    assert cli.ok("facts", "list").out.splitlines()[1].split()[-2:] == ["Zoë", "nuts"]
