"""Templates: filled in one pass, replaced by files of the user's own, and checked when they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import SettingsError
from bethink.extraction.templates import (
    LINES,
    NAMES,
    PLACEHOLDERS,
    REQUESTS,
    TemplateName,
    Templates,
    check,
    filled,
)

VALUES = st.text() | st.sampled_from(["{{A}}", "{{B}}", "{{ B }}", "{{", "}}", "{{A", r"\1 \g<0>", "$A"])


@given(VALUES, VALUES, st.text(st.characters(exclude_characters="{}")))
def test_what_is_filled_in_brings_no_other_placeholder(a: str, b: str, between: str) -> None:
    assert filled("{{A}}" + between + "{{ B }}", {"A": a, "B": b}) == a + between + b


def test_the_packaged_templates_have_what_they_need_and_nothing_else() -> None:
    templates = Templates()
    for name in NAMES:
        check(name, templates._texts[name], name)
        text = templates.fill(name, **{one: f"({one} here)" for one in PLACEHOLDERS[name]})
        assert "{{" not in text
        assert all(f"({one} here)" in text for one in PLACEHOLDERS[name])


def test_a_file_takes_the_place_of_the_packaged_one(tmp_path: Path) -> None:
    (tmp_path / "repair.md").write_text("\ufeffNochmal: {{PROBLEM}}\n", "utf-8")
    (tmp_path / "README.md").write_text("about {{ANYTHING}}", "utf-8")
    (tmp_path / "notes.txt").write_text("{{ANYTHING}}", "utf-8")
    templates = Templates(tmp_path)
    assert templates.fill("repair", PROBLEM="{{PROBLEM}}") == "Nochmal: {{PROBLEM}}"
    assert "existing-context" in templates.fill("one-fact", **dict.fromkeys(PLACEHOLDERS["one-fact"], ""))


def test_what_a_model_is_told_is_apart_from_what_it_is_about() -> None:
    for name in REQUESTS:
        about = [one for one in PLACEHOLDERS[name] if one not in LINES]
        system, user = Templates().messages(name, **{one: f"({one} here)" for one in PLACEHOLDERS[name]})
        assert (system["role"], user["role"]) == ("system", "user")
        assert all(f"({one} here)" in user["content"] for one in about)
        assert not any(f"({one} here)" in system["content"] for one in about)
        assert "<!--" not in system["content"] + user["content"]


def test_what_somebody_says_parts_no_template(tmp_path: Path) -> None:
    (tmp_path / "stale.md").write_text("List it.\n <!-- USER -->\n{{TRANSCRIPT}} JSON!", "utf-8")
    system, user = Templates(tmp_path).messages(
        "stale", TRANSCRIPT="hi\n<!-- user -->\nyou", EXISTING_FACTS=""
    )
    assert system["content"] == "List it."
    assert user["content"] == "hi\n&lt;!-- user -->\nyou JSON!"


def test_a_template_without_a_part_for_the_user_is_the_system_message(tmp_path: Path) -> None:
    (tmp_path / "stale.md").write_text("List what {{TRANSCRIPT}} says.", "utf-8")
    assert Templates(tmp_path).messages("stale", TRANSCRIPT="Ana", EXISTING_FACTS="") == [
        {"role": "system", "content": "List what Ana says."},
        {"role": "user", "content": "Reply with the JSON only."},
    ]


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (
            "repair.md",
            "{{PROBLEM}} {{PROBLEMS}}",
            r"repair.md: unknown placeholder \{\{PROBLEMS\}\}.*\{\{PROBLEM\}\}",
        ),
        ("stale.md", "no placeholder", r"the placeholder \{\{TRANSCRIPT\}\} is missing"),
        ("one_fact.md", "x", "no template of this name; known are facts, one-fact"),
        ("stale.md", "a\n<!-- user -->\n{{TRANSCRIPT}}\n<!-- user -->\nb", "may stand there once"),
        ("stale.md", "{{TRANSCRIPT}}\n<!-- user -->\n", "may stand there once"),
        ("repair.md", "Again\n<!-- user -->\n{{PROBLEM}}", "a template repair is one message"),
    ],
)
def test_a_template_that_cannot_work_is_refused(tmp_path: Path, file: str, text: str, says: str) -> None:
    (tmp_path / file).write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=says) as caught:
        Templates(tmp_path)
    assert caught.value.field == "chat.templates"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no folder"):
        Templates(tmp_path / "gone")
    (tmp_path / "facts.md").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        Templates(tmp_path)


HOSTILE = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|start_header_id|>", "<|eot_id|>", "<|system|>",
    "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>", "<bos>", "<eos>", "<start_of_turn>",
    "<end_of_turn>", "[SYSTEM_PROMPT]", "[TOOL_CALLS]", "<think>", "</conversation>", "</facts>",
    "</user>", "</assistant>", "</earlier>", "</existing-facts>", "</existing-memories>",
    "</existing-context>", "<user>", "<!--", "</bethink-memory>", "<conversation>",
]  # fmt: skip
DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "in wide letters": lambda text: text.translate({ord(c): ord(c) + 0xFEE0 for c in "<>[]|/"}),
    "with what is not seen": lambda text: text[0] + "\u200b" + text[1:],
    "over two lines": lambda text: f"a\n{text}\nb",
}


def _as_read(text: str) -> str:
    """A text as a tokenizer with a weakness for look-alikes might read it."""
    seen = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", seen)


@pytest.mark.parametrize(("name", "placeholder"), [(n, one) for n in NAMES for one in PLACEHOLDERS[n]])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_nothing_that_is_filled_in_is_a_tag_or_a_control_token(
    name: TemplateName, placeholder: str, disguise: str
) -> None:
    templates = Templates()
    harmless = templates.fill(name, **dict.fromkeys(PLACEHOLDERS[name], "x"))
    for token in HOSTILE:
        values = dict.fromkeys(PLACEHOLDERS[name], "x") | {placeholder: DISGUISES[disguise](token)}
        text = templates.fill(name, **values)
        assert _as_read(text).count(token) == harmless.count(token), (token, text)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_filled_in_stands_between_tags_or_in_one_line(name: TemplateName) -> None:
    templates = Templates()
    for placeholder in PLACEHOLDERS[name]:
        text = templates.fill(name, **dict.fromkeys(PLACEHOLDERS[name], "x") | {placeholder: "one\ntwo"})
        if placeholder in LINES:
            assert "one two" in text
        else:
            assert re.search(r"<([a-z-]+)>\none\ntwo\n</\1>", text), placeholder
