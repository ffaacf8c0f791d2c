"""The results as a markdown table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_COLUMNS = {
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "recall@50": "R@50",
    "ndcg@10": "nDCG@10",
    "mrr": "MRR",
    "session_recall@5": "session R@5",
    "session_recall@10": "session R@10",
}


def markdown(result: Mapping[str, Any]) -> str:
    """A row for all questions, then one a category; the metrics in per cent."""
    lines = [
        f"{result['dataset']} on {result['database']}, tier {result['tier']}, "
        f"embedding by {result['embedding']}: {result['cases']} cases, {result['records']:,} records "
        f"taken in at {result['records_per_second']:,.0f}/s, recall p50 {result['recall_ms_p50']} ms, "
        f"p95 {result['recall_ms_p95']} ms",
        "",
        "| | questions | " + " | ".join(_COLUMNS.values()) + " |",
        "|---" * (len(_COLUMNS) + 2) + "|",
        _row("**all**", result),
    ]
    if len(result["by_category"]) > 1:
        lines += [_row(name, means) for name, means in result["by_category"].items()]
    lines += [f"\nDegraded: {problem}" for problem in result["degraded"]]
    return "\n".join(lines)


def _row(name: str, means: Mapping[str, Any]) -> str:
    values = " | ".join(f"{100 * means[metric]:.1f}" for metric in _COLUMNS)
    return f"| {name} | {means['questions']} | {values} |"
