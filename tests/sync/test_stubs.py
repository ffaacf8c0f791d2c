from __future__ import annotations

import ast
import inspect

import pytest

from bethink import AsyncBethink, sync
from bethink.sync import stubs
from bethink.sync.mirror import MIRRORS


def test_the_stub_is_up_to_date() -> None:
    assert stubs.PATH.read_text("utf-8") == stubs.stub(), "run: python -m bethink.sync.stubs"


@pytest.mark.parametrize("mirror", MIRRORS.values())
def test_the_stub_tells_every_public_name(mirror: type) -> None:
    tree = {node.name: node for node in ast.parse(stubs.stub()).body if isinstance(node, ast.ClassDef)}
    told = {node.name for node in tree[mirror.__name__].body if isinstance(node, ast.FunctionDef)}
    assert {name for name in vars(mirror) if not name.startswith("_")} == {
        name for name in told if not name.startswith("_")
    }


def test_what_the_stub_imports_is_there() -> None:
    for node in ast.walk(ast.parse(stubs.stub())):
        if isinstance(node, ast.ImportFrom):
            module = __import__(node.module or "", fromlist=["_"])
            assert all(hasattr(module, alias.name) for alias in node.names)


def test_the_mirrors_are_the_classes_of_sync() -> None:
    assert set(MIRRORS.values()) == {
        kind for _, kind in inspect.getmembers(sync, inspect.isclass) if kind.__module__ == "bethink.sync"
    }


def test_what_is_said_of_a_method_does_not_speak_of_await() -> None:
    assert "`await memory.remember(" in (AsyncBethink.remember.__doc__ or "")
    assert "`memory.remember(" in (sync.Bethink.remember.__doc__ or "")
    assert "await" not in stubs.stub()
