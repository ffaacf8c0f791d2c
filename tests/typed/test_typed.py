"""What type checkers make of calls of the façade, as they are in the programs of its users."""

from __future__ import annotations

import ast
import inspect
import io
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import bethink
from bethink import AsyncBethink, AsyncBethinkClient, Bethink, Conflict, NotFound, Settings, StoreError
from bethink.sync.mirror import MIRRORS
from bethink.testing import HashEmbedder
from tests.typed.calls import MADE_RIGHT, MADE_WRONG, RIGHT, WRONG

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".mypy_cache" / "typed"  # apart, because users have no plugins and other options
NAMES = (
    "Finding, InsightKind, Layer, MemoryDraft, MemoryType, MessageDraft, Mode, PersonDraft, Role,"
    " ExtractionStatus, Urgency"
)
MISSPELT = "nonsense"  # a keyword that no verb has
HEAD = f"""import io
from datetime import date, datetime
from pathlib import Path
from bethink import AsyncBethink, AsyncBethinkClient, Bethink, BethinkClient, {NAMES}

m = f = p = c = k = i = "id"
NOW, DAY = datetime.now(), date.today()
""".splitlines()


def program(calls: list[str], made: list[str], facade: str = "Bethink") -> tuple[list[str], dict[int, str]]:
    """A module that makes each call, without and with `await`; and which call is on which line."""
    lines = [*HEAD, f"def without(memory: {facade}) -> None:", "    pass"]
    places: dict[int, str] = {}

    def put(line: str, call: str) -> None:
        lines.append(f"    {line}")
        places[len(lines)] = call

    for call in calls:
        put(f"memory.{call}", call)
    for call in made:
        put(call, call)
    lines.extend([f"async def with_await(memory: Async{facade}) -> None:", "    pass"])
    for call in calls:
        put(f"memory.{call}" if call.startswith("space(") else f"await memory.{call}", f"await {call}")
    for call in made:
        put(f"Async{call}", f"Async{call}")
    return lines, places


def refused(folder: Path, **programs: list[str]) -> dict[str, dict[int, str]]:
    """The lines that mypy refuses in each of these modules, and why."""
    options = ["--strict", "--config-file=", "--cache-dir", str(CACHE), "--no-error-summary"]
    environ = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "mypy", *options, "--follow-imports", "silent"]
    for name, lines in programs.items():
        (folder / f"{name}.py").write_text("\n".join(lines) + "\n", "utf-8")
    done = subprocess.run(
        [*command, *(f"{name}.py" for name in programs)],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr or done.stdout
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for name, line, message in re.findall(r"^(\w+)\.py:(\d+): error: (.*)$", done.stdout, re.MULTILINE):
        found[name][int(line)] = f"{found[name].get(int(line), '')}{message}\n"
    return found


def test_right_calls_pass_and_each_wrong_one_is_refused(tmp_path: Path) -> None:
    right, _ = program(RIGHT, MADE_RIGHT)
    wrong, places = program(WRONG, MADE_WRONG)
    here, here_places = program(misspelt(AsyncBethink), [])
    there, there_places = program(misspelt(AsyncBethinkClient), [], "BethinkClient")
    found = refused(tmp_path, right=right, wrong=wrong, here=here, there=there)
    assert {right[line - 1].strip(): why for line, why in found["right"].items()} == {}
    assert [call for line, call in places.items() if line not in found["wrong"]] == []
    assert set(found["wrong"]) == set(places)
    for name, called in (("here", here_places), ("there", there_places)):
        assert [call for line, call in called.items() if MISSPELT not in found[name].get(line, "")] == []


def misspelt(facade: type) -> list[str]:
    """A call of every verb of a façade with a keyword that no verb has."""
    return [f"{name}({MISSPELT}=1)" for name, _ in verbs(facade)]


def keywords_of(method: Any) -> set[str]:
    hints, names = get_type_hints(method), set()
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            names.add(parameter.name)
        elif parameter.kind is parameter.VAR_KEYWORD:
            names |= set(get_type_hints(hints[parameter.name].__args__[0]))
    return names


def verbs(facade: type = AsyncBethink) -> Iterator[tuple[str, Any]]:
    """The methods of a façade and of its parts, as they are called."""
    handles = {
        kind: f"{name}."
        for name, member in inspect.getmembers(facade, lambda member: isinstance(member, property))
        if (kind := get_type_hints(member.fget)["return"]) in MIRRORS
    }
    for kind, prefix in (handles | {facade: ""}).items():
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{prefix}{name}", method


def test_the_right_calls_use_every_keyword_of_every_verb() -> None:
    used: dict[str, set[str]] = defaultdict(set)
    for text in RIGHT:
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        used[ast.unparse(call.func)] |= {keyword.arg for keyword in call.keywords if keyword.arg}
    assert {name: left for name, verb in verbs() if (left := keywords_of(verb) - used[name])} == {}


def test_the_right_settings_have_every_section() -> None:
    made = " ".join(MADE_RIGHT)
    assert [name for name in Settings.model_fields if name != "url" and f"{name}=" not in made] == []


@pytest.fixture(scope="module")
def memory() -> Iterator[Bethink]:
    with Bethink(":memory:", embedder=HashEmbedder()) as opened:
        yield opened


def test_what_passes_there_passes_the_validators(memory: Bethink) -> None:
    """Types that let through what is then refused would be worse than none."""
    names: dict[str, Any] = {name: getattr(bethink, name) for name in NAMES.split(", ")}
    names |= {"io": io, "memory": memory, "NOW": datetime.now(UTC), "DAY": date(2024, 1, 1)}
    person = memory.people.list()[0].id
    names |= {"m": memory.remember("a memory").id, "f": memory.facts.set("x", "y", "z").fact.id, "p": person}
    names |= {"c": memory.contexts.add("C", "x").id, "k": memory.keys.create("a key").id}
    names |= {"i": memory.insights.add("an insight").id}
    for text in RIGHT:
        # It was understood; that is all that types can promise.
        with suppress(NotFound, Conflict, StoreError):
            eval(f"memory.{text}", names)
