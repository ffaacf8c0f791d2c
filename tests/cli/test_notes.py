from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import Cli, start_program
from tests.waiting import PATIENCE_SECONDS, eventually


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BETHINK_FILES_FOLDER", str(tmp_path / "files"))
    folder = tmp_path / "files" / "default" / "notes"
    (folder / "people").mkdir(parents=True)
    return folder


def test_notes_are_listed_searched_shown_and_taken_in(cli: Cli, folder: Path) -> None:
    empty = cli.ok("notes", "list")
    assert "There are no notes yet" in empty.err
    assert str(folder) in empty.err.replace("\n", "")
    (folder / "people" / "anna.md").write_text("# Anna\n\nShe looks after the harbour budget.\n")
    (folder / "plan.json").write_text('{"title": "Pier", "budget": 900}')
    assert cli.ok("notes", "sync").out == "added people/anna.md\nadded plan.json\n"
    assert "Nothing new in 2 notes" in cli.ok("notes", "sync").err
    assert "ready" in cli.ok("notes", "list").out
    found = cli.ok("notes", "search", "BUDGET").out
    assert "people/anna.md:3: She looks after the harbour budget." in found
    assert "plan.json:1:" in found
    assert "plan.json" not in cli.ok("notes", "search", "budget", "--in", "people").out
    assert "No line holds it" in cli.ok("notes", "search", "zebra").err
    assert cli.ok("notes", "show", "people/anna.md").out.startswith("# Anna")
    assert "There is no note" in cli("notes", "show", "../SOUL.md").err
    assert "people/anna.md, Anna" in cli.ok("docs", "search", "harbour budget").out
    (folder / "plan.json").unlink()
    assert cli.json("notes", "sync")["removed"] == ["plan.json"]


def test_a_folder_of_notes_is_watched(cli: Cli, folder: Path) -> None:
    watching = start_program("notes", "watch", stdout=subprocess.PIPE)
    try:
        (folder / "people" / "anna.md").write_text("# Anna\n\nShe repairs cranes.\n")
        eventually(lambda: [one["name"] for one in cli.json("docs", "list")["items"]] == ["people/anna.md"])
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=PATIENCE_SECONDS)
