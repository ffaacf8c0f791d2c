from __future__ import annotations

from bethink.documents.snippets import snippet
from bethink.text.terms import query_terms


def marked(text: str, query: str, length: int = 300) -> tuple[str, list[str]]:
    cut, marks = snippet(text, query_terms(query), length)
    return cut, [cut[first:last] for first, last in marks]


def test_words_are_marked_in_whatever_form() -> None:
    assert marked("Employees were paid on Friday.", "when does an employee get paid?")[1] == [
        "Employees",
        "paid",
    ]


def test_the_part_that_matches_most_is_shown() -> None:
    text = (
        "Nothing here is of use. " * 30 + "Parental leave lasts 180 days. " + "Nothing here is of use. " * 30
    )
    cut, words = marked(text, "how long is parental leave?", 120)
    assert "Parental leave lasts 180 days." in cut
    assert words == ["Parental", "leave"]
    assert len(cut) <= 120


def test_scripts_without_spaces_are_marked_too() -> None:
    assert marked("员工每年有三十天带薪假期。", "带薪假期") == ("员工每年有三十天带薪假期。", ["带薪假期"])
