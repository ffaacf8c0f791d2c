"""The client in TypeScript: built from the API's types, and run by Node against a real server."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink.records import Role
from tests.rest.serving import new_space, running

ROOT = Path(__file__).parent.parent.parent
CLIENT = ROOT / "clients" / "typescript"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Node, and the folder that the client was built into."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "package.json").write_text('{"type": "module"}')
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(ROOT / "tools"))
        studio, tool = (importlib.import_module(name) for name in ("studio", "typescript_client"))
        if studio.find_node() is None:
            pytest.skip("Node 20.19 or newer, with npm, is not on this machine")
        yield tool.build(folder / "dist"), folder


def run(*command: str | Path, **more: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | more, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_holds_against_a_real_server(node: tuple[Path, Path], database_url: str) -> None:
    with running(database_url) as server:
        where = {
            "BETHINK_URL": server.url,
            "BETHINK_KEY": server.key(new_space(), Role.MEMBER),
            "BETHINK_CLIENT": (node[1] / "dist" / "index.js").as_uri(),
        }
        assert "tests 7" in run(node[0], "--test", CLIENT / "test" / "client.test.js", **where)


def test_its_types_take_what_is_right_and_nothing_else(node: tuple[Path, Path]) -> None:
    assert (node[1] / "dist" / "index.d.ts").is_file()
    compiler = ROOT / "studio" / "node_modules" / "typescript" / "bin" / "tsc"
    run(node[0], compiler, "--project", CLIENT / "usage")


def test_it_depends_on_nothing_and_its_lock_names_no_address() -> None:
    package = json.loads((CLIENT / "package.json").read_text())
    assert "dependencies" not in package
    lock = (CLIENT / "package-lock.json").read_text()
    assert "resolved" not in lock
    assert "://" not in lock
    assert json.loads(lock)["packages"][""]["devDependencies"] == package["devDependencies"]
