"""Writes `__init__.pyi`, which tells editors and type checkers what the mirrored classes offer.

Run `python -m bethink.sync.stubs` after a change to a public method of the async classes; a test tells
when it was forgotten.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import defaultdict
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from bethink import memory, sync
from bethink.client import AsyncBethinkClient
from bethink.sync.mirror import MIRRORS, members_of, without_async

PATH = Path(sync.__file__).with_suffix(".pyi")
WIDTH = 110

_HEADER = '"""Written by `python -m bethink.sync.stubs`; do not edit."""'
_SPECIAL = {"__init__": "__init__", "__aenter__": "__enter__", "__aexit__": "__exit__"}
_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_NAMES = {original.__name__: mirror.__name__ for original, mirror in MIRRORS.items()}


def stub() -> str:
    """The text of the stub."""
    names = _Names()
    classes = [_class(original, mirror, names) for original, mirror in MIRRORS.items()]
    return "\n".join([_HEADER, "", *names.imports(), "", "\n\n".join(classes), ""])


class _Names(ast.NodeTransformer):
    """Rewrites annotations for the stub, and collects what it has to import for them."""

    def __init__(self) -> None:
        self._homes: dict[str, str] = {}
        self._members: set[str] = set()
        self._used: dict[str, set[str]] = defaultdict(set)

    def enter(self, original: type, members: set[str]) -> None:
        """Turn to the annotations of a class; one of its members may hide a builtin, such as list."""
        self._homes, self._members = _imported_by(inspect.getfile(original)), members

    def rewrite(self, annotation: str) -> str:
        return ast.unparse(self.visit(ast.parse(annotation, mode="eval")))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in _NAMES:
            return ast.Name(_NAMES[node.id])
        if node.id in self._members and hasattr(builtins, node.id):
            self._used["builtins"] = set()
            return ast.Attribute(ast.Name("builtins"), node.id)
        if home := self._homes.get(node.id):
            taken = node.id in _NAMES.values()  # a record that has the name of a mirrored class
            self._used[home].add(f"{node.id} as {node.id}Record" if taken else node.id)
            return ast.Name(f"{node.id}Record") if taken else node
        return node

    def imports(self) -> Iterator[str]:
        """Import statements in the house order: modules, names of the standard library, our own."""
        ours = {home for home in self._used if home.startswith("bethink.")}
        yield from (f"import {home}" for home in sorted(self._used) if not self._used[home])
        for home in sorted(self._used.keys() - ours):
            yield from self._import(home)
        yield ""
        for home in sorted(ours):
            yield from self._import(home)

    def _import(self, home: str) -> Iterator[str]:
        names = sorted(
            self._used[home], key=lambda name: (not name.isupper(), name.islower(), name.lower(), name)
        )
        plain = [name for name in names if " as " not in name]
        in_one = f"from {home} import {', '.join(plain)}"
        if len(in_one) > WIDTH:
            yield from (f"from {home} import (", *(f"    {name}," for name in plain), ")")
        elif plain:
            yield in_one
        yield from (f"from {home} import {name}" for name in names if name not in plain)


def _imported_by(path: str) -> dict[str, str]:
    """Each name a module imports from another, with that other."""
    return {
        alias.asname or alias.name: node.module
        for node in ast.walk(ast.parse(Path(path).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _class(original: type, mirror: type, names: _Names) -> str:
    own: dict[str, Any] = {
        key: member for key, member in vars(mirror).items() if isinstance(member, property)
    }
    theirs = {key: (member, original) for key, member in own.items()} | members_of(original)
    members = {
        _SPECIAL.get(key, key): found
        for key, found in theirs.items()
        if key in _SPECIAL or not key.startswith("_")
    }
    if original not in (memory.AsyncBethink, AsyncBethinkClient):
        del members["__init__"]  # the others are made by these
    bases = [base.__name__ for base in mirror.__bases__ if base.__name__ in _NAMES.values()]
    lines = [f"class {mirror.__name__}({', '.join(bases)}):" if bases else f"class {mirror.__name__}:"]
    lines += _docstring(original.__doc__)
    for key, (member, home) in members.items():
        names.enter(home, set(members))
        apart = not lines[-1].endswith(": ...")  # the house style keeps what has no description together
        lines += [""] * apart + _method(key, member, names)
    return "\n".join(lines)


def _method(name: str, member: Any, names: _Names) -> list[str]:
    marks = ["@property"] if isinstance(member, property) else []
    function: Any = member.fget if isinstance(member, property) else member
    signature = inspect.signature(function)
    shown: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not any(part.startswith("*") for part in shown):
            shown.append("*")
        shown.append(_parameter(parameter, names))
    described = _docstring(function.__doc__)
    end = f") -> {names.rewrite(signature.return_annotation)}:" + ("" if described else " ...")
    lines = [*marks, *_wrapped(f"def {name}(", shown, end), *described]
    return [f"    {line}" if line else "" for line in lines]


def _parameter(parameter: inspect.Parameter, names: _Names) -> str:
    shown = f"{_STARS.get(parameter.kind, '')}{parameter.name}"
    if parameter.annotation is parameter.empty:
        return shown
    shown += f": {names.rewrite(parameter.annotation)}"
    return shown if parameter.default is parameter.empty else f"{shown} = {_literal(parameter.default)}"


def _literal(value: Any) -> str:
    if isinstance(value, str) and not isinstance(value, Enum):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value) if value is None or isinstance(value, bool | int | float) else "..."


def _wrapped(start: str, parameters: list[str], end: str) -> list[str]:
    """A signature in as many lines as the house style takes for it."""
    room = WIDTH - 4
    in_one = start + ", ".join(parameters) + end
    if len(in_one) <= room:
        return [in_one]
    in_three = "    " + ", ".join(parameters)
    if len(in_three) <= room:
        return [start, in_three, end]
    return [start, *(f"    {parameter}," for parameter in parameters), end]


def _docstring(description: str | None) -> list[str]:
    text = without_async(inspect.cleandoc(description or ""))
    if not text:
        return []
    lines = [f'"""{text}"""'] if "\n" not in text else [*f'"""{text}'.split("\n"), '"""']
    return [f"    {line}" if line else "" for line in lines]


if __name__ == "__main__":
    PATH.write_text(stub(), "utf-8")
