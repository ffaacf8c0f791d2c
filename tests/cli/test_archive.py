from __future__ import annotations

from pathlib import Path

from tests.cli.running import Cli, run_program

MEM0 = Path(__file__).parent.parent / "transfer" / "files" / "mem0.json"
CHATS = Path(__file__).parent.parent / "transfer" / "chats" / "data"


def test_a_space_is_exported_and_imported_elsewhere(cli: Cli, tmp_path: Path) -> None:
    cli.ok("remember", "The boiler is serviced every May")
    cli.ok("facts", "set", "food", "allergy", "peanuts")
    file, other = tmp_path / "archive.jsonl", str(tmp_path / "other.db")
    told = cli.ok("export", str(file)).out
    assert "exported 6 records" in told
    done = cli.ok("import", str(file), "--database", other).out
    assert "imported from bethink: 1 person, 1 memory, 1 fact, 2 lines of the journal" in done
    cli.ok("export", str(tmp_path / "again.jsonl"), "--database", other)
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
    again = cli.ok("import", str(file), "--database", other)
    assert "nothing new" in again.out
    assert "5 records known already" in again.err


def test_it_goes_through_pipes(tmp_path: Path) -> None:
    first, second = str(tmp_path / "1.db"), str(tmp_path / "2.db")
    plain = {"BETHINK_EMBED_SOURCE": "none"}
    assert run_program("remember", "one", "--database", first, **plain).code == 0
    archive = run_program("export", "-", "--database", first, **plain).out
    done = run_program("import", "-", "--database", second, "--json", stdin=archive, **plain)
    assert done.json["restored"] is True
    assert run_program("export", "-", "--database", second, **plain).out == archive


def test_a_mem0_export_is_imported(cli: Cli) -> None:
    done = cli.ok("import", str(MEM0))
    assert "imported from mem0: 2 memories" in done.out
    assert "1 relations of the mem0 graph were left out" in done.err


def test_a_bad_file_is_refused_with_line_and_field(cli: Cli, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('["fine",\n{"text": 3}]')
    refused = cli("import", str(bad))
    assert refused.code == 1
    assert "line 2: 1.content" in refused.err
    assert "cannot be read" in cli("import", str(tmp_path / "none")).err
    assert "cannot be written" in cli("export", str(tmp_path / "none" / "x")).err


def test_conversations_are_imported_with_who_is_me(cli: Cli) -> None:
    chat = str(CHATS / "WhatsApp Chat with Bob.txt")
    refused = cli("import", chat)
    assert refused.code == 1
    assert "which of its people you are" in refused.err
    assert "Anna, Bob" in refused.err or "Bob, Anna" in refused.err
    done = cli.ok("import", chat, "--me", "Anna", "--timezone", "America/New_York", "--date-order", "mdy")
    assert "imported from whatsapp: 1 session, 6 messages" in done.out
    assert "2 lines about the chat itself left out" in done.err
    again = cli.ok("import", chat, "--me", "Anna", "--timezone", "America/New_York")
    assert "nothing new" in again.out
    assert "6 records known already" in again.err
    assert "known are chatgpt" in cli("import", chat, "--format", "icq").err
    assert "begins neither an mbox file nor a mail" in cli("import", chat, "--format", "mail").err
