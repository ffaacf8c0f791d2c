"""A virtual environment for each system, made once and kept in `bench/results/peers/`."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bench.corpus import RESULTS
from bench.peers.systems import System

FOLDER = RESULTS / "peers"


class Unavailable(Exception):
    """A system cannot be installed or does not answer; the message says why."""


def python_of(system: System) -> Path:
    """The interpreter that has the system installed; installs it first where that is not done yet."""
    if not system.requirements:
        return Path(sys.executable)
    return python_in(system.environment, system.requirements)


def python_in(environment: str, requirements: Sequence[str]) -> Path:
    """The interpreter of an environment; makes it first where that is not done yet."""
    folder = FOLDER / environment
    python = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    done = folder / "installed.txt"
    wanted = "\n".join(requirements)
    if not done.is_file() or done.read_text("utf-8") != wanted:
        print(f"installing {environment}: {', '.join(requirements)}", file=sys.stderr)
        if not python.is_file():
            venv.create(folder / "venv", with_pip=True, symlinks=sys.platform != "win32")
        for requirement in requirements:
            _install(python, requirement)
        done.write_text(wanted, "utf-8")
    return python


def version_of(system: System) -> str:
    """The version that is installed."""
    if not system.requirements:
        return version(system.package)
    code = f"from importlib.metadata import version; print(version({system.package!r}))"
    asked = subprocess.run([python_of(system), "-c", code], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def _install(python: Path, requirement: str) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode:
        problems = [line for line in finished.stderr.splitlines() if line.startswith("ERROR")]
        raise Unavailable(f"pip install {requirement} failed: {' '.join(problems) or finished.stderr[-300:]}")
