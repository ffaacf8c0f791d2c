"""python -m bench.quality locomo PATH: how well recall finds what annotators marked as evidence."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.databases import new_database
from bench.quality.beir import load_beir
from bench.quality.cases import Case
from bench.quality.chart import chart
from bench.quality.dialogues import load_locomo, load_realtalk
from bench.quality.longmemeval import load_longmemeval
from bench.quality.report import markdown
from bench.quality.run import run
from bench.report import write_json
from bethink import AsyncBethink

TIERS = ("fast", "balanced", "best")
LOADERS: dict[str, Callable[[Path], list[Case]]] = {
    "locomo": load_locomo,
    "realtalk": load_realtalk,
    "longmemeval": load_longmemeval,
    "beir": load_beir,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Load, take in, ask, report."""
    given = _parser().parse_args(arguments)
    cases = LOADERS[given.dataset](given.path)[: given.cases]
    if not any(case.questions for case in cases):
        sys.exit(f"{given.path} holds no questions in the form of {given.dataset}.")
    result = asyncio.run(_measure(given, cases))
    print(markdown(result))
    write_json(given.json, result)
    if given.chart is not None:
        given.chart.write_text(chart([result]), "utf-8")


def settings_of(pairs: Sequence[str]) -> dict[str, Any]:
    """`["recall.candidates=100", "space=x"]` as the keyword arguments of a memory."""
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        section, _, field = name.rpartition(".")
        if not separator or not field:
            raise argparse.ArgumentTypeError(f"{pair!r} is not name=value")
        (settings.setdefault(section, {}) if section else settings)[field] = value
    return settings


async def _measure(given: argparse.Namespace, cases: Sequence[Case]) -> dict[str, Any]:
    settings = settings_of([*([f"recall.tier={given.tier}"] if given.tier else []), *given.set])
    with new_database(given.postgres) as url:
        async with AsyncBethink(url, **settings) as memory:
            scores = await run(memory, cases, given.limit, lambda line: print(line, file=sys.stderr))
            stats = await memory.stats()
            tier = (await memory.inside.opened()).tier
    return {
        "dataset": given.dataset,
        "database": "PostgreSQL" if given.postgres else "SQLite",
        "embedding": stats.signature or "nothing",
        "tier": tier,
        "limit": given.limit,
        "settings": given.set,
        **scores.report(),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("dataset", choices=sorted(LOADERS))
    parser.add_argument("path", type=Path, help="the data set's file (LoCoMo, LongMemEval) or folder")
    parser.add_argument("--postgres", metavar="URL", help="a PostgreSQL server to measure on, not SQLite")
    parser.add_argument("--tier", choices=TIERS, help="of recall (default: as the settings say)")
    parser.add_argument("--limit", type=int, default=50, help="hits asked for (default: 50)")
    parser.add_argument("--cases", type=int, metavar="N", help="only the first N cases")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting, as recall.candidates=100"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="draw the result to this SVG file")
    return parser


if __name__ == "__main__":
    main()
