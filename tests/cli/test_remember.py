from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.cli.running import Cli


def test_every_option_reaches_the_memory(cli: Cli) -> None:
    stored = cli.json(
        "remember", "The car is due for inspection", "--key", "car", "--title", "Car", "--type", "episodic",
        "--tag", "car", "--tag", "spring", "--category", "home", "--pinned", "--session", "s1",
        "--expires", "2999-01-31T12:00:00+02:00", "--metadata", '{"plate": "AB 123"}',
    )["memory"]  # fmt: skip
    expected = {
        "content": "The car is due for inspection",
        "key": "car",
        "title": "Car",
        "type": "episodic",
        "tags": ["car", "spring"],
        "category": "home",
        "pinned": True,
        "sessionId": "s1",
        "expiresAt": "2999-01-31T10:00:00Z",
        "metadata": {"plate": "AB 123"},
    }
    assert {name: stored[name] for name in expected} == expected


def test_words_need_no_quotes(cli: Cli) -> None:
    assert cli.json("remember", "Anna", "likes", "tea")["memory"]["content"] == "Anna likes tea"


def test_a_dash_reads_standard_input(cli: Cli) -> None:
    text = "First line: “naïve” 你好\n\nsecond line"
    assert cli.json("remember", "-", stdin=text + "\n")["memory"]["content"] == text


def test_input_that_is_not_utf_8_is_refused(cli: Cli) -> None:
    ended = cli("remember", "-", stdin=b"caf\xe9")
    assert ended.code == 1
    assert "not UTF-8" in ended.err


def test_what_looks_like_an_option_is_text_after_two_dashes(cli: Cli) -> None:
    assert cli("remember", "--", "--json").out.startswith("stored ")
    assert cli.json("list")[0]["content"] == "--json"


def test_the_outcome_says_what_happened(cli: Cli) -> None:
    first = cli.ok("remember", "Anna likes tea", "--key", "drink")
    memory_id = first.out.split()[1]
    assert first.out == f"stored {memory_id}\n"
    merged = cli.ok("remember", "Anna likes coffee", "--key", "drink").out
    assert merged.startswith(f"merged {memory_id} (")
    assert cli.ok("remember", "Anna likes coffee", "--key", "drink").out.startswith(
        f"duplicate {memory_id} ("
    )


def test_an_update_leaves_alone_what_is_not_named(cli: Cli) -> None:
    cli.ok("remember", "one", "--key", "k", "--pinned", "--type", "semantic", "--tag", "a")
    again = cli.json("remember", "two", "--key", "k")["memory"]
    assert (again["content"], again["pinned"], again["type"], again["tags"]) == (
        "two",
        True,
        "semantic",
        ["a"],
    )
    assert cli.json("remember", "two", "--key", "k", "--not-pinned")["memory"]["pinned"] is False


def test_a_span_expires_that_much_later(cli: Cli) -> None:
    memory = cli.json("remember", "parked on level 3", "--expires", "2d")["memory"]
    left = datetime.fromisoformat(memory["expiresAt"]) - datetime.now(UTC)
    assert 1.9 < left.total_seconds() / 86400 <= 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--metadata", "{"], "not valid JSON"),
        (["--metadata", "[1]"], "must be a JSON object"),
        (["--expires", "soon"], "is no time"),
        (["--type", "poem"], "'factual'"),
    ],
)
def test_an_option_that_cannot_be_read_is_a_mistake_in_usage(
    cli: Cli, arguments: list[str], reason: str
) -> None:
    ended = cli("remember", "x", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: Invalid value for '{arguments[0]}': ")
    assert reason in ended.err
    assert len(ended.err.splitlines()) == 1


def test_what_the_memory_refuses_is_an_error_naming_the_field(cli: Cli) -> None:
    ended = cli("remember", "", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.problem["type"] == "urn:bethink:problem:invalid-input"
    assert "content" in ended.problem["detail"]
    unknown = cli("remember", "x", "--person", "nobody")
    assert unknown.code == 1
    assert "nobody" in unknown.err


def test_changes_are_journalled_as_made_by_the_command_line(cli: Cli) -> None:
    import asyncio

    from bethink import AsyncBethink
    from bethink.store import journal

    cli.ok("remember", "x")

    async def actors() -> set[str]:
        async with AsyncBethink() as memory:
            core, space = await memory.inside.here()
            return {line.actor for line in await core.driver.read(journal.newest, space.id, limit=10)}

    assert asyncio.run(actors()) == {"cli"}
