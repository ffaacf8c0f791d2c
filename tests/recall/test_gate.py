from __future__ import annotations

import pytest

from bethink.recall.plan import is_greeting

GREETINGS = [
    "hi", "Hello!", "HEY there", "good morning :)", "Good evening, everyone!", "¡Hola!", "Buenos días",
    "Guten Morgen", "Bonjour 👋", "Buongiorno!", "Olá", "Bom dia", "Привет!", "Добрый день", "你好！", "您好",
    "こんにちは。", "안녕하세요", "مرحبا", "नमस्ते", "  hello  ", "Buenos di\u0301as",
]  # fmt: skip
OTHERS = [
    "", "   ", "👋", "?!", "hello, where are my keys?", "hi Anna", "good restaurants",
    "what did I say about Tag?", "你好吗，我的车在哪里", "hi hi hi hi hi", "high", "hello_world",
]  # fmt: skip
WORDS_OF_GREETINGS = ["day", "all", "there", "everyone", "morning", "evening", "день", "all day"]


@pytest.mark.parametrize("text", GREETINGS)
def test_a_bare_greeting_is_one_in_many_languages(text: str) -> None:
    assert is_greeting(text)


@pytest.mark.parametrize("text", OTHERS)
def test_anything_that_asks_or_tells_something_is_not_a_greeting(text: str) -> None:
    assert not is_greeting(text)


@pytest.mark.parametrize("text", WORDS_OF_GREETINGS)
def test_words_that_only_go_with_a_greeting_do_not_greet_alone(text: str) -> None:
    assert not is_greeting(text)
