"""MEMORY.md: promoted facts as lines that a person can edit, and what their edits mean. Pure.

    ## preferences

    - coffee_order: Oat milk latte
    - coffee_order (Sarah): Flat white

A backslash keeps what follows it from meaning anything: `\\:` `\\(` `\\)` `\\\\`, and `\\n` is a new line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bethink.records import Fact
from bethink.text.fold import bare

FACT_LIMIT = 20
DEFAULT_CATEGORY = "general"
TITLE = "# Memory"
HEADER = "<!-- Bethink writes this file. Change a value, add a line or delete one: it will be taken over. -->"
_ITEM = re.compile(r"\s*[-*+][ \t]+(.*)", re.DOTALL)
_KEY = re.compile(r"((?:\\.|[^\\:])*):(.*)", re.DOTALL)
_OWNER = re.compile(r"((?:\\.|[^\\(])*)\(((?:\\.|[^\\()])*)\)[ \t]*", re.DOTALL)
_TOKEN = re.compile(r"\\.|.", re.DOTALL)
_LINE_ENDS = {"\n": "\\n", "\r": "\\r"}
_IN_NAMES, _IN_VALUES = frozenset("\\:()"), frozenset("\\")


class Ref(NamedTuple):
    """Which fact a line is about; `person` is a bare name, or empty."""

    person: str
    category: str
    key: str


@dataclass
class Lines:
    """The facts of a file, and the lines that cannot be read as any."""

    values: dict[Ref, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@dataclass
class Edits:
    """What a person's edits of the file ask for."""

    set: dict[Ref, str] = field(default_factory=dict)
    drop: list[Ref] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def render(facts: Iterable[Fact], names: Mapping[str, str]) -> str:
    """The text of the file; empty when there are no facts. `names` are people's by their ids."""
    groups: dict[str, list[str]] = {}
    for fact in sorted(facts, key=lambda f: (f.category, f.key, names.get(f.person_id or "", ""))):
        groups.setdefault(fact.category, []).append(_line(fact, names))
    if not groups:
        return ""
    parts = [f"{TITLE}\n\n{HEADER}"]
    parts += [
        f"## {_escape(category, _IN_VALUES)}\n\n" + "\n".join(lines) for category, lines in groups.items()
    ]
    return "\n\n".join(parts) + "\n"


def ref_of(fact: Fact, names: Mapping[str, str]) -> Ref:
    """What a fact is called in the file."""
    return Ref(bare(_owner(fact, names)), fact.category, fact.key)


def parse(text: str, people: Collection[str]) -> Lines:
    """The facts in a file, whoever wrote it. `people` are the bare names that may stand in brackets."""
    found, category = Lines(), DEFAULT_CATEGORY
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.startswith("## "):
            category = _plain(line.removeprefix("## ")) or DEFAULT_CATEGORY
        elif line.strip() and not line.startswith(("# ", "<!--")):
            _take(found, category, line, number, people)
    return found


def edits(
    base: Mapping[Ref, str], theirs: Mapping[Ref, str], ours: Mapping[Ref, str], shown: Collection[Ref]
) -> Edits:
    """What a person changed since `base`, where the database has not changed the same.

    `ours` are the current values, of which those in `shown` would be in the file.
    """
    asked = Edits()
    for ref in touched(base, theirs):
        was, now, current = base.get(ref), theirs.get(ref), ours.get(ref)
        if now == current:
            continue
        if current != was and not (was is None and ref not in shown):
            asked.conflicts.append(_conflict(ref, now, current))
        elif now is None:
            asked.drop.append(ref)
        else:
            asked.set[ref] = now
    return asked


def touched(base: Mapping[Ref, str], theirs: Mapping[Ref, str]) -> list[Ref]:
    """The facts whose lines a person has changed, added or deleted."""
    return [ref for ref in dict.fromkeys([*base, *theirs]) if base.get(ref) != theirs.get(ref)]


def _take(found: Lines, category: str, line: str, number: int, people: Collection[str]) -> None:
    item = _ITEM.fullmatch(line)
    parts = _KEY.fullmatch(item[1]) if item else None
    if parts is None:
        found.problems.append(f"line {number} is not '- key: value'")
        return
    key, person = parts[1], ""
    owner = _OWNER.fullmatch(key)
    if owner and bare(_plain(owner[2])) in people:
        key, person = owner[1], bare(_plain(owner[2]))
    ref, value = Ref(person, category, _plain(key)), _plain(parts[2])
    if not ref.key or not value:
        missing = "value; delete the line to forget the fact" if ref.key else "key"
        found.problems.append(f"line {number} has no {missing}")
    elif ref in found.values:
        found.problems.append(f"line {number} is about the same as a line before it")
    else:
        found.values[ref] = value


def _line(fact: Fact, names: Mapping[str, str]) -> str:
    owner = _owner(fact, names)
    of = f" ({_escape(owner, _IN_NAMES)})" if owner else ""
    return f"- {_escape(fact.key, _IN_NAMES)}{of}: {_escape(fact.value, _IN_VALUES)}"


def _owner(fact: Fact, names: Mapping[str, str]) -> str:
    return names.get(fact.person_id or "", "")


def _escape(text: str, special: frozenset[str]) -> str:
    """The text in one line, with what would be misread escaped."""
    ends = (0, len(text) - 1)
    return "".join(
        _LINE_ENDS.get(letter)
        or (f"\\{letter}" if letter in special or (place in ends and letter.isspace()) else letter)
        for place, letter in enumerate(text)
    )


def _plain(text: str) -> str:
    """What an escaped text means, without the spaces around it that are not escaped."""
    tokens = _TOKEN.findall(text)
    filled = [place for place, token in enumerate(tokens) if not token.isspace()]
    tokens = tokens[filled[0] : filled[-1] + 1] if filled else []
    meant = {"\\n": "\n", "\\r": "\r"}
    return "".join(meant.get(token) or (token[1:] if len(token) == 2 else token) for token in tokens)


def _conflict(ref: Ref, now: str | None, current: str | None) -> str:
    name = f"{ref.category} / {ref.key}" + (f" ({ref.person})" if ref.person else "")
    wanted = "was deleted in the file" if now is None else f"is {now!r} in the file"
    has = "was forgotten" if current is None else f"has become {current!r}"
    return f"{name}: {wanted}, and meanwhile it {has}; the latter stands"
