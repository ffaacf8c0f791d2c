from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
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


def test_no_module_uses_the_underscore_names_of_another() -> None:
    """What a module keeps to itself may change without a look at the others."""
    package = ROOT / "src"
    found = [
        f"{path.relative_to(package)}:{line}: {name}"
        for path in sorted(package.rglob("*.py"))
        for line, name in borrowed(ast.parse(path.read_text("utf-8")))
    ]
    assert not found


def test_a_borrowed_name_is_seen() -> None:
    text = """
from other import _helper, plain
class Mine:
    def __init__(self):
        self._own = 1
    def _method(self, other):
        return other._own, self._method, self._inherited, other.__dict__
"""
    assert [name for _, name in borrowed(ast.parse(text))] == ["_helper", "_inherited"]


def borrowed(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Underscore names that a module imports, or takes of an object without defining them anywhere itself."""
    own = set(_defined(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, alias.name) for alias in node.names if _is_private(alias.name))
        elif isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
            yield node.lineno, node.attr


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
