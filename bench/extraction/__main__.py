"""What is stored of conversations, held against their writers' labels.

    python -m bench.extraction [--writers held-out|others|w21,w22] [--lives 5] [--show]
    python -m bench.extraction --labelled [--data FILE] [--show]     the rules alone, on single turns

A memory without a chat model observes each conversation alone, and each persona's life as a whole. Of the
conversations, every memory that was stored counts once:

- `precision`: it stands on `keep`: more than half of its words come from units with that label.
- `junk`: more than half come from units of other labels; the last table says from which. What is neither,
  because it is half and half (`mixed`) or not in words of the user (`unsaid`), is wrong, but not junk.
- `idle`: not right, and from a message with nothing to keep in it.
- `recall`: the share of units labelled `keep` of which some memory holds more than half.
- `secrets`: memories and facts that hold a value of a secret: a run with a digit, or digits in words.
- `right`: of the facts, those whose value stands on `keep`.

Of the lives:

- `twice`: pairs of active memories in the same words, or with a cosine of 0.92 and more in one slot.
- `two values`: attributes that have one value and were given several.
- `outdated ended`: memories no longer shown as what holds, of those that something said later replaces.
- `lasting ended`: the same of those on whose slot nothing newer was said. A few are rightly over by something
  of another slot; the rest should not be.

Report only the writers held out.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from bench.extraction import labelled
from bench.extraction.scores import Score, add_life, add_talk, label_table, life_table, table
from bench.lives import Life, empty, lives, stored, tell

FACTS = 1000


async def measure(life: Life, score: Score) -> None:
    """Tell a life to a space of its own, and each of its conversations to another.

    The first conversation warms the models up: its time does not count.
    """
    async with empty(life.talks[0].begins) as (memory, clock):
        await memory.household.update(timezone=life.timezone)
        for number, talk in enumerate(life.talks):
            before = time.process_time()
            await tell(memory, memory, talk, clock)
            if number:
                score.cpu += time.process_time() - before
                score.turns += talk.asked
            alone = memory.space(talk.id)
            await alone.household.update(timezone=life.timezone)
            await tell(memory, alone, talk, clock)
            facts = await alone.facts.list(limit=FACTS, secrets=True)
            add_talk(score, await stored(alone), facts, talk.turns)
        turns = [turn for talk in life.talks for turn in talk.turns]
        add_life(score, await stored(memory), await memory.facts.list(limit=FACTS, secrets=True), turns)


async def run(told: Sequence[Life]) -> dict[str, Score]:
    """The scores by language."""
    scores: dict[str, Score] = {}
    for life in told:
        await measure(life, scores.setdefault(life.lang, Score()))
    return dict(sorted(scores.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.extraction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--writers", default="held-out")
    parser.add_argument("--lives", type=int, metavar="N", help="only the first N lives")
    parser.add_argument("--labelled", action="store_true", help="the rules alone, on the labelled turns")
    parser.add_argument("--data", type=Path, default=labelled.DATA, help="another set of labelled turns")
    parser.add_argument("--show", action="store_true", help="everything that is not right, in its words")
    given = parser.parse_args()
    if given.labelled:
        labelled.report(given.data, given.show)
        return
    told = lives(given.writers)[: given.lives]
    scores = asyncio.run(run(told))
    if given.show:
        for name, score in scores.items():
            print(f"\n{name}", *score.misses, sep="\n")
    print(f"{len(told)} lives, {sum(len(life.talks) for life in told)} conversations\n")
    print(table(scores), life_table(scores), label_table(scores), sep="\n\n")


if __name__ == "__main__":
    main()
