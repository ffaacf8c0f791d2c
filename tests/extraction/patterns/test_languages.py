from __future__ import annotations

import pytest

from bethink.extraction.patterns.languages import language_for, parse

FILE = """
code = "it"
name = "italian"

[macros]
io = ['''io''', '''noi''']

[relations]
daughter = ["figlia", "bimba"]

[patterns]
guard = '''forse'''

[[rules]]
category = "identity"
attribute = "name"
patterns = ['''mia %relation% si chiama (?P<value>.+)''', '''%io% mi chiamo così''']
unless = ["guard"]
"""


def test_a_language_is_only_a_file() -> None:
    italian = parse(FILE)
    (rule,) = italian.rules
    match = rule.patterns[0].match("Mia BIMBA si chiama Ada")
    assert match is not None
    assert italian.relation(match["relation"]) == "daughter"
    assert rule.unless[0].match("forse")


def test_accents_are_optional_in_rules() -> None:
    (rule,) = parse(FILE).rules
    assert rule.patterns[1].match("noi mi chiamo cosi")
    assert rule.patterns[1].match("noi mi chiamo così")


def test_a_guard_that_a_language_lacks_never_matches() -> None:
    assert parse(FILE).pattern("scene").match("imagine") is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("No me gusta el picante.", "es"),
        ("nunca bebo alcohol entre semana", "es"),
        ("J'aime JavaScript", "fr"),
        ("Ich mag Wandern", "de"),
        ("I love Los Angeles and tacos", "en"),
        ("我喜欢 PostgreSQL 和 Python", "zh"),
        ("记住 imganalyze 在 Temp", "zh"),
        ("ok", "en"),
    ],
)
def test_the_language_is_told_by_script_and_words(text: str, code: str) -> None:
    language = language_for(text)
    assert language is not None
    assert language.code == code


@pytest.mark.parametrize("text", ["私は猫が好きです", "Я люблю чай", "", "1234 5678", "나는 차를 좋아해요"])
def test_other_languages_and_no_words_have_no_rules(text: str) -> None:
    assert language_for(text) is None
