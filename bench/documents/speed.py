"""How fast large files are read, in how much memory, and what recall takes meanwhile.

    python -m bench.documents.speed [--pages 1000] [--rows 100000] [--words-only]

A PDF of so many pages, and a CSV of so many rows, each added to a memory that holds 1,000 notes. `searchable`
is when the first passage is found by its words, `read` when all are, `ready` when all have vectors too. The
peaks are the most memory that this process and the reading one held, seen every 20 ms. Recall is asked
all the while; `before` is what it took with nothing under way.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from bench.report import table
from bethink import AsyncBethink

LINES, PER_LINE, NOTES, MB = 40, 9, 1000, 1 << 20


@dataclass
class Watch:
    """What was seen while a file was read."""

    own: int = 0
    reader: int = 0
    recalls: list[float] = field(default_factory=list)
    searchable: float | None = None
    read: float | None = None


def vocabulary() -> list[str]:
    """Words to write with: those of a module of Python."""
    text = Path(os.__file__).read_text("utf-8")
    return sorted({word for word in text.split() if word.isalpha() and len(word) > 3})


def pdf(pages: int, said: Callable[[int], str]) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, A4)
    for _ in range(pages):
        for line in range(LINES):
            canvas.drawString(50, 800 - 18 * line, said(PER_LINE))
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def csv(rows: int, said: Callable[[int], str]) -> bytes:
    lines = ["number,name,place,remark,price"]
    lines += [f"{number},{said(2)},{said(1)},{said(4)},{number % 977}" for number in range(rows)]
    return "\n".join(lines).encode()


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _children() -> list[int]:
    found = Path(f"/proc/self/task/{os.getpid()}/children")
    every = [task / "children" for task in Path("/proc/self/task").iterdir()] or [found]
    return [int(pid) for one in every if one.is_file() for pid in one.read_text("ascii").split()]


async def _look(watch: Watch) -> None:
    while True:
        watch.own = max(watch.own, _resident(os.getpid()))
        watch.reader = max([watch.reader, *map(_resident, _children())])
        await asyncio.sleep(0.02)


async def _recalling(memory: AsyncBethink, said: Callable[[int], str], recalls: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await memory.recall(said(6), limit=5)
        recalls.append(time.perf_counter() - started)
        await asyncio.sleep(0.1)


async def _measured(name: str, data: bytes, count: int, settings: dict[str, Any]) -> dict[str, Any]:
    words, chance = vocabulary(), random.Random(7)

    def said(number: int) -> str:
        return " ".join(chance.choices(words, k=number))

    watch, before = Watch(), Watch()
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncBethink(Path(folder, "bench.db"), **settings) as memory:
            for _ in range(NOTES // 100):
                await memory.observe("notes", [{"role": "user", "content": said(15)} for _ in range(100)])
            await memory.settle()
            await _for_a_while(_recalling(memory, said, before.recalls), 5)
            tasks = [
                asyncio.create_task(_look(watch)),
                asyncio.create_task(_recalling(memory, said, watch.recalls)),
            ]
            started = time.perf_counter()
            added = await memory.documents.add(data, name)

            def told(seen: Any) -> None:
                now = time.perf_counter() - started
                if seen.passages and watch.searchable is None:
                    watch.searchable = now
                if seen.status in ("embedding", "ready") and watch.read is None:
                    watch.read = now

            seen = await memory.documents.wait(added.document.id, progress=told)
            ready = time.perf_counter() - started
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    if seen.status != "ready" or watch.read is None or watch.searchable is None:
        raise SystemExit(f"{name}: {seen.status} {seen.problem}")
    return {
        "file": name,
        "MB": round(len(data) / MB, 1),
        "passages": seen.passages,
        "searchable_s": round(watch.searchable, 1),
        "read_s": round(watch.read, 1),
        "units_a_second": round(count / watch.read),
        "ready_s": round(ready, 1),
        "peak_own_MB": watch.own // MB,
        "peak_reader_MB": watch.reader // MB,
        "recall_before_ms": _told(before.recalls),
        "recall_meanwhile_ms": _told(watch.recalls),
    }


async def _for_a_while(work: Any, seconds: float) -> None:
    task = asyncio.create_task(work)
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    return f"p50 {middle * 1000:.0f}, p95 {late * 1000:.0f}"


async def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--words-only", action="store_true", help="without a model that makes vectors")
    wanted = parser.parse_args()
    settings = {"embed": {"source": "none" if wanted.words_only else "local"}}
    words, chance = vocabulary(), random.Random(3)

    def said(number: int) -> str:
        return " ".join(chance.choices(words, k=number))

    rows = []
    if wanted.pages:
        rows.append(await _measured("pages.pdf", pdf(wanted.pages, said), wanted.pages, settings))
    if wanted.rows:
        rows.append(await _measured("rows.csv", csv(wanted.rows, said), wanted.rows, settings))
    print(table(rows))


if __name__ == "__main__":
    asyncio.run(main())
