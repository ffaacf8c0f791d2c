"""What is wrong with a value, in the same words on every surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SOMETHING = r"[^\s\x1c-\x1f]"  # the pattern of a text that says something; these separate, as spaces do

_FIXES = {
    "missing": "is required; add it",
    "extra_forbidden": "is not known here; remove it, or check its spelling",
    "string_unicode": "must be valid Unicode; it has half a surrogate pair",
}


def mistake(problem: Mapping[str, Any]) -> str:
    """What pydantic found, so that it also says what would be right."""
    kind, bounds = problem["type"], problem.get("ctx") or {}
    if kind == "string_too_short" and bounds.get("min_length") == 1:
        return "must not be empty"
    if kind == "string_pattern_mismatch" and bounds.get("pattern") == SOMETHING:
        return "must not be blank"
    return _FIXES.get(kind) or str(problem["msg"]).removeprefix("Value error, ")
