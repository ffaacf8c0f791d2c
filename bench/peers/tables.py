"""What was measured as markdown, each system beside Bethink. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.peers.systems import BETHINK, SAME
from bench.report import table

TIERS = ("fast", "balanced")
_QUALITY = {"recall@5": "R@5", "recall@10": "R@10", "recall@20": "R@20", "mrr": "MRR"}


def markdown(result: Mapping[str, Any]) -> str:
    """A table for quality and one for speed, as far as each was measured."""
    parts = [
        f"{result['date']}, {result['machine']}; load average {_listed(result['load_before'])} before, "
        f"{_listed(result['load_after'])} after. Vectors: {result['vectors']}."
    ]
    if rows := result.get("quality"):
        parts += [f"{result['dataset']}, {result['questions']} questions:", _table(rows)]
    if rows := result.get("speed"):
        parts += ["A large store of real sentences:", _table(rows)]
    return "\n\n".join(parts)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    bases = {row["system"]: row for row in rows if "problem" not in row}
    lines = table([_line(row, bases) for row in rows if "problem" not in row])
    problems = [f"- {row['system']} did not run: {row['problem']}" for row in rows if "problem" in row]
    return "\n".join([lines, *(["", *problems] if problems else [])])


def _line(row: Mapping[str, Any], bases: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    own = "" if row["vectors"] == SAME else f" ({row['vectors']})"
    line: dict[str, Any] = {
        "system": f"{row['system']} {row['version']}{own}",
        "memories": row["memories"],
        "index s/1k": row["index_s_per_1k"],
        "p50 ms": row["search_ms_p50"],
        "p95 ms": row["search_ms_p95"],
        "p50 alone": row["alone_ms_p50"],
        "p95 alone": row["alone_ms_p95"],
        "MB": row["resident_mb"],
    }
    line |= {name: f"{100 * row[metric]:.1f}" for metric, name in _QUALITY.items() if metric in row}
    for tier in TIERS:
        name = f"{BETHINK}{tier}" if row["queries"] == SAME else f"{BETHINK}{tier}-{row['queries']}"
        if (base := bases.get(name)) is None:
            continue
        line[f"p50 ÷ {tier}"] = f"{row['search_ms_p50'] / base['search_ms_p50']:.2f}"
        if "recall@10" in row:
            line[f"R@10 - {tier}"] = f"{100 * (row['recall@10'] - base['recall@10']):+.1f}"
    return line


def _listed(load: Sequence[float]) -> str:
    return " ".join(map(str, load)) or "unknown"
