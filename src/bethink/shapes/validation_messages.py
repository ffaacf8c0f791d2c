"""What is wrong with a value, in the same words on every surface."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

SOMETHING = r"[^\s\x1c-\x1f]"  # the pattern of a text that says something; these separate, as spaces do

_FIXES = {
    "missing": "is required; add it",
    "extra_forbidden": "is not known here; remove it, or check its spelling",
    "string_unicode": "must be valid Unicode; it has half a surrogate pair",
}


def mistake(problem: Mapping[str, Any], known: Collection[str] = ()) -> str:
    """What pydantic found, so that it also says what would be right; `known` are the names there are."""
    kind, bounds = problem["type"], problem.get("ctx") or {}
    if kind == "extra_forbidden" and (near := get_close_matches(str(problem["loc"][-1]), known, n=1)):
        return f"is not known here; did you mean {near[0]}?"
    if kind == "string_too_short" and bounds.get("min_length") == 1:
        return "must not be empty"
    if kind == "string_pattern_mismatch" and bounds.get("pattern") == SOMETHING:
        return "must not be blank"
    return _FIXES.get(kind) or str(problem["msg"]).removeprefix("Value error, ")
