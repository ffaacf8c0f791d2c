from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Cli


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the machine decides how the output looks."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PY_COLORS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("BETHINK_EMBED_SOURCE", "none")
    return Cli()


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A conversation as JSON Lines."""
    file = tmp_path / "chat.jsonl"
    file.write_text(
        '{"session": "trip", "role": "user", "name": "Anna", "id": "m1",'
        ' "content": "We fly to Lisbon in May."}\n'
        '{"session": "trip", "role": "assistant", "content": "Shall I book a hotel?", "id": "m2"}\n'
        "\n"
        '{"session": "food", "role": "user", "content": "No peanuts for me, please.", "id": "m3"}\n'
    )
    return file
