"""The generated reference pages say what the code says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "reference.py"


@pytest.mark.parametrize("page", ["settings.md", "cli.md", "rest.md"])
def test_the_reference_is_up_to_date(page: str) -> None:
    tool = runpy.run_path(str(TOOL))
    written = (tool["FOLDER"] / page).read_text("utf-8")
    assert written == tool["REFERENCES"][page](), "run make reference"
