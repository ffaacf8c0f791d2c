"""A settings file that came with a project: what it may say, and when."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from bethink.settings import Settings, hosts_and_keys, setting_names
from tests.cli.running import Cli

FILE = Path("bethink.toml")


@pytest.fixture
def stranger() -> Iterator[tuple[str, list[bytes]]]:
    """A host that a project names, and what it was sent."""
    sent: list[bytes] = []

    class Listens(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(500)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Listens)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", sent
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_file_that_was_not_trusted_is_not_used_and_one_line_says_so(cli: Cli) -> None:
    FILE.write_text("space = 'theirs'\n")
    ended = cli.ok("remember", "Anna likes tea", "--json")
    assert ended.err.count("\n") == 1
    assert "not trusted" in ended.err
    assert "bethink trust" in ended.err
    assert cli.json("spaces", "list")[0]["name"] == "default"


def test_a_trusted_file_counts_without_a_word(cli: Cli) -> None:
    FILE.write_text("space = 'theirs'\n")
    cli.ok("trust")
    ended = cli.ok("remember", "Anna likes tea", "--json")
    assert ended.err == ""
    assert "theirs" in {space["name"] for space in cli.json("spaces", "list")}


def test_a_changed_file_must_be_trusted_anew(cli: Cli) -> None:
    FILE.write_text("space = 'theirs'\n")
    cli.ok("trust")
    FILE.write_text("space = 'others'\n")
    assert "changed since" in cli.ok("stats").err
    assert cli.json("trust", "--list")[0]["state"] == "changed"
    cli.ok("trust")
    assert cli.json("stats")["space"] == "others"


@pytest.mark.parametrize("trusted", [False, True])
def test_nothing_is_sent_to_a_host_that_a_project_names(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, stranger: tuple[str, list[bytes]], trusted: bool
) -> None:
    monkeypatch.delenv("BETHINK_EMBED_SOURCE")
    monkeypatch.setenv("BETHINK_RECALL_TIER", "fast")
    address, sent = stranger
    FILE.write_text(
        f"[embed]\nbase_url = '{address}'\napi_key = 'k'\n[chat]\nbase_url = '{address}'\n"
        f"[rerank]\nsource = 'http'\nbase_url = '{address}'\n[recall]\nlimit = 3\n"
    )
    if trusted:
        cli.ok("trust")
    monkeypatch.setenv("BETHINK_RERANK_SOURCE", "off")  # without its host there is nobody to ask
    cli.ok("remember", "Anna likes tea")
    ended = cli.ok("recall", "tea")
    assert sent == []
    if trusted:
        assert "chat.base_url, embed.api_key, embed.base_url, rerank.base_url" in ended.err
        assert "hosts and keys" in ended.err


def test_a_trusted_file_is_laid_over_the_users_own(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "bethink.toml").write_text("[recall]\nlimit = 3\nmax_tokens = 700\n")
    FILE.write_text("[recall]\nlimit = 5\n")
    cli.ok("trust")
    recall = Settings.load().recall
    assert (recall.limit, recall.max_tokens) == (5, 700)


def test_a_file_named_by_the_user_counts_whole(cli: Cli) -> None:
    FILE.write_text("space = 'theirs'\n[embed]\nbase_url = 'http://host.example/v1'\n")
    settings = Settings.load(file=FILE)
    assert (settings.space, settings.embed.base_url) == ("theirs", "http://host.example/v1")
    assert cli.ok("stats", "--config", str(FILE)).err.count("trust") == 0


def test_trust_is_kept_for_the_user_alone_and_can_be_taken_back(cli: Cli, tmp_path: Path) -> None:
    FILE.write_text("space = 'theirs'\n")
    cli.ok("trust")
    kept = tmp_path / "state" / "bethink" / "trusted.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    listed = cli.json("trust", "--list")
    assert [(one["path"], one["state"]) for one in listed] == [(str(FILE.resolve()), "as trusted")]
    cli.ok("trust", "--remove")
    assert cli.json("trust", "--list") == []
    assert "not trusted" in cli.ok("stats").err
    assert "is not trusted" in cli("trust", "--remove").err


def test_what_will_be_ignored_is_told_when_a_file_is_trusted(cli: Cli) -> None:
    FILE.write_text(
        "url = 'postgresql://host.example/x'\n[gateway.providers.a]\nbase_url = 'http://a.example'\n"
    )
    assert cli.json("trust")["ignored"] == ["gateway.providers", "url"]


def test_a_project_does_not_send_the_users_key_to_another_provider(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BETHINK_GATEWAY_API_KEY", "k")
    FILE.write_text("[gateway]\nkind = 'anthropic'\n")
    assert cli.json("trust")["ignored"] == ["gateway.kind"]
    assert Settings.load().gateway.kind == "openai"


def test_a_project_neither_sends_the_mail_password_elsewhere_nor_runs_a_command(cli: Cli) -> None:
    FILE.write_text(
        "[mail]\nhost = 'imap.example'\nsecurity = 'none'\npassword_command = 'id'\nsince_days = 3\n"
    )
    assert cli.json("trust")["ignored"] == ["mail.host", "mail.password_command", "mail.security"]
    assert (Settings.load().mail.host, Settings.load().mail.since_days) == (None, 3)


def test_a_file_of_another_name_is_not_trusted(cli: Cli) -> None:
    Path("other.toml").write_text("space = 'x'\n")
    ended = cli("trust", "other.toml", "--json")
    assert ended.code == 1
    assert "--config" in ended.problem["detail"]


def test_a_damaged_list_of_trusted_files_trusts_nothing(cli: Cli, tmp_path: Path) -> None:
    FILE.write_text("space = 'theirs'\n")
    cli.ok("trust")
    (tmp_path / "state" / "bethink" / "trusted.json").write_text("{")
    assert cli.json("stats")["space"] == "default"
    assert "is not trusted" in cli.ok("doctor").out


def test_every_address_and_every_secret_is_known_as_one() -> None:
    """A new setting with a name like these must be of the type of an address or of a secret."""
    names = [
        name
        for name in setting_names(Settings)
        if name.endswith(("_url", "api_key", "endpoint", ".host", "_hosts", "_origins", "_token", "_secret"))
    ]
    values: dict[str, object] = {}
    for name in names:
        section, _, last = name.rpartition(".")
        holder = values.setdefault(section, {}) if section else values
        assert isinstance(holder, dict)
        holder[last] = "x"
    assert len(names) > 8
    assert hosts_and_keys(json.loads(json.dumps(values)), Settings) == sorted(names)


def test_a_database_file_is_no_host() -> None:
    assert hosts_and_keys({"url": "notes.db"}, Settings) == []
    assert hosts_and_keys({"url": "postgresql://me@host.example/x"}, Settings) == ["url"]
