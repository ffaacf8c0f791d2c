from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.noise import own_words, why_noise
from bethink.extraction.patterns import extract


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hi", "it is a greeting"),
        ("Good morning! How are you today?", "it is a greeting"),
        ("Hola, buenas tardes", "it is a greeting"),
        ("Guten Morgen!", "it is a greeting"),
        ("Bonjour !", "it is a greeting"),
        ("你好", "it is a greeting"),
        ("thanks, that worked!", "it is thanks"),
        ("Danke dir, das hat geholfen :)", "it is thanks"),
        ("merci beaucoup, c'est parfait", "it is thanks"),
        ("谢谢，非常有帮助！", "it is thanks"),
        ("ok cool", "it is a bare acknowledgement"),
        ("vale, perfecto", "it is a bare acknowledgement"),
        ("好的", "it is a bare acknowledgement"),
        ("What's the best time to visit Japan?", "it is only a question"),
        ("who won the world cup in 2018", "it is only a question"),
        ("If I lived in Berlin, how much rent would I pay?", "it is only a question"),
        ("¿Cuál es la capital de Australia?", "it is only a question"),
        ("Kannst du das kürzer formulieren?", "it is only a question"),
        ("tu aimes la musique classique ?", "it is only a question"),
        ("为什么天空是蓝色的？", "it is only a question"),
        ("```python\nprint('I like tea')\n```", "it is code"),
        ("x = 1\nfor y in x:\n    print(y)", "it is code"),
        ("const a = 1;\nfunction f() {\n  return a;\n}", "it is code"),
        (
            "2024-03-11 09:14:22 ERROR boom\nTraceback (most recent call last):\nKeyError: 'x'",
            "it is a pasted log",
        ),
        ('{\n  "name": "Jo",\n  "note": "I like blue"\n}', "it is a pasted log"),
        ('[tool_result] {"status": 200}', "it is tool chatter"),
        ("Command exited with code 0", "it is tool chatter"),
        ("## Relevant Memory\n- likes tea\n\nI live in Rome.", "it holds text that memory itself"),
        ("<!-- BETHINK_CACHE_BOUNDARY -->", "it holds text that memory itself"),
        ("", "it has no words"),
        ("👍 !!!", "it has no words"),
    ],
)
def test_noise_is_called_what_it_is(text: str, reason: str) -> None:
    assert (why_noise(text) or "").startswith(reason)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Rome.",
        "Hi, I'm Marcus from Leeds",
        "thanks for the lift, my car is a Volvo",
        "My flight got cancelled and I'm stuck in Frankfurt, what are my rights?",
        "I'm vegan, any ideas?",
        "Can you remember that my car is due in November?",
        "Running late today...",
        "我有几个朋友",
        "Alice, Bob and Carol are coming on Friday",
        "2024-03-11 09:14:22 ERROR boom\n2024-03-11 09:14:23 ERROR boom\nI live in Rome.",
        "Note to self: the garage code changed",
        "don't forget the milk",
    ],
)
def test_what_may_hold_something_to_remember_is_not_noise(text: str) -> None:
    assert why_noise(text) is None


@pytest.mark.parametrize(
    ("text", "role", "reason"),
    [
        (
            "I think Python is the best language.",
            "assistant",
            "it is the assistant's own opinion or courtesy",
        ),
        (
            "As an AI, I have no taste. I'd recommend tea.",
            "assistant",
            "it is the assistant's own opinion or courtesy",
        ),
        ("En mi opinión, el té es mejor.", "assistant", "it is the assistant's own opinion or courtesy"),
        ("Searching the web…", "assistant", "it is tool chatter"),
        ("You're welcome!", "assistant", "it is the assistant's own opinion or courtesy"),
        ("Your flight leaves on Friday at nine.", "assistant", None),
        ("I think Python is the best language.", "user", None),
        ("I live in Rome.", "tool", "it is the output of a tool"),
        ("The user lives in Rome.", "system", "it is an instruction to the assistant, not the user's words"),
    ],
)
def test_who_speaks_matters(text: str, role: str, reason: str | None) -> None:
    assert why_noise(text, role) == reason


def test_what_is_left_without_injected_text_can_be_judged_by_itself() -> None:
    text = "## Relevant Memory\n- I prefer oat milk\n\nI live in Rome."
    assert own_words(text) == "I live in Rome."
    assert why_noise(own_words(text)) is None


@given(st.text())
def test_any_text_gets_a_verdict(text: str) -> None:
    for role in ("user", "assistant"):
        reason = why_noise(text, role)
        assert reason is None or reason.startswith("it ")


@given(
    st.lists(
        st.sampled_from(
            ["hi", "thanks", "I live in Rome.", "why?", "x = 1\n", "```\n", "ok", "I hate tea", "\n"]
        ),
        max_size=8,
    ).map(" ".join)
)
def test_what_the_patterns_find_is_never_noise(text: str) -> None:
    if extract(text):
        assert why_noise(text) is None
