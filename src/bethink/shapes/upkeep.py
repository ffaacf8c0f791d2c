"""What the upkeep of a space tells: its sweeps, and how each is doing."""

from __future__ import annotations

from pydantic import Field

from bethink.records import Record, Run, Utc


class SweepFailure(Record):
    """What failed last. It may work again since."""

    message: str
    at: Utc


class SweepStatus(Record):
    """A sweep in a space: what it has to do, whether it is at it, and how it went."""

    name: str
    enabled: bool = Field(description="Whether it runs in this space at all.")
    running: bool = Field(description="Whether this process is at it in this space now.")
    due: int | None = Field(description="How much is due; null while that cannot be told.")
    problem: str | None = Field(None, description="Why it cannot.")
    schedule: str | None = Field(None, description="When it runs by itself besides nudges, in words.")
    last_run: Run | None = Field(None, description="The newest run in the history.")
    last_failure: SweepFailure | None = Field(None, description="The last failure in this process.")
