"""The client in TypeScript: built from the API's types, and run by Node against a real server."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from pathlib import Path

import pytest

from bethink.records import Role
from tests.rest.serving import new_space, running

ROOT = Path(__file__).parent.parent.parent
CLIENT = ROOT / "clients" / "typescript"


def test_it_is_typed_builds_and_holds_against_a_real_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    studio, tool = (importlib.import_module(name) for name in ("studio", "typescript_client"))
    if studio.find_node() is None:
        pytest.skip("Node 20.19 or newer, with npm, is not on this machine")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    node = tool.build(tmp_path / "dist")
    assert (tmp_path / "dist" / "index.d.ts").is_file()
    with running(str(tmp_path / "memory.db")) as server:
        where = {
            "BETHINK_URL": server.url,
            "BETHINK_KEY": server.key(new_space(), Role.MEMBER),
            "BETHINK_CLIENT": (tmp_path / "dist" / "index.js").as_uri(),
        }
        done = subprocess.run(
            [node, "--test", CLIENT / "test" / "client.test.js"],
            capture_output=True,
            text=True,
            env=os.environ | where,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests 7" in done.stdout


def test_it_depends_on_nothing_and_its_lock_names_no_address() -> None:
    package = json.loads((CLIENT / "package.json").read_text())
    assert "dependencies" not in package
    lock = (CLIENT / "package-lock.json").read_text()
    assert "resolved" not in lock
    assert "://" not in lock
    assert json.loads(lock)["packages"][""]["devDependencies"] == package["devDependencies"]
