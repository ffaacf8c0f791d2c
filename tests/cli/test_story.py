"""What a user does, with the installed program and the packaged model, on each database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run_program


def test_remember_recall_list_forget(database_url: str) -> None:
    at = ("--database", database_url)
    stored = run_program("remember", "Anna is allergic to peanuts", "--tag", "food", "--json", *at)
    assert (stored.code, stored.json["status"]) == (0, "stored")
    memory_id = stored.json["id"]
    assert run_program("remember", "-", *at, stdin="The car is due\n").out.startswith("stored ")

    found = run_program("recall", "what must she not eat?", "--json", "-n", "1", *at).json
    assert [hit["id"] for hit in found["hits"]] == [memory_id]
    assert found["hits"][0]["vector"] is not None
    assert found["degraded"] == []

    listed = run_program("list", *at)
    assert len(listed.out.splitlines()) == 2
    assert memory_id in listed.out

    assert run_program("forget", memory_id, "--yes", *at).out == f"forgotten {memory_id}\n"
    assert memory_id not in run_program("list", *at).out
    assert memory_id not in run_program("recall", "peanuts", "--json", *at).out


def test_observe_then_recall_and_every_vector_is_made(database_url: str, chat: Path) -> None:
    at = ("--database", database_url)
    seen = run_program("observe", str(chat), *at)
    assert (seen.code, seen.out, seen.err) == (0, "3 messages in 2 sessions: 3 stored\n", "")
    again = run_program("observe", "-", "--json", *at, stdin=chat.read_bytes()).json
    assert (again["stored"], again["duplicate"]) == (0, 3)
    stats = run_program("stats", "--json", *at).json
    assert stats["layers"]["message"] == {"total": 3, "embedded": 3}
    found = run_program("recall", "where are we flying?", "--layer", "message", "--json", *at).json
    assert found["hits"][0]["text"] == "We fly to Lisbon in May."


def test_doctor_finds_a_working_memory_well(database_url: str) -> None:
    run_program("remember", "hello", "--database", database_url)
    ended = run_program("doctor", "--json", "--database", database_url)
    assert (ended.code, ended.json["status"]) == (0, "ok"), ended
    details = {check["name"]: check["detail"] for check in ended.json["checks"]}
    assert "local:bge-small" in details["round trip"]
    assert details["database"].startswith(
        "PostgreSQL 1" if database_url.startswith("post") else "SQLite file"
    )
    assert details["records"] == "1 record in 1 space, all with their vectors"


@pytest.mark.parametrize("arguments", [["--version"], ["version"]])
def test_the_installed_program_tells_its_version(arguments: list[str]) -> None:
    from bethink import __version__

    assert run_program(*arguments).out == f"bethink {__version__}\n"


def test_an_unreachable_embedder_is_a_warning_and_words_are_still_found() -> None:
    down = {"BETHINK_EMBED_BASE_URL": "http://127.0.0.1:9/v1", "BETHINK_EMBED_MODEL": "any"}
    stored = run_program("remember", "Anna is allergic to peanuts", **down)
    assert stored.code == 0
    assert stored.out.startswith("stored ")
    assert stored.err.startswith("warning: ")
    assert "127.0.0.1:9" in stored.err
    assert len(stored.err.splitlines()) == 1
    found = run_program("recall", "peanuts", **down)
    assert found.code == 0
    assert "Anna is allergic to peanuts" in found.out
    assert "bethink doctor" in found.err
    checked = run_program("doctor", "--json", **down)
    assert (checked.code, checked.json["status"]) == (0, "degraded")
    assert {check["name"]: check["state"] for check in checked.json["checks"]}["round trip"] == "degraded"
    # Once the source works, the vector can be made.
    assert run_program("stats", "--json").json["awaitingVectors"] == 1
    assert run_program("reindex", "--json").json["embedded"] > 0
    assert run_program("stats", "--json").json["awaitingVectors"] == 0
