"""What `make test` installs is pinned, and the pins hold on any machine."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"


def pins() -> dict[str, str]:
    lines = [line for line in LOCK.read_text("utf-8").splitlines() if not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def direct(project: dict[str, Any], extra: str) -> Iterator[Requirement]:
    """The requirements of an extra, and those of the extras it takes in."""
    for line in project["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == project["name"]:
            for other in requirement.extras:
                yield from direct(project, other)
        else:
            yield requirement


def test_every_direct_dependency_is_pinned_to_a_version_that_suits() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*map(Requirement, project["dependencies"]), *direct(project, "dev")]
    pinned = pins()
    for requirement in wanted:
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not pinned: run make lock"
        assert requirement.specifier.contains(version), f"{requirement} is not {version}: run make lock"


def test_the_pins_name_no_place() -> None:
    for line in LOCK.read_text("utf-8").splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line), line


def test_the_project_itself_is_not_pinned() -> None:
    assert "bethink" not in pins()


def test_whatever_the_makefile_installs_is_held_to_the_pins() -> None:
    """But for what makes the pins, and the frameworks that want other versions (`make frameworks`)."""
    recipes = (ROOT / "Makefile").read_text("utf-8")
    installs = [
        line
        for line in recipes.splitlines()
        if "--editable" in line and "$(LOCKING)" not in line and "build/$*" not in line
    ]
    assert installs
    assert all("--constraint requirements-dev.lock" in line for line in installs)
