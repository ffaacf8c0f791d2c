"""The chart of a quality run: one bar for each metric of each run, to scale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from bench.quality.chart import HEIGHT, METRICS, main

SVG = "{http://www.w3.org/2000/svg}"


def run(tier: str, value: float) -> dict[str, Any]:
    means = dict.fromkeys(METRICS, value)
    return {
        "dataset": "a & b", "tier": tier, "database": "SQLite", "embedding": "x", "settings": [], **means,
        "by_category": {"temporal": means, "multi-hop": means},
    }  # fmt: skip


def bars(file: Path) -> list[float]:
    found = ElementTree.parse(file).getroot().iter(f"{SVG}rect")
    return [float(bar.get("height", "0")) for bar in found if bar.get("width") == "23"]


def test_runs_stand_beside_each_other(tmp_path: Path) -> None:
    for name, value in (("one", 0.5), ("other", 1.0)):
        (tmp_path / name).write_text(json.dumps(run(name, value)))
    main([str(tmp_path / "out.svg"), str(tmp_path / "one"), str(tmp_path / "other")])
    assert bars(tmp_path / "out.svg") == [HEIGHT / 2, HEIGHT] * len(METRICS)
    assert "a &amp; b, other, SQLite" in (tmp_path / "out.svg").read_text()


def test_one_run_is_shown_by_its_categories(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(json.dumps(run("one", 0.25)))
    main([str(tmp_path / "out.svg"), str(tmp_path / "one")])
    assert bars(tmp_path / "out.svg") == [HEIGHT / 4] * 3 * len(METRICS)
    assert "multi-hop" in (tmp_path / "out.svg").read_text()
