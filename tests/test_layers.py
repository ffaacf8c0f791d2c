from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# Shipped beside the layers: for the tests of users, for those who change the library, and for anything async.
APART = {"mirror", "stubs", "testing"}

MOST_AT_THE_TOP = 12  # modules beside the rooms
# Modules of our own that are imported in a function, and why; the command line's are apart.
LATE = {
    "documents.formats.iwork": "what reads a file without a preview is an extra",
    "index.vectors": "which database there is decides which index is loaded",
    "index.vectors.outside": "each store is an extra",
    "mcp.http": "MCP is an extra",
    "models.embed.resolve": "loads an HTTP client, which only hosts need",
    "models.embed.sources": "each source is an extra, or loads a model's runtime",
    "store": "PostgreSQL is an extra",
    "testing": "an embedder for tests needs no chat model",
}
# What nouns there are, what a memory keeps open, and what follows from a change.
PUT_TOGETHER = {"NOUNS.register", "core.add", "changes.on"}


def layers() -> list[list[str]]:
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def modules() -> set[str]:
    package = ROOT / "src" / "bethink"
    return {path.stem for path in package.glob("*.py")} - {"__init__"} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }


@functools.cache
def trees() -> dict[str, ast.Module]:
    """Every module of the package, parsed."""
    package = ROOT / "src" / "bethink"
    paths = {path: path.relative_to(package).with_suffix("").parts for path in sorted(package.rglob("*.py"))}
    return {
        ".".join(parts).removesuffix(".__init__"): ast.parse(path.read_text("utf-8"))
        for path, parts in paths.items()
    }


def test_every_module_has_its_place_in_the_layers() -> None:
    """Import-linter passes over what it is not told of, so a module that is not listed is not checked."""
    listed = [name for layer in layers() for name in layer]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == modules() - APART


def test_few_modules_stand_beside_the_rooms() -> None:
    package = ROOT / "src" / "bethink"
    alone = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    assert len(alone) <= MOST_AT_THE_TOP


def test_own_modules_are_imported_at_the_top_or_it_is_said_why_not() -> None:
    """The command line does so everywhere: what a command does not need would make each start slower."""
    late = {name for name, tree in trees().items() if not name.startswith("cli") and imports_late(tree)}
    assert late == LATE.keys()


def test_only_wiring_puts_the_rooms_together() -> None:
    found = {
        name
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and f"{name_of(node.value)}.{node.attr}" in PUT_TOGETHER
    }
    assert found == {"wiring"}


def name_of(node: ast.expr) -> str | None:
    return getattr(node, "attr", None) or getattr(node, "id", None)


def imports_late(tree: ast.Module) -> bool:
    """Whether a module of the package is imported within a function."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(
        isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "bethink"
        for function in functions
        for node in ast.walk(function)
    )


def test_no_module_uses_the_underscore_names_of_another() -> None:
    """What a module keeps to itself may change without a look at the others."""
    found = [f"{module}:{line}: {name}" for module, tree in trees().items() for line, name in borrowed(tree)]
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
