"""python -m bench.quality.chart OUT.svg A.json B.json: runs beside each other, as bars in an SVG file.

One run alone is shown by its categories.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

METRICS = {"recall@5": "R@5", "recall@10": "R@10", "recall@20": "R@20", "ndcg@10": "nDCG@10", "mrr": "MRR"}
COLOURS = ("#2f6db5", "#e08a2e", "#4f9d5d", "#b04a5a", "#7a5ca8", "#5b6470", "#c2a83e", "#3aa6a6")
BAR, GAP, HEIGHT, LEFT, TOP, LINE = 26, 24, 240, 44, 16, 18


def chart(results: Sequence[Mapping[str, Any]]) -> str:
    """An SVG picture: a group of bars for each metric, a bar in it for each run."""
    series = [(_name(result), result) for result in results]
    if len(results) == 1:
        series = [("all questions", results[0]), *results[0]["by_category"].items()]
    group = BAR * len(series) + GAP
    width = LEFT + group * len(METRICS) + GAP
    height = TOP + HEIGHT + 2 * LINE + LINE * len(series) + TOP
    parts = [_line(width, percent) for percent in range(0, 101, 20)]
    for place, (metric, label) in enumerate(METRICS.items()):
        left = LEFT + GAP // 2 + place * group
        parts += [
            _bar(left + BAR * number, 100 * means[metric], number) for number, (_, means) in enumerate(series)
        ]
        parts.append(_text(left + (group - GAP) / 2, TOP + HEIGHT + LINE, label, "middle"))
    for number, (name, _) in enumerate(series):
        top = TOP + HEIGHT + 2 * LINE + LINE * number
        parts.append(f'<rect x="{LEFT}" y="{top}" width="12" height="12" fill="{_colour(number)}"/>')
        parts.append(_text(LEFT + 20, top + 11, name))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the JSON files of runs and draw them."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.chart", description=__doc__)
    parser.add_argument("out", type=Path, help="the SVG file to write")
    parser.add_argument("runs", type=Path, nargs="+", help="files that bench.quality --json wrote")
    given = parser.parse_args(arguments)
    results = [json.loads(file.read_text("utf-8")) for file in given.runs]
    given.out.write_text(chart(results), "utf-8")


def _name(result: Mapping[str, Any]) -> str:
    name = f"{result['dataset']}, {result['tier']}, {result['database']}, {result['embedding']}"
    return ", ".join([name, *result["settings"]])


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _bar(left: float, percent: float, number: int) -> str:
    tall = HEIGHT * percent / 100
    top = TOP + HEIGHT - tall
    bar = f'<rect x="{left}" y="{top:.1f}" width="{BAR - 3}" height="{tall:.1f}" fill="{_colour(number)}"/>'
    return bar + _text(left + (BAR - 3) / 2, top - 3, f"{percent:.0f}", "middle")


def _line(width: int, percent: int) -> str:
    y = TOP + HEIGHT * (1 - percent / 100)
    rule = f'<line x1="{LEFT}" x2="{width - GAP // 2}" y1="{y}" y2="{y}" stroke="#ddd"/>'
    return rule + _text(LEFT - 6, y + 4, str(percent), "end")


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


if __name__ == "__main__":
    main()
