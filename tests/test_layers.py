from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# Shipped beside the layers: for the tests of users, for those who change the library, and for anything async.
APART = {"mirror", "stubs", "testing"}


def layers() -> list[list[str]]:
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def modules() -> set[str]:
    package = ROOT / "src" / "bethink"
    return {path.stem for path in package.glob("*.py")} - {"__init__"} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }


def test_every_module_has_its_place_in_the_layers() -> None:
    """Import-linter passes over what it is not told of, so a module that is not listed is not checked."""
    listed = [name for layer in layers() for name in layer]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == modules() - APART
