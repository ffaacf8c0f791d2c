"""Write requirements-dev.lock: the versions of everything that Bethink and its development need here.

`make lock` runs it in a new virtual environment, where the newest versions were installed. The Makefile hands
the file to pip as constraints, so that a line that a platform does not need does no harm there.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = Path(__file__).parent.parent / "requirements-dev.lock"
NOTE = "# Written by tools/lock.py (make lock). Do not edit.\n"
ROOT = Requirement("bethink[dev]")


def pins() -> dict[str, str]:
    """The version of each package that the development needs on this machine, by name."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    due = [ROOT]
    while due:
        wanted = due.pop()
        name = canonicalize_name(wanted.name)
        for extra in ("", *wanted.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                due += _needed(name, extra)
        if name != ROOT.name:
            found[name] = distribution(name).version
    return found


def _needed(name: str, extra: str) -> Iterator[Requirement]:
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def main() -> int:
    try:
        found = pins()
    except PackageNotFoundError as error:
        print(f"{error.name} is not installed: run make lock.")
        return 1
    LOCK.write_text(NOTE + "".join(f"{name}=={found[name]}\n" for name in sorted(found)), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
