"""Messages of writers' channels as turns: each is one unit, of which its insights are known and no label."""

from __future__ import annotations

from collections.abc import Iterator

from bench.channels import Writer, writers
from bench.worth.units import UNLABELLED, Turn, Unit
from bethink.models.worth.channel import before_of
from bethink.models.worth.said import INSIGHTS


def load(held_out: bool = False) -> list[Turn]:
    """The messages of the writers to train on, or of those that are held out."""
    return [turn for writer in writers() if writer.held_out is held_out for turn in turns(writer)]


def turns(writer: Writer) -> Iterator[Turn]:
    """The messages of one channel, in order; `talk` is the number of each."""
    said = [(one.name, one.text) for one in writer.said]
    for number, one in enumerate(writer.said):
        names = {label.partition(":")[2] for label in one.insights} | set(one.closes)
        kinds = {INSIGHTS.index(label.partition(":")[0]) for label in one.insights}
        kinds |= {INSIGHTS.index("closes")} if one.closes else set()
        unit = Unit(
            0,
            len(one.text),
            UNLABELLED,
            topics=frozenset(names),
            insights=tuple(sorted(kinds)),
        )
        before = before_of(said[:number])
        lang = writer.facts["language"]
        yield Turn(writer.name, lang, f"channel {writer.name}", f"{number:03}", before, one.text, (unit,))
