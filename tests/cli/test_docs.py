from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from tests.cli.running import Cli, start_program
from tests.waiting import PATIENCE_SECONDS, eventually


def test_files_are_added_listed_searched_shown_and_removed(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    (folder / "more").mkdir(parents=True)
    (folder / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave.")
    (folder / "more" / "pay.csv").write_text("Name,Pay\nAnna,3000\n")
    (folder / ".hidden.md").write_text("not this")
    added = cli.ok("docs", "add", str(folder))
    assert "added" in added.out
    assert ".hidden" not in added.out
    items = cli.json("docs", "list")["items"]
    assert {(one["name"], one["status"]) for one in items} == {("leave.md", "ready"), ("pay.csv", "ready")}
    document = next(one["id"] for one in items if one["name"] == "leave.md")
    found = cli.ok("docs", "search", "how many days of leave?").out
    assert "1. leave.md, Leave" in found
    assert "thirty days of leave" in found
    assert "Everybody has thirty days" in cli.ok("docs", "show", document).out
    (folder / "leave.md").write_text("# Leave\n\nEverybody has forty days of leave.")
    assert f"replaced {document}" in cli.ok("docs", "add", str(folder)).out
    assert "forty" in cli.ok("docs", "show", document).out
    assert "removed" in cli.ok("docs", "remove", document).out
    assert document not in cli.ok("docs", "list").out


def test_what_cannot_be_read_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    failed = cli("docs", "add", str(tmp_path / "broken.pdf"))
    assert failed.code == 1
    assert "damaged or cut off" in failed.err
    assert "There is no file" in cli("docs", "add", str(tmp_path / "missing.pdf")).err
    (tmp_path / "a-first.md").write_text("")
    (tmp_path / "z-last.md").write_text("# Leave\n\nEverybody has thirty days of leave.")
    folder = cli("docs", "add", str(tmp_path))
    assert folder.code == 1
    assert "a-first.md: The file is empty." in folder.err
    assert "z-last.md, 1 passage" in folder.out


def test_a_folder_that_is_watched_is_taken_in_as_it_changes(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nEverybody has thirty days.")
    watching = start_program("docs", "add", str(folder), "--watch", stdout=subprocess.PIPE)
    try:
        _wait_for(cli, "leave.md", "thirty")
        (folder / "leave.md").write_text("# Leave\n\nEverybody has forty days.")
        (folder / "pay.md").write_text("# Pay\n\nIt comes on the last day of the month.")
        _wait_for(cli, "leave.md", "forty")
        _wait_for(cli, "pay.md", "last day")
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=PATIENCE_SECONDS)
    assert len(cli.json("docs", "list")["items"]) == 2


def _wait_for(cli: Cli, name: str, text: str) -> None:
    def look() -> bool:
        items = [one["id"] for one in cli.json("docs", "list")["items"] if one["name"] == name]
        return any(text in cli.ok("docs", "show", id_).out for id_ in items)

    eventually(look)
