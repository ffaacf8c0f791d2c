from __future__ import annotations

from pathlib import Path

from tests.cli.running import Cli


def test_the_journal_shows_changes_and_undo_takes_them_back(cli: Cli) -> None:
    memory_id = cli.json("remember", "The key is under the mat")["id"]
    cli.ok("forget", memory_id, "--yes")
    shown = cli.ok("journal").out
    assert "memory forgotten" in shown
    assert "The key is under the mat" in shown
    page = cli.json("journal", "--action", "forgotten")
    assert [line["actor"] for line in page["items"]] == ["cli"]
    undone = cli.ok("undo", page["items"][0]["id"])
    assert f"memory {memory_id} restored" in undone.out
    assert cli.json("list")[0]["id"] == memory_id


def test_an_update_is_shown_from_old_to_new(cli: Cli) -> None:
    cli.ok("remember", "tea", "--key", "drink")
    cli.ok("remember", "coffee", "--key", "drink")
    assert "content: tea → coffee" in cli.ok("journal", "-n", "1").out
    more = cli("journal", "-n", "1")
    assert "There is more: add --cursor" in more.err
    cursor = more.err.split("--cursor ")[1].strip()
    assert "memory stored" in cli.ok("journal", "--cursor", cursor).out


def test_nothing_to_show_and_nothing_to_undo_are_said(cli: Cli) -> None:
    assert "Nothing has been changed here yet" in cli.ok("journal").err
    assert "No changes match" in cli.ok("journal", "--actor", "nobody").err
    refused = cli("undo", "nonsense", "--json")
    assert refused.code == 1
    assert refused.problem["type"] == "urn:bethink:problem:not-found"


def test_what_stayed_the_same_is_not_shown_as_a_change(cli: Cli) -> None:
    key = cli.json("keys", "create", "phone")
    cli.ok("keys", "rename", key["id"], "tablet")
    shown = cli.ok("journal", "-n", "1").out
    assert "name: phone → tablet" in shown
    assert "role" not in shown


def test_options_and_the_household_are_undone_too(cli: Cli) -> None:
    cli.ok("household", "set", "--timezone", "Asia/Tokyo")
    cli.ok("options", "set", "max_tokens=700")
    shown = cli.ok("journal").out
    assert "→ 700" in shown
    for line in cli.json("journal")["items"]:
        assert f"undone {line['id']}: {line['noun']}" in cli.ok("undo", line["id"]).out
    assert cli.json("household", "show")["timezone"] == "UTC"
    assert cli.json("options", "show")["maxTokens"] == 2000
    assert "700 →" in cli.ok("journal").out


def test_lines_that_came_with_an_archive_are_marked(cli: Cli, tmp_path: Path) -> None:
    cli.ok("remember", "tea")
    cli.ok("export", str(tmp_path / "a.jsonl"))
    cli.ok("import", str(tmp_path / "a.jsonl"), "--space", "other")
    assert "memory stored (imported)" in cli.ok("journal", "--space", "other").out
    assert "(imported)" not in cli.ok("journal").out
    assert {
        line["imported"] for line in cli.json("journal", "--space", "other", "--noun", "memory")["items"]
    } == {True}
