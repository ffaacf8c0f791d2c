"""The examples of docs/integrations.md, each run as it stands there."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bethink import Bethink
from tests.opened import Home

PAGE = (Path(__file__).parents[2] / "docs/integrations.md").read_text("utf-8")
_EXAMPLE = re.compile(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```", re.M | re.S)
EXAMPLES: dict[str, str] = dict(_EXAMPLE.findall(PAGE))


def _agents() -> Any:
    from agents import set_tracing_disabled

    from tests.integrations.test_openai_agents import ScriptedModel, says

    set_tracing_disabled(True)
    return ScriptedModel(says("Hello, Anna."))


def _pydantic_ai() -> Any:
    from pydantic_ai.models.test import TestModel

    return TestModel(call_tools=["list_memories"])


def _llama_index() -> Any:
    pytest.importorskip("llama_index.core")
    from tests.integrations.test_llama_index import ScriptedLLM

    return ScriptedLLM()


def _crewai() -> Any:
    pytest.importorskip("crewai")
    from tests.integrations.test_crewai import embedder

    return embedder


MODELS: dict[str, Callable[[], Any]] = {
    "OpenAI Agents SDK": _agents,
    "Pydantic AI": _pydantic_ai,
    "LlamaIndex": _llama_index,
    "CrewAI": _crewai,
}


def test_there_is_an_example_of_each() -> None:
    assert set(EXAMPLES) == {"LangGraph", "LangChain", "mem0", *MODELS}


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_does_what_it_says(title: str, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    model = MODELS[title]() if title in MODELS else None
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        names: dict[str, Any] = {"memory": memory, "model": model}
        code = compile(EXAMPLES[title], title, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, names))
        else:
            exec(code, names)
        if title == "mem0":
            names["m"].reset()
    (expected,) = re.findall(r"^print\(.*\)  # (.*)$", EXAMPLES[title], re.M)
    assert expected in capsys.readouterr().out
