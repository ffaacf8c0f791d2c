"""The configured model, else a preferred small one, else the smallest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.models.chat.select import is_small, select, size_of

OPENAI = ["gpt-5", "gpt-5-mini", "gpt-5-nano", "text-embedding-3-small", "whisper-1", "gpt-4o-mini-tts"]
OLLAMA = ["llama3.3:70b", "qwen3:0.6b", "gemma3:270m", "nomic-embed-text:latest", "mistral:latest"]
ROUTER = [
    "anthropic/claude-opus-4",
    "anthropic/claude-haiku-4.5",
    "google/gemini-3-flash-preview",
    "openai/gpt-5",
]


@pytest.mark.parametrize(
    ("listed", "wanted", "preferred", "model"),
    [
        (OPENAI, "gpt-5", ["gpt-5-nano"], "gpt-5"),
        (OPENAI, "gone", ["also-gone", "gpt-5-mini"], "gpt-5-mini"),
        (OPENAI, None, [], "gpt-5-nano"),
        (OLLAMA, "mistral", [], "mistral:latest"),
        (OLLAMA, None, ["gpt-5-nano"], "gemma3:270m"),
        (ROUTER, None, [], "anthropic/claude-haiku-4.5"),
        (["models/gemini-2.5-flash"], "gemini-2.5-flash", [], "models/gemini-2.5-flash"),
        (["b-7b", "a-7b"], None, [], "a-7b"),
    ],
)
def test_the_model(listed: list[str], wanted: str | None, preferred: list[str], model: str) -> None:
    found = select(listed, wanted, preferred)
    assert found is not None
    assert found.model == model


def test_it_says_why_another_is_used() -> None:
    found = select(OPENAI, "gone", [])
    assert found is not None
    assert found.reason.startswith("gone is not among the host's models; it is the smallest")


@pytest.mark.parametrize("listed", [[], ["text-embedding-3-small", "whisper-1"]])
def test_a_host_without_a_chat_model_has_none(listed: list[str]) -> None:
    assert select(listed, "gpt-5", ["gpt-5-nano"]) is None


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("mixtral-8x7b", 56),
        ("qwen3:0.6b", 0.6),
        ("gemma3:270m", 0.27),
        ("gpt-5-nano", 2),
        ("gemini-pro", 200),
    ],
)
def test_a_name_tells_the_size(name: str, billions: float) -> None:
    assert size_of(name) == pytest.approx(billions)


@pytest.mark.parametrize(
    ("name", "small"),
    [
        *((name, True) for name in ("qwen2.5:0.5b", "Qwen2.5-1.5B-Instruct", "phi3:mini", "llama3.1:8b")),
        *((name, True) for name in ("gpt-5-nano", "tinyllama:1.1b", "TinyLlama-tiny", "mistral-7b")),
        *((name, False) for name in ("gpt-5", "mistral:latest", "qwen3:14b", "mixtral-8x7b", "minimax")),
    ],
)
def test_a_name_tells_a_small_model(name: str, small: bool) -> None:
    assert is_small(name) is small


@given(
    st.lists(st.text(max_size=20), max_size=8),
    st.text(max_size=20) | st.none(),
    st.lists(st.text(), max_size=3),
)
def test_only_a_listed_model_is_ever_taken(
    listed: list[str], wanted: str | None, preferred: list[str]
) -> None:
    found = select(listed, wanted, preferred)
    assert found is None or found.model in listed
