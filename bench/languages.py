"""How well recall finds what was said, by the language it was said in.

    python -m bench.languages [--set embed.source=multilingual] [--tier fast|balanced]

The messages of each story of `data/stories` are taken in as they are, each story in a space of its own. Each
of its questions that something said answers is a plain recall of eight messages. It is answered when they
hold, for each thing that the answer must have, one of its spellings. Only the stories of the writers named
here are read: those of the held-out writers are for nothing but the last judgement of a prompt.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.databases import new_database
from bench.quality.__main__ import TIERS, settings_of
from bench.report import table
from bench.stories import DATA, NEAREST, Tally, has
from bethink import AsyncBethink

WRITERS = ("w21", "w22", "w24")


def load(folder: Path = DATA, writers: Sequence[str] = WRITERS) -> list[dict[str, Any]]:
    """The stories of these writers; no other file is opened."""
    lines = [
        line for writer in writers for line in (folder / f"{writer}.jsonl").read_text("utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines]


async def take_in(memory: AsyncBethink, stories: Sequence[dict[str, Any]]) -> None:
    """Observe every story, each in its space."""
    for story in stories:
        for session in story["sessions"]:
            await memory.space(story["id"]).observe(session["id"], session["messages"])
    await memory.settle()


async def ask(memory: AsyncBethink, stories: Sequence[dict[str, Any]]) -> Tally:
    """Which questions are answered, by language and in all."""
    tally = Tally()
    for story in stories:
        for question in story["questions"]:
            if question["must"]:
                right = await _answered(memory, story["id"], question)
                tally.add(story["lang"], right)
                if story["lang"] != "en":
                    tally.add("not en", right)
    return tally


async def _answered(memory: AsyncBethink, space: str, question: dict[str, Any]) -> bool:
    found = await memory.space(space).recall(question["ask"], layers=["message"], limit=NEAREST)
    said = "\n".join(hit.text for hit in found.hits)
    return all(any(has(said, form) for form in forms) for forms in question["must"])


async def main(settings: dict[str, Any]) -> None:
    stories = load()
    with new_database(None) as url:
        async with AsyncBethink(url, **settings) as memory:
            await take_in(memory, stories)
            tally = await ask(memory, stories)
            stats = await memory.space(stories[0]["id"]).stats()
            tier = (await memory.inside.opened()).tier
    print(f"{stats.signature}, tier {tier}\n")
    rows = [
        {
            "language": name,
            "questions": tally.of[name],
            "answered": tally.right[name],
            "R@8": tally.share(name),
        }
        for name in sorted(tally.of)
    ]
    print(table(rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tier", choices=TIERS)
    parser.add_argument("--set", action="append", default=[], help="a setting, as in embed.source=local")
    given = parser.parse_args()
    asyncio.run(main(settings_of([*([f"recall.tier={given.tier}"] if given.tier else []), *given.set])))
