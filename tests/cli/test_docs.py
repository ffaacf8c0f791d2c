from __future__ import annotations

from pathlib import Path

from tests.cli.running import Cli


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
