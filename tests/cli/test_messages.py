from __future__ import annotations

import json
from datetime import UTC, datetime

from tests.cli.running import Cli


def test_messages_are_listed_pinned_archived_and_forgotten(cli: Cli) -> None:
    lines = [
        {"session": "chat", "role": "user", "content": "The boiler is loud."},
        {"session": "mail", "role": "user", "content": "Lunch?"},
    ]
    cli.ok("observe", "-", stdin="\n".join(map(json.dumps, lines)))
    assert [one["content"] for one in cli.json("messages", "list", "--session", "mail")["items"]] == [
        "Lunch?"
    ]
    (id_,) = [one["id"] for one in cli.json("messages", "list", "--session", "chat")["items"]]
    assert cli.ok("messages", "pin", id_).out == f"pinned {id_}\n"
    assert cli.ok("messages", "archive", id_).out == f"archived {id_}\n"
    cells = cli.ok("messages", "list", "--archived").out.splitlines()[-1]
    assert "short pinned archived" in cells
    assert cli.ok("messages", "show", id_).out.startswith("user: The boiler is loud.\n")
    assert cli.ok("messages", "archive", id_, "--off").out == f"unarchived {id_}\n"
    assert cli.ok("messages", "attribute", id_, "--name", "Ana").out == f"attributed {id_}\n"
    assert cli.json("messages", "show", id_)["name"] == "Ana"
    assert cli("messages", "attribute", id_).code == 1
    assert cli.ok("messages", "forget", id_, stdin="y\n").out == f"forgotten {id_}\n"
    assert cli("messages", "show", id_).code == 1


def test_messages_are_searched(cli: Cli) -> None:
    lines = [
        {"session": "chat", "role": "user", "content": "The boiler is loud; the pin is 4471."},
        {"session": "mail", "role": "user", "content": "Who waters the plants?"},
    ]
    cli.ok("observe", "-", stdin="\n".join(map(json.dumps, lines)))
    found = cli.ok("messages", "search", "loud", "boiler")
    assert "The boiler is loud" in found.out
    assert "plants" not in found.out
    assert "4471" not in found.out
    assert "4471" in cli.ok("messages", "search", "boiler", "--secrets").out
    assert len(cli.json("messages", "search", "--since", "2020-01-01", "--limit", "1")["hits"]) == 1
    assert "Nothing found" in cli.ok("messages", "search", "boiler", "--session", "mail").err
    assert "limit" in cli("messages", "search", "boiler", "--limit", "0").err


def test_a_long_list_says_how_to_go_on(cli: Cli) -> None:
    at = datetime(2025, 1, 1, tzinfo=UTC).isoformat()
    lines = [
        json.dumps({"session": "s", "role": "user", "content": f"Turn {n}", "sentAt": at}) for n in range(3)
    ]
    cli.ok("observe", "-", stdin="\n".join(lines))
    shown = cli.ok("messages", "list", "--limit", "2", "--tier", "short")
    cursor = shown.err.rsplit(" ", 1)[1].strip()
    rest = cli.json("messages", "list", "--limit", "2", "--cursor", cursor)["items"]
    assert [one["content"] for one in rest] == ["Turn 0"]
    assert "No messages match" in cli.ok("messages", "list", "--platform", "mail").err
