"""The pages that people read name only what there is: pages, headings, settings and commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

from bethink.cli.app import app
from bethink.settings import Settings

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

_FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)
_DOTTED = re.compile(r"([a-z_]+)\.([a-z_]+)(?= |$)")
_COMMAND = re.compile(r"^(?:\$ )?bethink (.+)$", re.MULTILINE)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = [link for link in _links(page) if not _leads_somewhere(page, link)]
    assert broken == []


@every_page
def test_every_setting_that_a_page_names_exists(page: Path) -> None:
    stages = set(re.findall(r'stage\("([a-z.]+)"\)', "".join(map(Path.read_text, SOURCES))))
    sections = {
        name: field.annotation.model_fields
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
    named = [match for code in _inline_code(page) if (match := _DOTTED.match(code))]
    unknown = [
        match[0]
        for match in named
        if match[1] in sections and match[2] not in sections[match[1]] and match[0] not in stages
    ]
    assert unknown == []


@every_page
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    root: Any = typer.main.get_command(app)
    problems = [problem for line in _commands(page) if (problem := _problem(root, line))]
    assert problems == []


def _links(page: Path) -> Iterator[str]:
    """Links to files of the repository, and to headings."""
    for match in _LINK.finditer(_prose(page)):
        if not re.match(r"[a-z]+:", match[1]):
            yield match[1]


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """The names under which a page's headings are linked; the second of the same name ends in -1."""
    found: Counter[str] = Counter()
    anchors = set()
    for match in _HEADING.finditer(_prose(page)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        anchors.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return anchors


def _prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text("utf-8"))


def _inline_code(page: Path) -> Iterator[str]:
    return (match[1] for match in _CODE.finditer(_prose(page)))


def _commands(page: Path) -> Iterator[str]:
    """What stands after `bethink` where a page tells somebody to type it."""
    blocks = [match[0] for match in _FENCED.finditer(page.read_text("utf-8"))]
    for text in (*blocks, *_inline_code(page)):
        for match in _COMMAND.finditer(text):
            yield re.split(r" #|[|;&<>]", match[1])[0].strip()


def _problem(command: Any, line: str) -> str | None:
    """What is wrong with a command line: a command that is none, or an option that it does not have."""
    words = re.sub(r"\"[^\"]*\"|'[^']*'", "VALUE", line).split()
    for word in words:
        if word.startswith("-"):
            continue
        if not (inner := getattr(command, "commands", {})):
            break
        if word == "…":
            break
        if word not in inner:
            return f"bethink {line}: there is no {word}"
        command = inner[word]
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    unknown = [name for word in words if re.match(r"--\w", name := word.split("=")[0]) and name not in known]
    return f"bethink {line}: there is no {', '.join(unknown)}" if unknown else None
