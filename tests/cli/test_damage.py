"""The command line on a damaged database, and on one that is not there."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from bethink.store import damage
from tests.cli.running import Cli, run_in_terminal


@pytest.fixture
def damaged(cli: Cli, tmp_path: Path) -> str:
    """The id of a memory whose text is no text, among others."""
    damage._told.clear()
    made = [cli.json("remember", f"Note {number} about tea") for number in range(3)]
    id_ = str(made[1]["id"])
    connection = apsw.Connection(str(tmp_path / "home" / "memory.db"))
    connection.execute("UPDATE memories SET content = CAST(x'ff41' AS TEXT) WHERE id = ?", (id_,))
    connection.close()
    return id_


def test_the_doctor_reads_every_record_when_asked_and_names_what_it_cannot_read(
    cli: Cli, damaged: str
) -> None:
    assert cli.ok("doctor").code == 0, "a quick look does not read records"
    ended = cli("doctor", "--deep")
    assert ended.code == 1
    assert f"the memory {damaged}: content cannot be read" in ended.out
    assert "bethink export" in ended.out


def test_a_sound_database_is_told_sound(cli: Cli) -> None:
    cli.ok("remember", "Anna likes tea")
    found = {check["name"]: check for check in cli.json("doctor", "--deep")["checks"]}
    assert found["integrity"]["state"] == "ok"
    assert "can be read" in found["integrity"]["detail"]


@pytest.mark.parametrize("command", [("list",), ("recall", "tea"), ("stats",)])
def test_the_others_are_shown_and_the_damaged_one_is_named(
    cli: Cli, damaged: str, command: tuple[str, ...]
) -> None:
    ended = cli.ok(*command)
    assert "Traceback" not in ended.err
    if command[0] != "stats":
        assert "Note 0" in ended.out
        assert f"The memory {damaged} is damaged" in ended.err


def test_an_export_goes_around_it_and_says_so(cli: Cli, damaged: str, tmp_path: Path) -> None:
    ended = cli.ok("export", str(tmp_path / "saved.jsonl"))
    assert damaged in ended.err
    cli.ok("import", str(tmp_path / "saved.jsonl"), "--space", "restored")


# Where the database is to be


def test_a_folder_that_is_not_there_is_not_made_unasked(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "memroy" / "notes.db"
    ended = cli("remember", "Anna likes tea", "--database", str(path), "--json")
    assert ended.code == 1
    assert "--create" in ended.problem["detail"]
    assert not path.parent.exists()
    assert "--create" in cli("migrate", "--database", str(path)).err
    assert "--create" in cli("serve", "--database", str(path), "--port", "0").err
    assert not path.parent.exists()
    cli.ok("remember", "Anna likes tea", "--database", str(path), "--create")
    assert "tea" in cli.ok("list", "--database", str(path)).out


@pytest.mark.parametrize(("answer", "made"), [("n\n", False), ("y\n", True)])
@pytest.mark.usefixtures("cli")
def test_at_a_terminal_it_is_asked(tmp_path: Path, answer: str, made: bool) -> None:
    path = tmp_path / "new" / "notes.db"
    code, screen = run_in_terminal("remember", "Anna likes tea", "--database", str(path), answer=answer)
    assert f"There is no folder {path.parent}" in " ".join(screen.split())
    assert (code == 0, path.exists()) == (made, made)


def test_an_emptied_database_is_an_error_that_says_what_to_do(cli: Cli, tmp_path: Path) -> None:
    cli.ok("remember", "Anna likes tea")
    (tmp_path / "home" / "memory.db").write_bytes(b"")
    ended = cli("list")
    assert ended.code == 1
    assert "was a database before" in ended.err
    assert "was a database before" in cli("doctor").out
