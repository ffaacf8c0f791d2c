"""A call crosses few files: whoever follows it through the code need not open half of the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "traces.py"


def test_no_call_crosses_more_files_than_it_should() -> None:
    done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True, check=False)
    files = {line.split()[0]: int(line.split()[2]) for line in done.stdout.splitlines()[1:4]}
    assert done.returncode == 0, done.stdout + done.stderr
    assert min(files.values()) > 10, "something was traced"
    assert files.keys() == {"remember", "recall", "gateway"}
