"""Writers' channels: what was said there, and what each message is evidence of.

The README of `bench/data/channels` says who was tuned on, and who is only scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).with_name("data") / "channels"
INDEPENDENT = ("gordon", "nuray")  # held out, and saw neither rules nor each other
TUNED, FLATTER, HELD = "tuned on", "held out, by the author of the rules", "held out, by independent writers"


@dataclass(frozen=True)
class Said:
    """A message of a writer's channel, and its labels: `kind:name` of insights, names that it closes."""

    at: datetime
    name: str
    text: str
    insights: tuple[str, ...]
    closes: tuple[str, ...]


@dataclass
class Writer:
    """A writer's channel."""

    name: str
    facts: dict[str, str]
    said: list[Said]

    @property
    def held_out(self) -> bool:
        return self.facts["set"] == "held-out"

    @property
    def row(self) -> str:
        """In which of the three totals it counts."""
        if not self.held_out:
            return TUNED
        return HELD if self.name in INDEPENDENT else FLATTER


def writers() -> list[Writer]:
    return [read(path) for path in sorted(FOLDER.glob("*.txt"))]


def read(path: Path) -> Writer:
    """The channel that a file holds."""
    lines = path.read_text("utf-8").splitlines()
    facts = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return Writer(path.stem, facts, [_said(line) for line in lines if line and not line.startswith("#")])


def _said(line: str) -> Said:
    at, name, text, *labels = (part.strip() for part in line.split(" | "))
    marks = [mark.strip() for label in labels for mark in label.split(";")]
    closes = tuple(mark.removeprefix("closes:") for mark in marks if mark.startswith("closes:"))
    kinds = tuple(mark for mark in marks if not mark.startswith("closes:"))
    return Said(datetime.fromisoformat(at).replace(tzinfo=UTC), name, text, kinds, closes)
