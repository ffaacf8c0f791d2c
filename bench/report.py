"""What was measured, as percentiles and as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def percentile(values: Sequence[float], percent: float) -> float:
    """The least value that `percent` per cent of the values do not exceed; 0 without values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(math.ceil(percent / 100 * len(ordered)), 1) - 1]


def p50_p95(name: str, seconds: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile of durations, in milliseconds."""
    return {
        f"{name}_ms_p50": round(1000 * percentile(seconds, 50), 3),
        f"{name}_ms_p95": round(1000 * percentile(seconds, 95), 3),
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A markdown table with a column for each name that any row has; what a row lacks is a dash."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[name.replace("_", " ") for name in names]]
    cells += [[_cell(row.get(name)) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def write_json(file: Path | None, results: Any) -> None:
    """Write results to a file, if one was asked for."""
    if file is not None:
        file.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)
