"""What chat models are told: packaged templates, each of which a file of the user's own may replace.

A placeholder is `{{NAME}}`. All are filled in one pass, so that a text that is filled in brings no other, and
what is filled in is data: it closes no tag of the template and is no control token of a chat model.

A line `<!-- user -->` parts a template: what stands above it is the system message, what stands below it the
user's. Without that line all of it is the system message, and a short request the user's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from bethink.errors import SettingsError
from bethink.models.chat import ChatMessage
from bethink.text.fence import as_data, one_line

TemplateName = Literal["facts", "one-fact", "stale", "narrative", "summary", "promote", "insights", "repair"]
NAMES: tuple[TemplateName, ...] = get_args(TemplateName)

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_PARTED = re.compile(r"^[ \t]*<!--[ \t]*user[ \t]*-->[ \t]*$", re.MULTILINE | re.IGNORECASE)
_LONGEST = 200_000  # characters
_ABOUT = "readme.md"  # a file that may stand beside the templates
# What each can hold; true for those without which the model would not see what it is asked about.
PLACEHOLDERS: Mapping[TemplateName, Mapping[str, bool]] = {
    "facts": {"EXISTING_FACTS": False, "EARLIER": False, "TRANSCRIPT": True},
    "one-fact": {
        "EXISTING_MEMORIES": True,
        "EXISTING_CONTEXT": True,
        "USER_TEXT": True,
        "ASSISTANT_TEXT": True,
        "DATE": False,
    },
    "stale": {"EXISTING_FACTS": False, "TRANSCRIPT": True},
    "narrative": {"FACTS": True, "MOST_WORDS": False},
    "summary": {"TRANSCRIPT": True},
    "promote": {"MEMORIES": True},
    "insights": {"OPEN": False, "TRANSCRIPT": True},
    "repair": {"PROBLEM": True},
}

# What the user's message is where a template has no part for it; none for what is no question by itself.
REQUESTS: Mapping[TemplateName, str] = {
    "facts": "Reply with the JSON only.",
    "one-fact": "Reply with exactly one line: NOTHING or the single fact. No explanation.",
    "stale": "Reply with the JSON only.",
    "narrative": "Reply with the summary only.",
    "summary": "Reply with the summary only.",
    "promote": "Reply with the JSON only.",
    "insights": "Reply with the JSON only.",
}
LINES = frozenset({"DATE", "MOST_WORDS", "PROBLEM"})  # stand amid a sentence; all others between two tags


class Templates:
    """The templates in force. Those in `folder`, if there is one, come before the packaged ones."""

    def __init__(self, folder: Path | None = None) -> None:
        own = _read_own(folder) if folder is not None else {}
        packaged = files("bethink.extraction").joinpath("prompts")
        self._texts: dict[TemplateName, str] = {
            name: own.get(name) or packaged.joinpath(f"{name}.md").read_text("utf-8").strip()
            for name in NAMES
        }

    def fill(self, name: TemplateName, **values: str) -> str:
        """The template with its placeholders filled, with data."""
        return _filled_with_data(self._texts[name], values)

    def messages(self, name: TemplateName, **values: str) -> list[ChatMessage]:
        """What a model is asked: instructions from the system, and what they are about from the user."""
        told, *about = (_filled_with_data(part, values).strip() for part in _PARTED.split(self._texts[name]))
        return [
            {"role": "system", "content": told},
            {"role": "user", "content": about[0] if about else REQUESTS[name]},
        ]


def _filled_with_data(text: str, values: Mapping[str, str]) -> str:
    return filled(text, {one: _as_data(one, value) for one, value in values.items()})


def _as_data(placeholder: str, value: str) -> str:
    return one_line(value) if placeholder in LINES else as_data(value)


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with every placeholder replaced by its value, in one pass. An unknown one is an error."""

    def value_of(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise SettingsError(f"The placeholder {found[0]} has no value.", field="chat.templates")
        return values[found[1]]

    return _PLACEHOLDER.sub(value_of, text)


def check(name: TemplateName, text: str, where: str) -> None:
    """Refuse a template that has a placeholder nobody fills, or lacks one that it needs."""
    known, used = PLACEHOLDERS[name], {found[1] for found in _PLACEHOLDER.finditer(text)}
    if unknown := sorted(used - known.keys()):
        raise SettingsError(
            f"{where}: unknown placeholder {{{{{unknown[0]}}}}}; a template {name} can have"
            f" {', '.join(f'{{{{{one}}}}}' for one in known)}.",
            field="chat.templates",
        )
    if missing := [one for one, needed in known.items() if needed and one not in used]:
        raise SettingsError(
            f"{where}: the placeholder {{{{{missing[0]}}}}} is missing; without it the model would not see"
            " what it is asked about.",
            field="chat.templates",
        )
    if (parts := _PARTED.split(text))[1:]:
        _check_parts(name, parts, where)


def _check_parts(name: TemplateName, parts: Sequence[str], where: str) -> None:
    if name not in REQUESTS:
        raise SettingsError(
            f"{where}: a template {name} is one message; take out the line <!-- user -->.",
            field="chat.templates",
        )
    if len(parts) > 2 or not all(part.strip() for part in parts):
        raise SettingsError(
            f"{where}: the line <!-- user --> may stand there once, with the instructions above it and what"
            " they are about below it.",
            field="chat.templates",
        )


def _read_own(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise SettingsError(f"chat.templates: {folder} is no folder.", field="chat.templates")
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        name = next((one for one in NAMES if one == path.stem), None)
        if name is None:
            if path.name.lower() == _ABOUT:
                continue
            raise SettingsError(
                f"{path}: there is no template of this name; known are {', '.join(NAMES)}.",
                field="chat.templates",
            )
        try:
            text = path.read_text("utf-8-sig").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path} cannot be read: {error}.", field="chat.templates") from None
        if len(text) > _LONGEST:
            raise SettingsError(f"{path} is longer than {_LONGEST:,} characters.", field="chat.templates")
        check(name, text, str(path))
        found[name] = text
    return found
