from __future__ import annotations

import pytest

from bethink.extraction.patterns.mask import has_injected, mask, own_words
from bethink.prompt.render import MEMORIES, NARRATIVE, STABLE_TAG, VOLATILE_TAG
from bethink.text.fence import BOUNDARY


@pytest.mark.parametrize(
    "text",
    [
        "it's my sister's dog and I don't mind",
        "the boys' thing is rock",
        "she is 5'10\" tall",
        "the list:\n- one\n    - nested item\n1. first",
        "C'est l'idée d'Anne",
        'I like `pnpm` and "',
    ],
)
def test_ordinary_text_is_not_masked(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('He said "no way" to me', 'He said "¤¤ ¤¤¤" to me'),
        ("Er sagte: „nie wieder“ und ging", "Er sagte: „¤¤¤ ¤¤¤¤¤¤“ und ging"),
        ("他说“不”。", "他说“¤”。"),
        ("a\n```py\nx = 1\n```\nb", "a\n¤¤¤¤¤\n¤¤¤¤¤\n¤¤¤\nb"),
        ("a\n> quoted\nb", "a\n¤¤¤¤¤¤¤¤\nb"),
        ('a\n{"b": 1}\nc', "a\n¤¤¤¤¤¤¤¤\nc"),
        ('  File "x.py", line 3, in f\nok', "¤" * 27 + "\nok"),
    ],
)
def test_quotes_code_and_pasted_lines_are_masked_in_place(text: str, kept: str) -> None:
    assert mask(text) == kept


def test_a_quotation_mark_without_its_partner_hides_nothing() -> None:
    assert mask('I like "tea\n\nand "cake') == 'I like "tea\n\nand "cake'


@pytest.mark.parametrize(
    "text",
    [
        "## Relevant Memory\n- likes tea\n\nHello",
        "## What I remember about the user\n\nA long story.\nMore.\n\nHello",
        "<bethink-memory>\nlikes tea\n</bethink-memory>\nHello",
        "<!-- BETHINK_CACHE_BOUNDARY -->\nHello",
    ],
)
def test_injected_text_is_known_and_can_be_taken_out(text: str) -> None:
    assert has_injected(text)
    assert own_words(text) == "Hello"


@pytest.mark.parametrize("mark", [BOUNDARY, NARRATIVE, MEMORIES, f"<{STABLE_TAG}>", f"</{VOLATILE_TAG}>"])
def test_every_mark_that_prompts_carry_is_known(mark: str) -> None:
    assert has_injected(f"Hello\n{mark}\n- likes tea")
