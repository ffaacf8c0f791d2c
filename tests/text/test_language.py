"""Which language a text is in."""

from __future__ import annotations

import pytest

from bethink.text.language import OTHER, Spoken, is_foreign, language_told


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Anna is allergic to peanuts.", "English"),
        ("what is 17*23?", "English"),
        ("I live in Los Angeles with my wife Françoise", "English"),
        ("Wo wohne ich jetzt?", "German"),
        ("Mein Hund heißt Bello und ist drei Jahre alt", "German"),
        ("quel est le nom de mon chien ?", "French"),
        ("¿dónde vivo ahora?", "Spanish"),
        ("onde é que eu moro agora?", "Portuguese"),
        ("我在 Google 工作", "Chinese"),
        ("私は東京に住んでいます", "Japanese"),
        ("저는 서울에 살아요", "Korean"),
        ("Где я живу?", OTHER),
        ("Gdzie teraz mieszkam i jak nazywa się mój pies?", OTHER),
        ("Lisbon?", None),
        ("ok", None),
        ("", None),
        ("12:30 🎉", None),
    ],
)
def test_a_language_is_told_by_script_and_common_words(text: str, language: str | None) -> None:
    assert language_told(text) == language
    assert is_foreign(language) == (language not in (None, "English"))


def test_texts_that_tell_nothing_do_not_count() -> None:
    spoken = Spoken.of(["Wo wohne ich jetzt?", "ok", "Lisbon?", "where do I live now?"])
    assert (spoken.told, spoken.foreign, spoken.share, spoken.language) == (2, 1, 0.5, "German")
    assert Spoken.of([]).share == 0


@pytest.mark.parametrize(
    ("texts", "summary"),
    [
        (["Where do I live?"], "0% of the texts here are not English"),
        (["Where do I live?"] * 3 + ["Wo wohne ich jetzt?"], "25% of the texts here are not English"),
        (["Where do I live?"] + ["Wo wohne ich jetzt?"] * 2, "the texts here are mostly German"),
        (["Где я живу?", "Wo wohne ich jetzt?"], "the texts here are mostly not English"),
    ],
)
def test_what_texts_are_mostly_in_is_said(texts: list[str], summary: str) -> None:
    assert Spoken.of(texts).summary == summary
