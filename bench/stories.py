"""What a prompt says after a life story: all it must, nothing outdated as if it held, nothing it must never.

    python -m bench.stories [--writers held-out|others|w21,w22] [--systems bethink,nearest,mem0] [--show]

Each story of `data/stories` is observed session by session, at the times at which it was said. Then its eight
questions are asked, and the memory part of each prompt is judged line by line:

- `required`: one spelling of every requirement of the question is there.
- `current`: of what changed, the new value is there, and no line says an old one as if it held. A line that
  has the new value too, or says that something was so before, is no such line.
- `never`: no secret, nothing that was to be forgotten, nothing made up.
- `unrelated`: a question to which nothing said is of use brings no line.
- `repeats`: lines that say nearly the same as another of the same prompt.
- `right`: all of that at once.

`nearest` stands beside it: the eight messages nearest to the question, with no memory system at all. So does
`mem0`: every message stored by it as it was said (`infer=False`, no chat model), and the eight that its
search brings, with Bethink's vectors, in an environment of its own. Any system of `bench/peers` can be named.
Nothing here may be tuned on the writers held out; report only theirs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.peers import stories as peers
from bench.peers.embedding import Embedding
from bench.peers.environments import Unavailable
from bench.peers.systems import named
from bench.worth.units import is_chosen
from bethink import AsyncBethink
from bethink.testing import FrozenClock
from bethink.text.terms import estimate

DATA = Path(__file__).parent / "data" / "stories"
NEAREST = 8
ALIKE = 0.8  # share of words from which two lines count as the same
_PAST = re.compile(
    r"\b(?:until|till|earlier|formerly|previously|before|used to|no longer|any ?more|ex-|superseded)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
Ask = Callable[[str, datetime], Awaitable["Shown"]]


@dataclass(frozen=True)
class Shown:
    """What a prompt shows: lines that always stand there, and lines for this question."""

    stable: Sequence[str]
    volatile: Sequence[str]
    tokens: int

    @property
    def lines(self) -> list[str]:
        return [*self.stable, *self.volatile]


@dataclass
class Tally:
    """Counts of one system, by what is judged: how many were right, of how many."""

    right: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    of: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, what: str, right: bool | int, of: int = 1) -> None:
        self.right[what] += int(right)
        self.of[what] += of

    def share(self, what: str) -> str:
        return f"{self.right[what] / self.of[what]:.1%}" if self.of[what] else "-"


def has(text: str, words: str) -> bool:
    """Whether a text has these words, as words where letters have spaces between them."""
    found = text.casefold().find(words.casefold())
    if found < 0 or not words.isascii():
        return found >= 0
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text.casefold()) is not None


def is_stale(line: str, old: str, wanted: Sequence[Sequence[str]]) -> bool:
    """Whether a line says an old value as if it held."""
    if not has(line, old) or _PAST.search(line):
        return False
    return not any(has(line, form) for forms in wanted for form in forms)


def repeats(lines: Sequence[str]) -> int:
    """How many lines say nearly the same as one before them."""
    seen: list[set[str]] = []
    count = 0
    for line in lines:
        words = set(_WORD.findall(line.casefold()))
        count += any(len(words & other) >= ALIKE * len(words | other) for other in seen if words)
        seen.append(words)
    return count


def judge(question: dict[str, Any], shown: Shown, tally: Tally) -> list[str]:
    """Count one question; what is wrong, in words."""
    wrong, text = [], "\n".join(shown.lines)
    missing = [forms[0] for forms in question["must"] if not any(has(text, form) for form in forms)]
    stale = [
        old for old in question["stale"] for line in shown.lines if is_stale(line, old, question["must"])
    ]
    if question["kind"] == "past":
        stale = []
    never = [words for words in question["never"] if has(text, words)]
    twice = repeats(shown.volatile)
    if question["must"]:
        tally.add("required", not missing)
    if question["kind"] == "changed":
        tally.add("current", not missing and not stale)
    tally.add("never", not never)
    if question["kind"] == "unrelated":
        tally.add("unrelated", not shown.volatile)
        wrong += [f"{len(shown.volatile)} lines for nothing"] if shown.volatile else []
    tally.add("repeats", twice, len(shown.volatile))
    tally.add("tokens", shown.tokens)
    wrong += [f"lacks {word!r}" for word in missing] + [f"says {word!r}" for word in stale]
    wrong += [f"must never say {word!r}" for word in never] + ([f"{twice} repeats"] if twice else [])
    tally.add("right", not wrong)
    return wrong


@asynccontextmanager
async def told(story: dict[str, Any], clock: FrozenClock, folder: str) -> AsyncIterator[AsyncBethink]:
    """A memory to which a story was told."""
    async with AsyncBethink(f"{folder}/{story['id']}.db", files={"enabled": False}) as memory:
        await memory.household.update(timezone=story["timezone"])
        for session in story["sessions"]:
            clock.now = datetime.fromisoformat(session["messages"][-1]["sent_at"])
            await memory.observe(session["id"], session["messages"])
            await memory.settle()
        yield memory


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip().startswith("- ")]


async def by_bethink(memory: AsyncBethink, ask: str) -> Shown:
    """The memory part of a prompt."""
    prompt = await memory.prompt(ask, first_turn=False)
    volatile = prompt.volatile.partition("## Relevant Memory")[2]
    return Shown(_lines(prompt.stable), _lines(volatile), prompt.tokens.volatile)


async def by_nearest(memory: AsyncBethink, ask: str) -> Shown:
    """The messages nearest to the question, and nothing else."""
    found = await memory.recall(ask, layers=["message"], strategy="semantic", limit=NEAREST)
    lines = [f"- {hit.observed_at:%Y-%m-%d}: {' '.join(hit.text.split())}" for hit in found.hits]
    return Shown([], lines, estimate("\n".join(lines)))


SYSTEMS = {"bethink": by_bethink, "nearest": by_nearest}


async def run(stories: Sequence[dict[str, Any]], systems: Sequence[str], show: bool) -> dict[str, Tally]:
    """Tell every story, ask its questions, and count."""
    tallies = {name: Tally() for name in systems}
    for story in stories:
        begin = datetime.fromisoformat(story["sessions"][0]["messages"][0]["sent_at"])
        with TemporaryDirectory() as folder, FrozenClock(begin) as clock:
            async with told(story, clock, folder) as memory:
                for question in story["questions"]:
                    clock.now = datetime.fromisoformat(question["asked_at"])
                    for name in systems:
                        shown = await SYSTEMS[name](memory, question["ask"])
                        _count(name, story, question, shown, tallies[name], show)
    return tallies


def run_peer(stories: Sequence[dict[str, Any]], name: str, show: bool) -> Tally:
    """The same of a system of `bench.peers`; raises `Unavailable` where that cannot be installed."""
    (system,), tally = named(name), Tally()
    with Embedding() as embedding:
        for story in stories:
            answers = peers.found(system, story, embedding, NEAREST)
            for question, lines in zip(story["questions"], answers, strict=True):
                _count(name, story, question, Shown([], lines, estimate("\n".join(lines))), tally, show)
    return tally


def _count(
    name: str, story: dict[str, Any], question: dict[str, Any], shown: Shown, tally: Tally, show: bool
) -> None:
    wrong = judge(question, shown, tally)
    if show and wrong:
        print(f"{name} {story['id']} {question['kind']} {question['ask']!r}: {wrong}")


def load(writers: str) -> list[dict[str, Any]]:
    """The stories of some writers."""
    every = [
        json.loads(line)
        for path in sorted(DATA.glob("w*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return [story for story in every if is_chosen(story["writer"], writers)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--writers", default="held-out")
    parser.add_argument("--systems", default="bethink,nearest,mem0")
    parser.add_argument("--show", action="store_true", help="every question that is not right")
    options = parser.parse_args()
    stories, systems = load(options.writers), options.systems.split(",")
    own = [name for name in systems if name in SYSTEMS]
    tallies = asyncio.run(run(stories, own, options.show)) if own else {}
    for name in systems:
        if name not in SYSTEMS:
            try:
                tallies[name] = run_peer(stories, name, options.show)
            except Unavailable as problem:
                print(f"{name} did not run: {problem}")
    parts = ("required", "current", "never", "unrelated", "repeats", "right")
    print(f"{len(stories)} stories, {sum(len(story['questions']) for story in stories)} questions")
    print(f"{'':10}" + "".join(f"{part:>11}" for part in parts) + f"{'tokens':>9}")
    for name, tally in tallies.items():
        tokens = tally.right["tokens"] / max(1, tally.of["tokens"])
        print(f"{name:10}" + "".join(f"{tally.share(part):>11}" for part in parts) + f"{tokens:9.0f}")


if __name__ == "__main__":
    main()
