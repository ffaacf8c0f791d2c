"""bethink ingest: other programs' messages, as over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import Cli
from tests.conversations.test_ingest import MAPPING, UPDATES


def test_it_shows_what_would_be_observed_and_then_observes_it(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "updates.json"
    file.write_text(json.dumps(UPDATES))
    seen = cli.ok("ingest", "bot", str(file), "--mapping", json.dumps(MAPPING), "--dry-run")
    assert "I bake rye bread" in seen.out
    assert "2 would be stored, 0 known already, 1 without words left out." in seen.err
    cli.ok("options", "set", f"ingest={json.dumps({'bot': MAPPING})}")
    assert "2 stored" in cli.ok("ingest", "bot", str(file)).err
    again = cli("ingest", "bot", "-", "--json", stdin=json.dumps(UPDATES))
    assert (again.code, again.json["stored"], again.json["duplicates"]) == (0, 0, 2)


def test_what_is_wrong_is_said(cli: Cli) -> None:
    assert "is not valid JSON" in cli("ingest", "bot", "-", stdin="{").err
    assert "body.id" in cli("ingest", "bot", "-", stdin='{"content": "x", "session": "s"}').err
    assert "colour" in cli("ingest", "bot", "-", "--mapping", '{"colour": "x"}', stdin="{}").err
