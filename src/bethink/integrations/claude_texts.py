"""The texts of Claude's memory tool: paths, line numbers, edits. Pure; `ValueError` says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

ROOT = "/memories"
DEPTH = 2
_AROUND = 2  # lines shown beside an edit
_UNITS = "BKMG"


def checked_path(given: str) -> str:
    """A path under /memories, without a trailing slash."""
    path = re.sub("/+", "/", given.strip()).rstrip("/")
    parts = path.split("/")
    if (path != ROOT and not path.startswith(f"{ROOT}/")) or ".." in parts or "." in parts:
        raise ValueError(f"The path {given} is not under {ROOT}.")
    return path


def is_within(path: str, folder: str) -> bool:
    """Whether a path is another, or lies in it."""
    return path == folder or path.startswith(f"{folder}/")


def numbered(path: str, text: str, shown: Sequence[int] | None) -> str:
    """A file's lines with their numbers, or those from a first to a last; -1 is the end."""
    lines = text.split("\n")
    first, last = (shown[0], shown[1]) if shown and len(shown) == 2 else (1, -1)
    first = max(first, 1)
    kept = lines[first - 1 : None if last == -1 else last]
    return f"Here's the content of {path} with line numbers:\n" + _with_numbers(kept, first)


def in_a_file(path: str, files: Collection[str]) -> bool:
    """Whether a path leads through a file, as if that were a directory."""
    return any(is_within(path, name) and path != name for name in files)


def listing(folder: str, sizes: Mapping[str, int]) -> str:
    """What is in a directory, two levels deep, with sizes; a directory's is that of all in it."""
    totals: dict[str, int] = {folder: 0}
    for parts, size in sorted((path.split("/"), size) for path, size in sizes.items()):
        if not is_within("/".join(parts), folder):
            continue
        inside = parts[folder.count("/") + 1 :]
        totals[folder] += size
        for depth in range(1, min(len(inside), DEPTH) + 1):
            if inside[depth - 1].startswith("."):
                break
            name = "/".join([folder, *inside[:depth]]) + ("/" if depth < len(inside) else "")
            totals[name] = totals.get(name, 0) + size
    head = f"Here're the files and directories up to {DEPTH} levels deep in {folder}, excluding hidden items:"
    return "\n".join([head, *(f"{_size(size)}\t{name}" for name, size in totals.items())])


def only_place(text: str, wanted: str, path: str) -> int:
    """Where a text stands in a file, which it must exactly once."""
    count = text.count(wanted) if wanted else 0
    if not count:
        raise ValueError(
            f"No replacement was performed, old_str `{wanted}` did not appear verbatim in {path}."
        )
    if count > 1:
        at = [
            text.count("\n", 0, found.start()) + 1 for found in re.finditer(f"(?={re.escape(wanted)})", text)
        ]
        raise ValueError(
            f"No replacement was performed. Multiple occurrences of old_str `{wanted}` in lines:"
            f" {', '.join(map(str, at))}. Please ensure it is unique"
        )
    return text.index(wanted)


def inserted(text: str, line: int, more: str) -> str:
    """A text with lines added after one of its lines; 0 is the beginning."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not 0 <= line <= len(lines):
        raise ValueError(
            f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
        )
    return "\n".join([*lines[:line], more.rstrip("\n"), *lines[line:]]).removesuffix("\n") + "\n"


def snippet(text: str, place: int) -> str:
    """The lines around a place."""
    line = text.count("\n", 0, place)
    first = max(line - _AROUND, 0)
    return _with_numbers(text.split("\n")[first : line + _AROUND + 1], first + 1)


def _with_numbers(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def _size(size: int) -> str:
    unit = 0
    shown = float(size)
    while shown >= 1024 and unit < len(_UNITS) - 1:
        shown, unit = shown / 1024, unit + 1
    return f"{shown:.0f}{_UNITS[unit]}" if shown == int(shown) else f"{shown:.1f}{_UNITS[unit]}"
