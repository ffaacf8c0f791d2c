"""python -m bench.peers locomo PATH --speed 100000: the same questions through Bethink and its peers."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.peers.embedding import Embedding
from bench.peers.environments import FOLDER, Unavailable
from bench.peers.measure import quality, speed
from bench.peers.minilm import exported
from bench.peers.processes import say
from bench.peers.systems import MINILM, SAME, named
from bench.peers.tables import markdown
from bench.quality.dialogues import load_locomo, load_realtalk
from bench.report import write_json

LOADERS = {"locomo": load_locomo, "realtalk": load_realtalk}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the tables, and keep them with everything measured."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.dataset and not given.path:
        parser.error("say where the data set is: python -m bench.peers locomo PATH")
    if not given.dataset and not given.speed:
        parser.error("nothing to measure: name a data set and its path, or --speed N, or both")
    try:
        systems = named(given.systems)
    except ValueError as problem:
        parser.error(str(problem))
    result: dict[str, Any] = {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
        "load_before": _load(),
    }
    with ExitStack() as opened:
        embedding = opened.enter_context(Embedding())
        embeddings = {SAME: embedding}
        if any(system.vectors == MINILM for system in systems):
            try:
                embeddings[MINILM] = opened.enter_context(Embedding(exported()))
            except Unavailable as problem:
                say(f"going on without the systems that need {MINILM}: {problem}")
                systems = [system for system in systems if system.vectors in embeddings]
        result["vectors"] = embedding.name
        if given.dataset:
            cases = LOADERS[given.dataset](given.path)[: given.cases]
            result["dataset"] = given.dataset
            result["questions"] = sum(len(case.questions) for case in cases)
            result["quality"] = quality(systems, cases, embeddings)
        if given.speed:
            fit = [one for one in systems if given.systems or given.speed <= one.most]
            text, *_ = [one.sentences(given.speed, given.queries) for one in embeddings.values()]
            result["speed"] = speed(fit, text, embeddings, given.patience)
    result["load_after"] = _load()
    print(markdown(result))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "results.md").write_text(markdown(result) + "\n", "utf-8")
    write_json(given.json or FOLDER / "results.json", result)


def _load() -> list[float]:
    """How busy the machine was; empty where it does not say."""
    return [] if sys.platform == "win32" else [round(one, 2) for one in os.getloadavg()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("dataset", nargs="?", choices=sorted(LOADERS), help="for quality")
    parser.add_argument("path", nargs="?", type=Path, help="the data set's file (LoCoMo) or folder")
    parser.add_argument("--systems", metavar="A,B", help="only these (default: all)")
    parser.add_argument("--cases", type=int, metavar="N", help="only the first N conversations")
    parser.add_argument("--speed", type=int, metavar="N", help="also measure speed on N real sentences")
    parser.add_argument("--queries", type=int, default=100, help="of the speed run (default: 100)")
    parser.add_argument(
        "--patience", type=float, default=900, metavar="SECONDS", help="for filling one store (default: 900)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    return parser


if __name__ == "__main__":
    main()
